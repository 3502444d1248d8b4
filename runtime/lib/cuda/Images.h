//===- Images.h - Compiled kernels ------------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Images known by their content, and their kernels by name.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_IMAGES_H
#define AMP_RT_LIB_CUDA_IMAGES_H

#include "Driver.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace amp_rt::cuda {

class CudaBackend;

class Images {
public:
  explicit Images(CudaBackend &backend) : backend(backend) {}
  ~Images();

  int32_t load(const amp_rt_image &image);

  /// The kernel of a loaded image, itself loaded too.
  int32_t findKernel(const amp_rt_image &image, const char *name,
                     CUfunction &function);

private:
  struct Image {
    /// Kept: it tells images apart, and the driver may read it late.
    std::vector<char> content;
    CUlibrary library = nullptr;
    std::map<std::string, CUfunction, std::less<>> kernels;
  };

  Image *findByContent(uint64_t hash, const amp_rt_image &image);

  CudaBackend &backend;
  std::unordered_multimap<uint64_t, std::unique_ptr<Image>> byContent;
  /// What an address held when it was last loaded.
  std::unordered_map<const void *, Image *> byAddress;
};

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_IMAGES_H

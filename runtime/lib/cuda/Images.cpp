//===- Images.cpp - Compiled kernels --------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Images.h.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "CudaBackend.h"

#include <cstring>
#include <string_view>

using namespace amp_rt;
using namespace amp_rt::cuda;

static uint64_t hashBytes(const void *data, size_t bytes) {
  const auto *at = static_cast<const char *>(data);
  uint64_t hash = 0x9e3779b97f4a7c15u ^ bytes;
  for (; bytes >= sizeof(uint64_t);
       bytes -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  for (; bytes; --bytes, ++at)
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3u;
  return hash;
}

Images::~Images() {
  for (const auto &entry : byContent)
    if (entry.second->library)
      backend.driver.cuLibraryUnload(entry.second->library);
}

Images::Image *Images::findByContent(uint64_t hash, const amp_rt_image &image) {
  auto [begin, end] = byContent.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    const std::vector<char> &content = entry->second->content;
    if (content.size() == image.bytes &&
        std::memcmp(content.data(), image.data, image.bytes) == 0)
      return entry->second.get();
  }
  return nullptr;
}

int32_t Images::load(const amp_rt_image &image) {
  byAddress.erase(image.data);
  uint64_t hash = hashBytes(image.data, image.bytes);
  Image *found = findByContent(hash, image);
  if (!found) {
    auto made = std::make_unique<Image>();
    const char *data = static_cast<const char *>(image.data);
    made->content.assign(data, data + image.bytes);
    // PTX is a C string to the driver, whether or not the image counts its end.
    made->content.push_back('\0');
    made->content.pop_back();
    if (int32_t status = AMP_CU(
            backend, cuLibraryLoadData,
            (&made->library, made->content.data(), nullptr, nullptr, 0, nullptr,
             nullptr, 0),
            "loading the image '%s' (%llu bytes) for sm_%d", image.description,
            (unsigned long long)image.bytes, backend.arch())) {
      return status;
    }
    found = byContent.emplace(hash, std::move(made))->second.get();
  }
  byAddress[image.data] = found;
  return AMP_RT_OK;
}

int32_t Images::findKernel(const amp_rt_image &image, const char *name,
                           CUfunction &function) {
  auto loaded = byAddress.find(image.data);
  if (loaded == byAddress.end() ||
      loaded->second->content.size() != image.bytes)
    return AMP_RT_FAIL(backend.ctx, AMP_RT_INVALID_ARGUMENT,
                       "the image '%s' of the kernel '%s' was not loaded; call "
                       "amp_rt_image_load at load time",
                       image.description, name);
  Image &found = *loaded->second;
  auto known = found.kernels.find(std::string_view(name));
  if (known != found.kernels.end()) {
    function = known->second;
    return AMP_RT_OK;
  }
  CUkernel kernel = nullptr;
  if (int32_t status = AMP_CU(
          backend, cuLibraryGetKernel, (&kernel, found.library, name),
          "finding the kernel '%s' in the image '%s'", name, image.description))
    return status;
  if (int32_t status =
          AMP_CU(backend, cuKernelGetFunction, (&function, kernel),
                 "loading the kernel '%s' for sm_%d", name, backend.arch()))
    return status;
  // Now, since the driver would otherwise load it at the first launch, which
  // may be inside a capture.
  if (int32_t status =
          AMP_CU(backend, cuFuncLoad, (function),
                 "loading the kernel '%s' for sm_%d", name, backend.arch()))
    return status;
  found.kernels.emplace(name, function);
  return AMP_RT_OK;
}

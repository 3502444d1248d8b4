//===- PlanFile.h - Measured choices of algorithms --------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file of AMP_RT_PLAN_FILE: which algorithm was fastest for a product, on
// which architecture and library. Text, one line each, sorted.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_PLANFILE_H
#define AMP_RT_LIB_CUDA_PLANFILE_H

#include "GemmPlan.h"

#include <map>

namespace amp_rt::cuda {

class PlanFile {
public:
  /// Reads `path`; an empty path keeps nothing. A file that is absent is empty;
  /// plans that cannot be read are ignored as a whole, with one warning on
  /// stderr, and replaced by the next store. A file of something else is left
  /// as it is: its path was a mistake, and its content is another's.
  void open(const std::string &path);
  bool isOpen() const { return !path.empty(); }

  /// The choice for a product on an architecture and version of the library.
  const Algorithm *find(const PlanKey &key, int32_t arch, size_t version) const;

  /// Adds a choice and writes the file again, through a temporary one beside it
  /// that takes its name, with what other processes have added since. A failure
  /// is one warning: the choice still holds in this process.
  void store(const PlanKey &key, int32_t arch, size_t version,
             const Algorithm &algorithm);

private:
  using Lines = std::map<std::string, Algorithm>;

  bool read(Lines &lines, std::string &reason) const;
  bool holdsSomethingElse() const;
  void warn(const std::string &what);

  std::string path;
  Lines lines;
  bool warned = false;
};

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_PLANFILE_H

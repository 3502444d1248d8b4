//===- Cuda.h - The driver's header, with its functions exported -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuda.h states no visibility: everything it declares is the interface of this
// library, and nothing else is.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_CUDA_H
#define AMP_EMULATOR_CUDA_H

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#endif // AMP_EMULATOR_CUDA_H

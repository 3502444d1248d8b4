//===- WindowedLossOpInterface.cpp - Losses with a denominator ------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Interfaces/WindowedLossOpInterface.h"

#include "amp/Interfaces/WindowedLossOpInterface.cpp.inc"

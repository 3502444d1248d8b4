//===- LossScaleOpInterface.h - Ops that move powers of a loss scale -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_LOSSSCALEOPINTERFACE_H
#define AMP_INTERFACES_LOSSSCALEOPINTERFACE_H

#include "amp/Interfaces/ScalePower.h"
#include "mlir/IR/OpDefinition.h"

#include "amp/Interfaces/LossScaleOpInterface.h.inc"

#endif // AMP_INTERFACES_LOSSSCALEOPINTERFACE_H

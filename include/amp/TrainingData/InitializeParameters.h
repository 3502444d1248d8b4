//===- InitializeParameters.h - Parameters to start from -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The initial values of a model that is trained from scratch.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAININGDATA_INITIALIZEPARAMETERS_H
#define AMP_TRAININGDATA_INITIALIZEPARAMETERS_H

#include "amp/Support/HostTensor.h"

namespace mlir::amp {

/// Fills parameters (f32 or f64, shapes given) with what PyTorch's layers start
/// from, in distribution:
/// - rank >= 2 (a linear weight [out, in...]): uniform in [-b, b), b =
/// 1/sqrt(fan_in),
///   fan_in = in... multiplied: kaiming_uniform with a = sqrt(5);
/// - `<name>.bias` beside `<name>.weight` of rank >= 2: uniform with the
/// weight's b;
/// - any other of rank 1 named `<name>.weight` or `weight` (a scale): ones;
/// - a rank-1 parameter without `.weight` or `.bias` in its name, whose size is
/// the
///   leading one of the parameter of rank >= 2 before it: uniform with that
///   one's b;
/// - everything else: zeros.
/// Element i of parameter `name` is draw i of the stream (seed, xxh3(name)), so
/// a parameter's values do not depend on the other parameters.
llvm::Error initializeParameters(MutableArrayRef<NamedTensor> parameters,
                                 uint64_t seed);

} // namespace mlir::amp

#endif // AMP_TRAININGDATA_INITIALIZEPARAMETERS_H

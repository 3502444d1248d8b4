//===- TensorValues.h - Host tensors as numbers -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the bytes of files and of compiled code, the interpreter's numbers,
// and text. Encodings go through APFloat, independent of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_TENSORVALUES_H
#define AMP_EXECUTION_TENSORVALUES_H

#include "amp/Interfaces/ReferenceOpInterface.h"
#include "amp/Support/HostTensor.h"

namespace mlir::amp {

/// The type of a host tensor.
RankedTensorType getTensorType(const HostTensor &tensor, MLIRContext *context);

/// The elements of a host tensor as numbers; exact.
ReferenceTensor toReference(const HostTensor &tensor, MLIRContext *context);
/// The bytes of a tensor. The error names an element type that host tensors
/// lack.
llvm::Expected<HostTensor> toHost(const ReferenceTensor &tensor);

/// An integer in full, else the shortest decimal that reads back as element
/// `index`.
std::string formatElement(const ReferenceTensor &tensor, int64_t index);
/// All elements in nested brackets where they are few, else their range.
std::string summarize(const ReferenceTensor &tensor);
/// `[2, 5]` for an offset into a shape.
std::string formatIndex(ArrayRef<int64_t> shape, int64_t offset);

/// Standard normal numbers, or 0 and 1 for integers, by a generator that is the
/// same everywhere. Dynamic dimensions take `dynamicSize`. None where host
/// tensors lack the element type.
std::optional<HostTensor> makeRandomTensor(RankedTensorType type,
                                           int64_t dynamicSize, uint64_t seed);

} // namespace mlir::amp

#endif // AMP_EXECUTION_TENSORVALUES_H

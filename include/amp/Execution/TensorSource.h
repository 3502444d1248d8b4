//===- TensorSource.h - Tensors of a command line -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One .safetensors file, or .npy files in order, and the rule by which a
// function's arguments and results find theirs.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_TENSORSOURCE_H
#define AMP_EXECUTION_TENSORSOURCE_H

#include "amp/Support/HostTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

/// What a function's value is looked up by.
struct TensorSlot {
  /// `in0`, `out1`, `cotangent0`, `grad2`: for files that number their tensors.
  std::string numbered;
  /// `amp.name`, empty if there is none.
  std::string name;
  Type type;
};

/// Named tensors read from files.
class TensorSource {
public:
  /// Reads a comma-separated list of files. Names count with `prefix` cut off;
  /// tensors without it are not there.
  static llvm::Expected<TensorSource> read(StringRef paths, StringRef prefix);

  /// The tensors of `slots`: all by number, else all by name, else, where the
  /// source has exactly as many tensors, in order. Each is checked against its
  /// slot's type.
  llvm::Expected<SmallVector<HostTensor>> select(ArrayRef<TensorSlot> slots,
                                                 MLIRContext *context) const;

private:
  const HostTensor *find(StringRef name) const;

  std::string description, prefix;
  std::vector<NamedTensor> tensors;
};

/// The slots of a function's arguments and results.
SmallVector<TensorSlot> getArgumentSlots(func::FuncOp function);
SmallVector<TensorSlot> getResultSlots(func::FuncOp function);

/// Checks a tensor against the type that `where` declares (dynamic sizes fit
/// all).
llvm::Error checkTensorType(const HostTensor &tensor, Type type,
                            const llvm::Twine &where, MLIRContext *context);

} // namespace mlir::amp

#endif // AMP_EXECUTION_TENSORSOURCE_H

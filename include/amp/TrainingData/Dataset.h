//===- Dataset.h - Inputs and targets of training --------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data files, checked against the arguments of the model that reads them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAININGDATA_DATASET_H
#define AMP_TRAININGDATA_DATASET_H

#include "amp/Support/HostTensor.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::amp {

/// An argument of the model that data must be found for.
struct DataField {
  /// Its `amp.name`.
  std::string name;
  /// Its type; the leading dimension counts rows and takes any size.
  RankedTensorType type;
};

/// Tensors with one row per sample, in the order of the fields they serve.
struct Dataset {
  std::vector<NamedTensor> fields;
  int64_t rows = 0;

  const HostTensor *find(StringRef name) const;
};

/// The tensors of data files, before it is known what a model takes of them.
class DataSource {
public:
  /// Reads a comma-separated list of .safetensors files, .npy files (a tensor
  /// has the file's name without the suffix), and directories of .npy files.
  static llvm::Expected<DataSource> read(StringRef paths);

  /// Whether a tensor of the split exists (`test.x` for the split `test`).
  bool hasSplit(StringRef split) const;

  /// The tensors `<split>.<field>`; the split `train` also takes plain
  /// `<field>` names. Checks that shapes fit, that rows are equal in number,
  /// and converts element types where no value can change (isExactConversion).
  llvm::Expected<Dataset> select(StringRef split,
                                 ArrayRef<DataField> fields) const;

private:
  const HostTensor *find(StringRef name) const;

  std::string description;
  std::vector<NamedTensor> tensors;
};

/// Whether every value of `from` is a value of `to`.
bool isExactConversion(DType from, DType to);
/// The tensor in another element type; the error says why it would not be
/// exact.
llvm::Expected<HostTensor> convertExactly(const HostTensor &tensor, DType to);

/// Checks that every class is in [0, classes) or is `ignoreIndex`. The error
/// names the first that is not, and its place.
llvm::Error checkClassTargets(const NamedTensor &targets, int64_t classes,
                              std::optional<int64_t> ignoreIndex);

/// 16 hexadecimal digits over names, types and values.
std::string hashDataset(const Dataset &dataset);

/// Copies rows, one after another, to `out`, which has their size.
void gatherRows(const HostTensor &tensor, ArrayRef<int64_t> rows,
                MutableArrayRef<char> out);
/// Bytes of one row.
int64_t getRowBytes(const HostTensor &tensor);

} // namespace mlir::amp

#endif // AMP_TRAININGDATA_DATASET_H

//===- Evaluation.cpp - Loss and accuracy on held-out data ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"
#include "amp/Execution/TensorValues.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

std::vector<HostTensor> training::gatherBatch(const Dataset &data,
                                              ArrayRef<int64_t> rows) {
  std::vector<HostTensor> batch;
  for (const NamedTensor &field : data.fields) {
    SmallVector<int64_t> shape(field.tensor.shape);
    shape.front() = rows.size();
    batch.push_back(HostTensor::zeros(field.tensor.dtype, shape));
    gatherRows(field.tensor, rows, batch.back().data);
  }
  return batch;
}

/// How many rows have the largest logit at their target; `counted` receives how
/// many have a target that is a class.
static int64_t countRight(const ReferenceTensor &logits,
                          const ReferenceTensor &targets, int64_t &counted) {
  int64_t classes = logits.type.getShape().back(), right = 0;
  for (auto [row, target] : llvm::enumerate(targets.integers)) {
    if (target < 0 || target >= classes)
      continue;
    ++counted;
    ArrayRef<double> scores =
        ArrayRef(logits.floats).slice(row * classes, classes);
    right += std::max_element(scores.begin(), scores.end()) - scores.begin() ==
             target;
  }
  return right;
}

llvm::Expected<Evaluation> training::evaluate(Program &program,
                                              StateStore &store,
                                              const Dataset &data,
                                              int64_t batch) {
  std::optional<ClassInfo> classes = program.getClasses();
  Evaluation evaluation;
  int64_t right = 0, counted = 0;
  for (int64_t begin = 0; begin < data.rows; begin += batch) {
    int64_t size = std::min(batch, data.rows - begin);
    SmallVector<int64_t> rows = llvm::to_vector(llvm::seq(begin, begin + size));
    std::vector<HostTensor> inputs = gatherBatch(data, rows);
    llvm::Expected<std::vector<StepOutput>> outputs =
        program.run(StepKind::forward, store, size, inputs);
    if (!outputs)
      return outputs.takeError();
    for (const StepOutput &output : *outputs) {
      if (output.role == Role::loss)
        evaluation.loss += output.getNumber() * size / data.rows;
      if (output.role != Role::logits || !classes)
        continue;
      for (auto [field, input] : llvm::zip_equal(data.fields, inputs))
        if (field.name == classes->target)
          right +=
              countRight(toReference(output.tensor, program.getContext()),
                         toReference(input, program.getContext()), counted);
    }
  }
  if (counted)
    evaluation.accuracy = double(right) / counted;
  return evaluation;
}

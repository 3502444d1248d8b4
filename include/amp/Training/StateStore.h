//===- StateStore.h - Training state in memory -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffers that step functions update in place, laid out by the manifest.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAINING_STATESTORE_H
#define AMP_TRAINING_STATESTORE_H

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Support/HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace mlir::amp {

/// The state of one training run. Buffers are 64-byte aligned; padding is zero.
class StateStore {
public:
  /// Allocates the buffers of `module`'s manifest and fills in initial values;
  /// parameters are zero until they are written.
  static llvm::Expected<std::unique_ptr<StateStore>> create(ModuleOp module);

  ArrayRef<StateAttr> getStates() const { return states; }
  ArrayRef<BufferAttr> getBuffers() const { return buffers; }
  void *getBuffer(unsigned index) const { return memory[index].get(); }
  int64_t getBufferBytes(unsigned index) const;

  /// The state of that name, null if there is none.
  StateAttr find(StringRef name) const;
  /// A copy of a state, and its replacement; the error names what does not fit.
  HostTensor read(StateAttr state) const;
  llvm::Error write(StateAttr state, const HostTensor &tensor);

  /// The f32 elements of a state, in place.
  MutableArrayRef<float> getF32(StateAttr state) const;
  /// A rank-0 i64 or f32 state as a number; `otherwise` where it does not
  /// exist.
  double getScalar(StringRef name, double otherwise) const;
  /// All states of a role, in manifest order.
  SmallVector<StateAttr> getByRole(Role role) const;

private:
  struct Free {
    void operator()(char *pointer) const;
  };
  char *getAddress(StateAttr state) const;

  SmallVector<StateAttr> states;
  SmallVector<BufferAttr> buffers;
  std::vector<std::unique_ptr<char, Free>> memory;
};

/// Bytes of a dense tensor of a static type in memory; an i1 takes a byte.
int64_t getTensorBytes(RankedTensorType type);

} // namespace mlir::amp

#endif // AMP_TRAINING_STATESTORE_H

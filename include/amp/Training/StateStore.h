//===- StateStore.h - Training state in memory -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffers that step functions update in place, laid out by the manifest,
// and the host's copy of them where the device has memory of its own.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAINING_STATESTORE_H
#define AMP_TRAINING_STATESTORE_H

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Execution/Device.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace mlir::amp {

class ScalarSnapshot;

/// The state of one training run. Buffers are 64-byte aligned; padding is zero.
///
/// Compiled code works on the device's buffers. Everything that reads or writes
/// by name works on the host's, which are the same memory on a CPU; elsewhere
/// `prepareForDevice` and `updateHost` copy what the other side has changed.
class StateStore {
public:
  /// Allocates the buffers of `module`'s manifest and fills in initial values;
  /// parameters are zero until they are written. A null `device` stands for
  /// one that shares the host's memory.
  static llvm::Expected<std::unique_ptr<StateStore>>
  create(ModuleOp module, std::shared_ptr<Device> device);

  ArrayRef<StateAttr> getStates() const { return states; }
  ArrayRef<BufferAttr> getBuffers() const { return buffers; }
  int64_t getBufferBytes(unsigned index) const;

  /// Uploads what the host has changed; before a step.
  llvm::Error prepareForDevice();
  /// The buffer that compiled code is given.
  void *getDeviceBuffer(unsigned index) const;
  /// To be called when a step that returns state was started.
  void setChangedByDevice();
  /// Waits for the device and downloads what it has changed. Everything below
  /// that reads expects it since the last step.
  llvm::Error updateHost();

  /// The state of that name, null if there is none.
  StateAttr find(StringRef name) const;
  /// A copy of a state, and its replacement; the error names what does not fit.
  HostTensor read(StateAttr state) const;
  llvm::Error write(StateAttr state, const HostTensor &tensor);

  /// The f32 elements of a state, in place.
  ArrayRef<float> getF32(StateAttr state) const;
  /// The same to be written.
  MutableArrayRef<float> editF32(StateAttr state);
  /// A rank-0 i64 or f32 state as a number; `otherwise` where it does not
  /// exist.
  double getScalar(StringRef name, double otherwise) const;
  /// All states of a role, in manifest order.
  SmallVector<StateAttr> getByRole(Role role) const;

  /// Asks for the rank-0 states as they are after the steps started so far.
  llvm::Expected<ScalarSnapshot> takeScalars() const;

private:
  friend class ScalarSnapshot;
  struct Free {
    void operator()(char *pointer) const;
  };
  /// Memory on both sides. All rank-0 buffers share the first block, so that
  /// one copy moves them.
  struct Block {
    std::unique_ptr<char, Free> host;
    DeviceBuffer device;
    size_t bytes = 0;
    bool isChangedByHost = true;
  };
  struct Place {
    unsigned block;
    size_t offset;
  };
  llvm::Error allocate();
  char *getAddress(StateAttr state) const;
  char *edit(StateAttr state);
  bool hasDeviceMemory() const { return device && !device->sharesHostMemory(); }

  std::shared_ptr<Device> device;
  SmallVector<StateAttr> states;
  SmallVector<BufferAttr> buffers;
  std::vector<Block> blocks;
  SmallVector<Place> places; // of each buffer
  bool isChangedByDevice = false;
};

/// The rank-0 states at one point of a run; valid when the device has reached
/// it.
class ScalarSnapshot {
public:
  ScalarSnapshot() = default;
  // Never copied: the device writes into `bytes`, which stays in place when the
  // object moves.
  ScalarSnapshot(ScalarSnapshot &&) = default;
  ScalarSnapshot &operator=(ScalarSnapshot &&) = default;

  /// As StateStore::getScalar.
  double get(StringRef name, double otherwise) const;

private:
  friend class StateStore;
  const StateStore *store = nullptr;
  std::vector<char> bytes;
};

/// Bytes of a dense tensor of a static type in memory; an i1 takes a byte.
int64_t getTensorBytes(RankedTensorType type);

} // namespace mlir::amp

#endif // AMP_TRAINING_STATESTORE_H

//===- Device.h - Where compiled code runs -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A runtime context with errors as llvm::Error, its memory, and points in the
// order of its work. Where the context's memory is the host's, compiled code is
// given host memory and nothing is copied.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_DEVICE_H
#define AMP_EXECUTION_DEVICE_H

#include "amp/Support/HostTensor.h"
#include <memory>

struct amp_rt_context;
struct amp_rt_event;

namespace mlir::amp {

class Device : public std::enable_shared_from_this<Device> {
public:
  /// A context for programs compiled for `target`.
  static llvm::Expected<std::shared_ptr<Device>> create(StringRef target);
  ~Device();

  amp_rt_context *getContext() const { return context; }
  /// Whether compiled code may be given any host memory.
  bool sharesHostMemory() const { return isHost; }
  /// Whether nothing of this context can be used any more.
  bool isLost() const;
  /// The newest GPU architecture whose code it runs; of a CPU, the default one.
  std::string getArch() const;
  /// One line: back end, versions, what decides bits.
  std::string getDescription() const;

  /// Copies to and from memory of this device. What is downloaded is written
  /// inside the next synchronize, or DeviceEvent::wait of an event recorded
  /// after the call, and must stay in place until then.
  llvm::Error upload(void *destination, const void *source, size_t bytes);
  llvm::Error download(void *destination, const void *source, size_t bytes);
  llvm::Error fill(void *destination, uint8_t value, size_t bytes);
  /// Waits for all work, and completes downloads.
  llvm::Error synchronize();
  /// Forgets an error, which left everything as it was. Not possible for a
  /// device that is lost.
  void clearError();

private:
  Device() = default;
  friend class DeviceBuffer;
  friend class DeviceEvent;
  /// The context's error for a status that is not 0.
  llvm::Error check(int32_t status) const;

  amp_rt_context *context = nullptr;
  bool isHost = true;
  std::string creationError;
};

/// Memory of a device.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  static llvm::Expected<DeviceBuffer> create(std::shared_ptr<Device> device,
                                             size_t bytes);
  DeviceBuffer(DeviceBuffer &&other) { *this = std::move(other); }
  DeviceBuffer &operator=(DeviceBuffer &&other) {
    std::swap(device, other.device);
    std::swap(pointer, other.pointer);
    return *this;
  }
  ~DeviceBuffer();

  char *get() const { return static_cast<char *>(pointer); }
  explicit operator bool() const { return pointer; }

private:
  std::shared_ptr<Device> device;
  void *pointer = nullptr;
};

/// A point in the order of a device's work.
class DeviceEvent {
public:
  /// Marks the present point; a null device has no work to wait for.
  llvm::Error record(std::shared_ptr<Device> device);
  /// Waits until the point is reached, and completes the downloads before it.
  llvm::Error wait();

  DeviceEvent() = default;
  DeviceEvent(DeviceEvent &&other) { *this = std::move(other); }
  DeviceEvent &operator=(DeviceEvent &&other) {
    std::swap(device, other.device);
    std::swap(event, other.event);
    return *this;
  }
  ~DeviceEvent();

private:
  std::shared_ptr<Device> device;
  amp_rt_event *event = nullptr;
};

} // namespace mlir::amp

#endif // AMP_EXECUTION_DEVICE_H

//===- Device.cpp - Where compiled code runs ------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/Device.h"
#include "amp-rt/amp_rt.h"
#include "amp/Target/CUDA/Arch.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::amp;

llvm::Expected<std::shared_ptr<Device>> Device::create(StringRef target) {
  std::shared_ptr<Device> device(new Device());
  amp_rt_context_options options = {};
  options.struct_size = sizeof(options);
  device->isHost = target != "cuda";
  options.backend = device->isHost ? AMP_RT_BACKEND_CPU : AMP_RT_BACKEND_CUDA;
  // Later errors are read from the context; this is for one that cannot be
  // created.
  options.user = &device->creationError;
  options.on_error = [](void *user, int32_t, const char *message) {
    *static_cast<std::string *>(user) = message;
  };
  if (amp_rt_context_create(&options, &device->context) != AMP_RT_OK)
    return makeError("cannot run on target '" + target +
                     "': " + device->creationError);
  return device;
}

Device::~Device() { amp_rt_context_destroy(context); }

bool Device::isLost() const {
  return amp_rt_last_status(context) == AMP_RT_DEVICE_LOST;
}

std::string Device::getDescription() const {
  std::string text(amp_rt_runtime_info(context, nullptr, 0) + 1, '\0');
  amp_rt_runtime_info(context, text.data(), text.size());
  text.pop_back();
  return text;
}

std::string Device::getArch() const {
  // By the `sm_<number>` of its description.
  std::string text = getDescription();
  StringRef number = StringRef(text).split("sm_").second.take_while(
      [](char c) { return llvm::isDigit(c); });
  unsigned version = 0;
  const Arch *arch =
      number.getAsInteger(10, version) ? nullptr : getArchForDevice(version);
  return (arch ? arch->name : kDefaultArch).str();
}

llvm::Error Device::check(int32_t status) const {
  if (status == AMP_RT_OK)
    return llvm::Error::success();
  return makeError(amp_rt_last_error(context));
}

llvm::Error Device::upload(void *destination, const void *source,
                           size_t bytes) {
  return check(amp_rt_upload(context, destination, source, bytes));
}

llvm::Error Device::download(void *destination, const void *source,
                             size_t bytes) {
  return check(amp_rt_download(context, destination, source, bytes));
}

llvm::Error Device::fill(void *destination, uint8_t value, size_t bytes) {
  return check(amp_rt_fill(context, destination, value, bytes));
}

llvm::Error Device::synchronize() { return check(amp_rt_synchronize(context)); }

void Device::clearError() {
  if (!isLost())
    amp_rt_clear_error(context);
}

llvm::Expected<DeviceBuffer>
DeviceBuffer::create(std::shared_ptr<Device> device, size_t bytes) {
  DeviceBuffer buffer;
  buffer.pointer = amp_rt_alloc(device->context, bytes);
  if (!buffer.pointer)
    return makeError(amp_rt_last_error(device->context));
  buffer.device = std::move(device);
  return buffer;
}

DeviceBuffer::~DeviceBuffer() {
  if (device)
    amp_rt_free(device->context, pointer);
}

llvm::Error DeviceEvent::record(std::shared_ptr<Device> on) {
  if (!on)
    return llvm::Error::success();
  if (!device) {
    if (llvm::Error error = on->check(amp_rt_event_create(on->context, &event)))
      return error;
    device = std::move(on);
  }
  return device->check(amp_rt_event_record(device->context, event));
}

llvm::Error DeviceEvent::wait() {
  if (!device)
    return llvm::Error::success();
  return device->check(amp_rt_event_wait(device->context, event));
}

DeviceEvent::~DeviceEvent() {
  if (device)
    amp_rt_event_destroy(device->context, event);
}

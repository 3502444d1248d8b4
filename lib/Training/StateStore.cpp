//===- StateStore.cpp - Training state in memory --------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Training/StateStore.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::amp;

/// Alignment of buffers, as the compiled code assumes.
static constexpr size_t alignmentBytes = 64;

int64_t amp::getTensorBytes(RankedTensorType type) {
  std::optional<DType> dtype = getDType(type.getElementType());
  return dtype ? type.getNumElements() * getDTypeSize(*dtype) : 0;
}

void StateStore::Free::operator()(char *pointer) const { std::free(pointer); }

int64_t StateStore::getBufferBytes(unsigned index) const {
  return getTensorBytes(buffers[index].getType());
}

/// Fills `bytes` with copies of a scalar.
static llvm::Error fill(MutableArrayRef<char> bytes, StateAttr state) {
  Attribute init = state.getInit();
  if (isa<UnitAttr>(init))
    return llvm::Error::success();
  SmallVector<char> element;
  auto set = [&](auto value) {
    element.resize(sizeof(value));
    std::memcpy(element.data(), &value, sizeof(value));
  };
  if (auto number = dyn_cast<FloatAttr>(init)) {
    if (number.getType().isF32())
      set(number.getValue().convertToFloat());
    else if (number.getType().isF64())
      set(number.getValueAsDouble());
    else
      set(static_cast<uint16_t>(
          number.getValue().bitcastToAPInt().getZExtValue()));
  } else if (auto integer = dyn_cast<IntegerAttr>(init)) {
    set(integer.getValue().getSExtValue());
    element.resize(getDTypeSize(*getDType(integer.getType())));
  } else {
    return makeError("state '" + state.getName().getValue() +
                     "' has no initial value that can be stored");
  }
  for (size_t at = 0; at + element.size() <= bytes.size(); at += element.size())
    std::memcpy(bytes.data() + at, element.data(), element.size());
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<StateStore>>
StateStore::create(ModuleOp module, std::shared_ptr<Device> device) {
  auto store = std::make_unique<StateStore>();
  auto states = module->getAttrOfType<ArrayAttr>(kStateAttrName);
  auto buffers = module->getAttrOfType<ArrayAttr>(kBuffersAttrName);
  if (!states || !buffers)
    return makeError("the module has no state manifest");
  store->device = std::move(device);
  store->states = llvm::to_vector(states.getAsRange<StateAttr>());
  store->buffers = llvm::to_vector(buffers.getAsRange<BufferAttr>());
  if (llvm::Error error = store->allocate())
    return std::move(error);
  for (StateAttr state : store->states)
    if (llvm::Error error = fill(
            {store->getAddress(state), size_t(getTensorBytes(state.getType()))},
            state))
      return std::move(error);
  return store;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Error StateStore::allocate() {
  blocks.emplace_back();
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    size_t bytes = llvm::alignTo(std::max<int64_t>(getBufferBytes(index), 1),
                                 alignmentBytes);
    if (buffer.getType().getRank() == 0) {
      places.push_back({0, blocks.front().bytes});
      blocks.front().bytes += bytes;
    } else {
      places.push_back({unsigned(blocks.size()), 0});
      blocks.emplace_back();
      blocks.back().bytes = bytes;
    }
  }
  for (Block &block : blocks) {
    block.host.reset(static_cast<char *>(std::aligned_alloc(
        alignmentBytes, std::max(block.bytes, alignmentBytes))));
    if (!block.host)
      return makeError("cannot allocate " + llvm::Twine(block.bytes) +
                       " bytes of state");
    std::memset(block.host.get(), 0, block.bytes);
    if (!hasDeviceMemory())
      continue;
    llvm::Expected<DeviceBuffer> created =
        DeviceBuffer::create(device, block.bytes);
    if (!created)
      return created.takeError();
    block.device = std::move(*created);
  }
  return llvm::Error::success();
}

llvm::Error StateStore::prepareForDevice() {
  if (!hasDeviceMemory())
    return llvm::Error::success();
  for (Block &block : blocks) {
    if (!block.isChangedByHost)
      continue;
    if (llvm::Error error =
            device->upload(block.device.get(), block.host.get(), block.bytes))
      return error;
    block.isChangedByHost = false;
  }
  return llvm::Error::success();
}

void *StateStore::getDeviceBuffer(unsigned index) const {
  const Block &block = blocks[places[index].block];
  char *base = block.device ? block.device.get() : block.host.get();
  return base + places[index].offset;
}

void StateStore::setChangedByDevice() { isChangedByDevice = hasDeviceMemory(); }

llvm::Error StateStore::updateHost() {
  if (!isChangedByDevice)
    return llvm::Error::success();
  for (Block &block : blocks)
    if (llvm::Error error =
            device->download(block.host.get(), block.device.get(), block.bytes))
      return error;
  if (llvm::Error error = device->synchronize())
    return error;
  isChangedByDevice = false;
  return llvm::Error::success();
}

char *StateStore::getAddress(StateAttr state) const {
  assert(!isChangedByDevice && "updateHost comes before reading");
  unsigned size = getDTypeSize(*getDType(state.getType().getElementType()));
  const Place &place = places[state.getBuffer()];
  return blocks[place.block].host.get() + place.offset +
         state.getOffset() * size;
}

char *StateStore::edit(StateAttr state) {
  blocks[places[state.getBuffer()].block].isChangedByHost = true;
  return getAddress(state);
}

//===----------------------------------------------------------------------===//
// States by name
//===----------------------------------------------------------------------===//

StateAttr StateStore::find(StringRef name) const {
  for (StateAttr state : states)
    if (state.getName().getValue() == name)
      return state;
  return StateAttr();
}

HostTensor StateStore::read(StateAttr state) const {
  HostTensor tensor = HostTensor::zeros(
      *getDType(state.getType().getElementType()), state.getType().getShape());
  std::memcpy(tensor.data.data(), getAddress(state), tensor.data.size());
  return tensor;
}

llvm::Error StateStore::write(StateAttr state, const HostTensor &tensor) {
  HostTensor expected;
  expected.dtype = *getDType(state.getType().getElementType());
  expected.shape.assign(state.getType().getShape().begin(),
                        state.getType().getShape().end());
  if (tensor.dtype != expected.dtype || tensor.shape != expected.shape)
    return makeError("expects '" + state.getName().getValue() + "' to be " +
                     expected.getTypeString() + ", but got " +
                     tensor.getTypeString());
  std::memcpy(edit(state), tensor.data.data(), tensor.data.size());
  return llvm::Error::success();
}

ArrayRef<float> StateStore::getF32(StateAttr state) const {
  return {reinterpret_cast<const float *>(getAddress(state)),
          static_cast<size_t>(state.getType().getNumElements())};
}

MutableArrayRef<float> StateStore::editF32(StateAttr state) {
  return {reinterpret_cast<float *>(edit(state)),
          static_cast<size_t>(state.getType().getNumElements())};
}

/// A rank-0 f32 or i64 as a number.
static double toNumber(StateAttr state, const char *bytes) {
  if (state.getType().getElementType().isF32()) {
    float number;
    std::memcpy(&number, bytes, sizeof(number));
    return number;
  }
  int64_t integer;
  std::memcpy(&integer, bytes, sizeof(integer));
  return static_cast<double>(integer);
}

double StateStore::getScalar(StringRef name, double otherwise) const {
  StateAttr state = find(name);
  return state ? toNumber(state, getAddress(state)) : otherwise;
}

llvm::Expected<ScalarSnapshot> StateStore::takeScalars() const {
  const Block &block = blocks.front();
  ScalarSnapshot snapshot;
  snapshot.store = this;
  snapshot.bytes.resize(block.bytes);
  if (!isChangedByDevice)
    std::memcpy(snapshot.bytes.data(), block.host.get(), block.bytes);
  else if (llvm::Error error = device->download(
               snapshot.bytes.data(), block.device.get(), block.bytes))
    return std::move(error);
  return snapshot;
}

double ScalarSnapshot::get(StringRef name, double otherwise) const {
  StateAttr state = store->find(name);
  if (!state)
    return otherwise;
  return toNumber(state,
                  bytes.data() + store->places[state.getBuffer()].offset);
}

SmallVector<StateAttr> StateStore::getByRole(Role role) const {
  SmallVector<StateAttr> found;
  for (StateAttr state : states)
    if (state.getRole() == role)
      found.push_back(state);
  return found;
}

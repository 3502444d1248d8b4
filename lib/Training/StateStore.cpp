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
StateStore::create(ModuleOp module) {
  auto store = std::make_unique<StateStore>();
  auto states = module->getAttrOfType<ArrayAttr>(kStateAttrName);
  auto buffers = module->getAttrOfType<ArrayAttr>(kBuffersAttrName);
  if (!states || !buffers)
    return makeError("the module has no state manifest");
  store->states = llvm::to_vector(states.getAsRange<StateAttr>());
  store->buffers = llvm::to_vector(buffers.getAsRange<BufferAttr>());
  for (unsigned index = 0; index < store->buffers.size(); ++index) {
    size_t bytes = llvm::alignTo(
        std::max<int64_t>(store->getBufferBytes(index), 1), alignmentBytes);
    auto *pointer =
        static_cast<char *>(std::aligned_alloc(alignmentBytes, bytes));
    if (!pointer)
      return makeError("cannot allocate " + llvm::Twine(bytes) +
                       " bytes for buffer '" +
                       store->buffers[index].getName().getValue() + "'");
    std::memset(pointer, 0, bytes);
    store->memory.emplace_back(pointer);
  }
  for (StateAttr state : store->states)
    if (llvm::Error error = fill(
            {store->getAddress(state), size_t(getTensorBytes(state.getType()))},
            state))
      return std::move(error);
  return store;
}

char *StateStore::getAddress(StateAttr state) const {
  unsigned size = getDTypeSize(*getDType(state.getType().getElementType()));
  return memory[state.getBuffer()].get() + state.getOffset() * size;
}

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
  std::memcpy(getAddress(state), tensor.data.data(), tensor.data.size());
  return llvm::Error::success();
}

MutableArrayRef<float> StateStore::getF32(StateAttr state) const {
  return {reinterpret_cast<float *>(getAddress(state)),
          static_cast<size_t>(state.getType().getNumElements())};
}

double StateStore::getScalar(StringRef name, double otherwise) const {
  StateAttr state = find(name);
  if (!state)
    return otherwise;
  if (state.getType().getElementType().isF32())
    return getF32(state).front();
  int64_t integer;
  std::memcpy(&integer, getAddress(state), sizeof(integer));
  return static_cast<double>(integer);
}

SmallVector<StateAttr> StateStore::getByRole(Role role) const {
  SmallVector<StateAttr> found;
  for (StateAttr state : states)
    if (state.getRole() == role)
      found.push_back(state);
  return found;
}

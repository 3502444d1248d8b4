//===- TensorSource.cpp - Tensors of a command line -----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/TensorSource.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Execution/TensorValues.h"
#include "amp/Support/Npy.h"
#include "amp/Support/Safetensors.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

llvm::Expected<TensorSource> TensorSource::read(StringRef paths,
                                                StringRef prefix) {
  TensorSource source;
  source.description = paths.str();
  source.prefix = prefix.str();
  SmallVector<StringRef> list;
  paths.split(list, ',');
  for (StringRef path : list) {
    if (path.ends_with(".npy")) {
      llvm::Expected<HostTensor> tensor = readNpy(path);
      if (!tensor)
        return tensor.takeError();
      source.tensors.push_back({path.str(), std::move(*tensor)});
      continue;
    }
    if (!path.ends_with(".safetensors"))
      return makeError("expects .safetensors or .npy files, but got '" + path +
                       "'");
    llvm::Expected<SafetensorsFile> file = readSafetensors(path);
    if (!file)
      return file.takeError();
    for (NamedTensor &named : file->tensors)
      if (StringRef(named.name).starts_with(prefix))
        source.tensors.push_back(
            {named.name.substr(prefix.size()), std::move(named.tensor)});
  }
  return source;
}

const HostTensor *TensorSource::find(StringRef name) const {
  for (const NamedTensor &named : tensors)
    if (!name.empty() && named.name == name)
      return &named.tensor;
  return nullptr;
}

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

llvm::Error amp::checkTensorType(const HostTensor &tensor, Type type,
                                 const llvm::Twine &where,
                                 MLIRContext *context) {
  RankedTensorType actual = getTensorType(tensor, context);
  if (isa<RankedTensorType>(type) &&
      getElementTypeOrSelf(type) == actual.getElementType() &&
      succeeded(verifyCompatibleShape(type, actual)))
    return llvm::Error::success();
  return makeError(where + " expects " + printType(type) + ", but got " +
                   printType(actual));
}

llvm::Expected<SmallVector<HostTensor>>
TensorSource::select(ArrayRef<TensorSlot> slots, MLIRContext *context) const {
  auto hasNumber = [&](const TensorSlot &slot) {
    return find(slot.numbered) != nullptr;
  };
  auto hasName = [&](const TensorSlot &slot) {
    return find(slot.name) != nullptr;
  };
  bool byNumber = llvm::all_of(slots, hasNumber);
  bool byName = !byNumber && llvm::all_of(slots, hasName);
  bool byOrder = !byNumber && !byName && tensors.size() == slots.size() &&
                 llvm::none_of(slots, hasNumber) &&
                 llvm::none_of(slots, hasName);
  SmallVector<HostTensor> selected;
  for (auto [index, slot] : llvm::enumerate(slots)) {
    // A mixture is taken slot by slot, so that the error names what is missing.
    const HostTensor *tensor = byOrder ? &tensors[index].tensor
                               : byNumber || !hasName(slot)
                                   ? find(slot.numbered)
                                   : find(slot.name);
    if (!tensor)
      return makeError(
          "'" + description + "' has no tensor '" + prefix + slot.numbered +
          (slot.name.empty() ? "'" : "' or '" + prefix + slot.name + "'"));
    std::string where = byOrder
                            ? "'" + slot.numbered + "' of '" + description + "'"
                            : "'" + prefix + slot.numbered + "'";
    if (llvm::Error error = checkTensorType(*tensor, slot.type, where, context))
      return std::move(error);
    selected.push_back(*tensor);
  }
  return selected;
}

static TensorSlot getSlot(StringRef kind, unsigned index, StringAttr name,
                          Type type) {
  return {(kind + Twine(index)).str(), name ? name.str() : std::string(), type};
}

SmallVector<TensorSlot> amp::getArgumentSlots(func::FuncOp function) {
  SmallVector<TensorSlot> slots;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    slots.push_back(getSlot(
        "in", index,
        function.getArgAttrOfType<StringAttr>(index, kNameAttrName), type));
  return slots;
}

SmallVector<TensorSlot> amp::getResultSlots(func::FuncOp function) {
  SmallVector<TensorSlot> slots;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    slots.push_back(getSlot(
        "out", index,
        function.getResultAttrOfType<StringAttr>(index, kNameAttrName), type));
  return slots;
}

//===- Dataset.cpp - Inputs and targets of training ------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the tensors that a model's arguments name, and says what is wrong with
// them.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Dataset.h"
#include "amp/Support/Npy.h"
#include "amp/Support/Safetensors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cassert>
#include <cstring>

using namespace mlir;
using namespace mlir::amp;

static const HostTensor *findTensor(ArrayRef<NamedTensor> tensors,
                                    StringRef name) {
  for (const NamedTensor &named : tensors)
    if (named.name == name)
      return &named.tensor;
  return nullptr;
}

const HostTensor *Dataset::find(StringRef name) const {
  return findTensor(fields, name);
}

const HostTensor *DataSource::find(StringRef name) const {
  return findTensor(tensors, name);
}

/// The .npy files of a directory, sorted.
static llvm::Expected<std::vector<std::string>>
listNpyFiles(StringRef directory) {
  std::vector<std::string> files;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(directory, code), end;
       it != end && !code; it.increment(code))
    if (StringRef(it->path()).ends_with(".npy"))
      files.push_back(it->path());
  if (code)
    return makeError("cannot read data directory '" + directory +
                     "': " + code.message());
  if (files.empty())
    return makeError("expects .npy files in data directory '" + directory +
                     "', but found none");
  llvm::sort(files);
  return files;
}

static llvm::Error readFile(StringRef path, std::vector<NamedTensor> &tensors) {
  if (path.ends_with(".npy")) {
    llvm::Expected<HostTensor> tensor = readNpy(path);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back({llvm::sys::path::stem(path).str(), std::move(*tensor)});
    return llvm::Error::success();
  }
  if (!path.ends_with(".safetensors"))
    return makeError("expects data in a .safetensors or .npy file, but got '" +
                     path + "'");
  llvm::Expected<SafetensorsFile> file = readSafetensors(path);
  if (!file)
    return file.takeError();
  for (NamedTensor &named : file->tensors)
    tensors.push_back(std::move(named));
  return llvm::Error::success();
}

llvm::Expected<DataSource> DataSource::read(StringRef paths) {
  DataSource source;
  source.description = paths.str();
  for (StringRef path : llvm::split(paths, ',')) {
    std::vector<std::string> files = {path.str()};
    if (llvm::sys::fs::is_directory(path)) {
      llvm::Expected<std::vector<std::string>> listed = listNpyFiles(path);
      if (!listed)
        return listed.takeError();
      files = std::move(*listed);
    }
    for (StringRef file : files)
      if (llvm::Error error = readFile(file, source.tensors))
        return std::move(error);
  }
  llvm::StringMap<bool> seen;
  for (const NamedTensor &named : source.tensors)
    if (!seen.try_emplace(named.name).second)
      return makeError("tensor '" + named.name + "' occurs twice in data '" +
                       paths + "'");
  return source;
}

bool DataSource::hasSplit(StringRef split) const {
  return llvm::any_of(tensors, [&](const NamedTensor &named) {
    return StringRef(named.name).starts_with((split + ".").str());
  });
}

/// Checks the shape against the model's type; the leading dimension is free.
static llvm::Error checkShape(const HostTensor &tensor,
                              const DataField &field) {
  ArrayRef<int64_t> wanted = field.type.getShape();
  if (wanted.empty())
    return makeError("argument '" + field.name +
                     "' of the model has rank 0 and no rows");
  bool fits = tensor.shape.size() == wanted.size();
  for (size_t i = 1; fits && i < wanted.size(); ++i)
    fits = ShapedType::isDynamic(wanted[i]) || wanted[i] == tensor.shape[i];
  if (fits)
    return llvm::Error::success();
  std::string text = "?";
  for (int64_t size : wanted.drop_front())
    text += "x" + (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return makeError("expects shape " + text + " for argument '" + field.name +
                   "' of the model, but got " + tensor.getTypeString());
}

static llvm::Expected<HostTensor> fit(const HostTensor &tensor,
                                      const DataField &field) {
  if (llvm::Error error = checkShape(tensor, field))
    return std::move(error);
  std::optional<DType> dtype = getDType(field.type.getElementType());
  if (!dtype)
    return makeError(
        "argument '" + field.name +
        "' of the model has an element type that files have no name for");
  return convertExactly(tensor, *dtype);
}

llvm::Expected<Dataset> DataSource::select(StringRef split,
                                           ArrayRef<DataField> fields) const {
  Dataset dataset;
  for (const DataField &field : fields) {
    std::string name = (split + "." + field.name).str();
    const HostTensor *tensor = find(name);
    if (!tensor && split == "train") {
      tensor = find(field.name);
      name = tensor ? field.name : name;
    }
    if (!tensor) {
      std::vector<std::string> names;
      for (const NamedTensor &named : tensors)
        names.push_back("'" + named.name + "'");
      return makeError("data '" + description + "' has no tensor '" + name +
                       "' for argument '" + field.name +
                       "' of the model; it has " + llvm::join(names, ", "));
    }
    llvm::Expected<HostTensor> fitted = fit(*tensor, field);
    if (!fitted)
      return makeError("data '" + description + "': tensor '" + name +
                       "': " + llvm::toString(fitted.takeError()));
    if (dataset.fields.empty())
      dataset.rows = fitted->shape.front();
    else if (fitted->shape.front() != dataset.rows)
      return makeError("data '" + description + "': tensor '" + name +
                       "' has " + llvm::Twine(fitted->shape.front()) +
                       " rows, but '" + dataset.fields.front().name + "' has " +
                       llvm::Twine(dataset.rows));
    dataset.fields.push_back({field.name, std::move(*fitted)});
  }
  return dataset;
}

llvm::Error amp::checkClassTargets(const NamedTensor &targets, int64_t classes,
                                   std::optional<int64_t> ignoreIndex) {
  llvm::Expected<HostTensor> wide = convertExactly(targets.tensor, DType::I64);
  if (!wide)
    return makeError(
        "targets '" + targets.name +
        "': expects integer classes: " + llvm::toString(wide.takeError()));
  for (int64_t i = 0, e = wide->getNumElements(); i < e; ++i) {
    int64_t value;
    std::memcpy(&value, wide->data.data() + i * sizeof(value), sizeof(value));
    if ((value >= 0 && value < classes) || value == ignoreIndex)
      continue;
    std::string ignored =
        ignoreIndex ? " or the ignored " + std::to_string(*ignoreIndex) : "";
    return makeError("targets '" + targets.name + "': expects classes in [0, " +
                     llvm::Twine(classes) + ")" + ignored + ", but element " +
                     llvm::Twine(i) + " is " + llvm::Twine(value));
  }
  return llvm::Error::success();
}

std::string amp::hashDataset(const Dataset &dataset) {
  std::string digests;
  for (const NamedTensor &named : dataset.fields) {
    const HostTensor &tensor = named.tensor;
    uint64_t hash =
        llvm::xxh3_64bits(StringRef(tensor.data.data(), tensor.data.size()));
    digests += named.name + ":" + tensor.getTypeString() + ":" +
               llvm::utohexstr(hash) + ";";
  }
  return llvm::utohexstr(llvm::xxh3_64bits(StringRef(digests)),
                         /*LowerCase=*/true,
                         /*Width=*/16);
}

int64_t amp::getRowBytes(const HostTensor &tensor) {
  return getElementCount(ArrayRef(tensor.shape).drop_front()).value_or(0) *
         getDTypeSize(tensor.dtype);
}

void amp::gatherRows(const HostTensor &tensor, ArrayRef<int64_t> rows,
                     MutableArrayRef<char> out) {
  int64_t bytes = getRowBytes(tensor);
  assert(static_cast<int64_t>(out.size()) ==
             bytes * static_cast<int64_t>(rows.size()) &&
         "the buffer has another size");
  char *place = out.data();
  for (int64_t row : rows) {
    assert(row >= 0 && row < tensor.shape.front() && "no such row");
    std::memcpy(place, tensor.data.data() + row * bytes, bytes);
    place += bytes;
  }
}

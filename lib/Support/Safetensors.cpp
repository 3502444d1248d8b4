//===- Safetensors.cpp - Reading and writing safetensors files ------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is checked completely before any data is touched: length, JSON,
// element types, shapes, and offsets that cover the data without gap or
// overlap.
//
//===----------------------------------------------------------------------===//

#include "amp/Support/Safetensors.h"
#include "amp/Support/PythonJSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::amp;

/// Bytes of the length field before the header.
static constexpr uint64_t lengthBytes = 8;
/// The reference implementation's bound on the header.
static constexpr uint64_t maxHeaderBytes = 100'000'000;

const HostTensor *SafetensorsFile::find(StringRef name) const {
  for (const NamedTensor &named : tensors)
    if (named.name == name)
      return &named.tensor;
  return nullptr;
}

namespace {
/// One entry of the header, checked.
struct Entry {
  std::string name;
  DType dtype;
  SmallVector<int64_t> shape;
  uint64_t begin, end;
};
} // namespace

static llvm::Expected<Entry> parseEntry(StringRef name,
                                        const llvm::json::Value &value) {
  auto fail = [&](const llvm::Twine &what) {
    return makeError("tensor '" + name + "': " + what);
  };
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return fail("expects an object");
  std::optional<StringRef> dtypeName = object->getString("dtype");
  if (!dtypeName)
    return fail("expects a string 'dtype'");
  Entry entry;
  entry.name = name.str();
  std::optional<DType> dtype = parseDType(*dtypeName);
  if (!dtype)
    return fail("unknown dtype '" + *dtypeName + "'");
  entry.dtype = *dtype;
  const llvm::json::Array *shape = object->getArray("shape");
  if (!shape)
    return fail("expects an array 'shape'");
  for (const llvm::json::Value &size : *shape) {
    std::optional<int64_t> integer = size.getAsInteger();
    if (!integer || *integer < 0)
      return fail("expects non-negative integers in 'shape'");
    entry.shape.push_back(*integer);
  }
  const llvm::json::Array *offsets = object->getArray("data_offsets");
  if (!offsets || offsets->size() != 2)
    return fail("expects two 'data_offsets'");
  std::optional<int64_t> begin = (*offsets)[0].getAsInteger();
  std::optional<int64_t> end = (*offsets)[1].getAsInteger();
  if (!begin || !end || *begin < 0 || *end < *begin)
    return fail("expects increasing, non-negative 'data_offsets'");
  entry.begin = *begin;
  entry.end = *end;
  std::optional<int64_t> count = getElementCount(entry.shape);
  int64_t bytes = 0;
  if (!count ||
      __builtin_mul_overflow(*count, (int64_t)getDTypeSize(*dtype), &bytes) ||
      uint64_t(bytes) != entry.end - entry.begin)
    return fail("expects data of the shape's size, but got " +
                llvm::Twine(entry.end - entry.begin) + " bytes");
  return entry;
}

static llvm::Expected<SafetensorsFile> parseChecked(StringRef bytes) {
  if (bytes.size() < lengthBytes)
    return makeError("expects at least 8 bytes, but got " +
                     llvm::Twine(bytes.size()));
  uint64_t headerBytes = llvm::support::endian::read64le(bytes.data());
  if (headerBytes > maxHeaderBytes || headerBytes > bytes.size() - lengthBytes)
    return makeError("header of " + llvm::Twine(headerBytes) +
                     " bytes exceeds the file's " + llvm::Twine(bytes.size()));
  llvm::Expected<llvm::json::Value> header =
      parseShallowJSON(bytes.substr(lengthBytes, headerBytes));
  if (!header)
    return makeError("malformed header: " + llvm::toString(header.takeError()));
  const llvm::json::Object *object = header->getAsObject();
  if (!object)
    return makeError("malformed header: expects an object");

  SafetensorsFile file;
  std::vector<Entry> entries;
  for (const auto &[key, value] : *object) {
    if (key == "__metadata__") {
      const llvm::json::Object *metadata = value.getAsObject();
      if (!metadata)
        return makeError("malformed header: expects an object '__metadata__'");
      for (const auto &[name, text] : *metadata) {
        std::optional<StringRef> string = text.getAsString();
        if (!string)
          return makeError(
              "malformed header: expects strings in '__metadata__'");
        file.metadata[name.str()] = string->str();
      }
      continue;
    }
    llvm::Expected<Entry> entry = parseEntry(key, value);
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
  }
  // Empty tensors share an offset with their neighbour: the name decides.
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  StringRef data = bytes.drop_front(lengthBytes + headerBytes);
  uint64_t expected = 0;
  for (const Entry &entry : entries) {
    if (entry.begin != expected)
      return makeError(
          "tensor '" + entry.name + "': expects data to start at byte " +
          llvm::Twine(expected) + ", but got " + llvm::Twine(entry.begin));
    expected = entry.end;
  }
  if (expected != data.size())
    return makeError("expects " + llvm::Twine(expected) +
                     " bytes of data, but got " + llvm::Twine(data.size()));
  for (Entry &entry : entries) {
    StringRef slice = data.slice(entry.begin, entry.end);
    file.tensors.push_back(
        {std::move(entry.name),
         HostTensor{entry.dtype, std::move(entry.shape),
                    std::vector<char>(slice.begin(), slice.end())}});
  }
  return file;
}

llvm::Expected<SafetensorsFile> amp::parseSafetensors(StringRef bytes,
                                                      StringRef path) {
  llvm::Expected<SafetensorsFile> file = parseChecked(bytes);
  if (!file)
    return makeError("cannot read '" + path +
                     "' as safetensors: " + llvm::toString(file.takeError()));
  return file;
}

llvm::Expected<SafetensorsFile> amp::readSafetensors(StringRef path) {
  llvm::Expected<std::string> bytes = readFileBytes(path);
  if (!bytes)
    return bytes.takeError();
  return parseSafetensors(*bytes, path);
}

std::string amp::serializeSafetensors(const SafetensorsFile &file) {
  std::string header;
  llvm::raw_string_ostream stream(header);
  llvm::json::OStream json(stream);
  json.objectBegin();
  if (!file.metadata.empty())
    json.attributeObject("__metadata__", [&] {
      for (const auto &[name, text] : file.metadata)
        json.attribute(name, text);
    });
  int64_t offset = 0;
  for (const NamedTensor &named : file.tensors) {
    int64_t end = offset + named.tensor.data.size();
    json.attributeObject(named.name, [&] {
      json.attribute("dtype", getDTypeName(named.tensor.dtype));
      json.attribute("shape", llvm::json::Array(named.tensor.shape));
      json.attribute("data_offsets", llvm::json::Array{offset, end});
    });
    offset = end;
  }
  json.objectEnd();
  stream.flush();
  // Spaces keep the data aligned to eight bytes.
  header.append((lengthBytes - header.size() % lengthBytes) % lengthBytes, ' ');
  std::string bytes(lengthBytes, '\0');
  llvm::support::endian::write64le(bytes.data(), header.size());
  bytes += header;
  bytes.reserve(bytes.size() + offset);
  for (const NamedTensor &named : file.tensors)
    bytes.append(named.tensor.data.begin(), named.tensor.data.end());
  return bytes;
}

llvm::Error amp::writeSafetensors(StringRef path, const SafetensorsFile &file) {
  return writeFileDurably(path, serializeSafetensors(file));
}

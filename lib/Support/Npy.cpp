//===- Npy.cpp - Reading and writing .npy files ---------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is a Python dictionary literal with three known keys; only that
// much of the language is read.
//
//===----------------------------------------------------------------------===//

#include "amp/Support/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
struct Descr {
  DType dtype;
  const char *descr;
};
} // namespace

static constexpr Descr descrTable[] = {
    {DType::F64, "<f8"}, {DType::F32, "<f4"}, {DType::F16, "<f2"},
    {DType::I64, "<i8"}, {DType::I32, "<i4"}, {DType::I16, "<i2"},
    {DType::I8, "|i1"},  {DType::U64, "<u8"}, {DType::U32, "<u4"},
    {DType::U16, "<u2"}, {DType::U8, "|u1"},  {DType::BOOL, "|b1"},
};

static constexpr StringLiteral magic = "\x93NUMPY";

/// The text after `'key':`, none where the key is missing.
static std::optional<StringRef> findValue(StringRef header, StringRef key) {
  for (char quote : {'\'', '"'}) {
    std::string quoted = (llvm::Twine(quote) + key + llvm::Twine(quote)).str();
    size_t position = header.find(quoted);
    if (position == StringRef::npos)
      continue;
    StringRef rest = header.drop_front(position + quoted.size()).ltrim();
    if (rest.consume_front(":"))
      return rest.ltrim();
  }
  return std::nullopt;
}

static llvm::Expected<SmallVector<int64_t>> parseShape(StringRef text) {
  if (!text.consume_front("("))
    return makeError("malformed header: expects a tuple 'shape'");
  size_t close = text.find(')');
  if (close == StringRef::npos)
    return makeError("malformed header: expects ')' after 'shape'");
  SmallVector<StringRef> parts;
  text.take_front(close).split(parts, ',', /*MaxSplit=*/-1,
                               /*KeepEmpty=*/false);
  SmallVector<int64_t> shape;
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty())
      continue;
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return makeError("malformed header: '" + part + "' is no size");
    shape.push_back(size);
  }
  return shape;
}

static llvm::Expected<HostTensor> parseChecked(StringRef bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < 10)
    return makeError("expects the magic bytes of NumPy");
  unsigned version = static_cast<uint8_t>(bytes[6]);
  if (version < 1 || version > 3)
    return makeError("unknown format version " + llvm::Twine(version));
  size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start)
    return makeError("the header is cut off");
  uint64_t length = version == 1
                        ? llvm::support::endian::read16le(bytes.data() + 8)
                        : llvm::support::endian::read32le(bytes.data() + 8);
  if (length > bytes.size() - start)
    return makeError("the header is cut off");
  StringRef header = bytes.substr(start, length);
  StringRef data = bytes.drop_front(start + length);

  std::optional<StringRef> descr = findValue(header, "descr");
  std::optional<StringRef> order = findValue(header, "fortran_order");
  std::optional<StringRef> shapeText = findValue(header, "shape");
  if (!descr || !order || !shapeText)
    return makeError(
        "malformed header: expects 'descr', 'fortran_order' and 'shape'");
  HostTensor tensor;
  StringRef descrText = descr->drop_front(descr->empty() ? 0 : 1);
  descrText =
      descrText.take_until([](char c) { return c == '\'' || c == '"'; });
  bool known = false;
  for (const Descr &entry : descrTable) {
    if (descrText != entry.descr)
      continue;
    tensor.dtype = entry.dtype;
    known = true;
  }
  if (!known)
    return makeError("element type '" + descrText + "' is not supported");
  llvm::Expected<SmallVector<int64_t>> shape = parseShape(*shapeText);
  if (!shape)
    return shape.takeError();
  tensor.shape = std::move(*shape);
  if (!order->starts_with("False") && tensor.shape.size() > 1)
    return makeError("Fortran order is not supported: save a C-ordered array");
  std::optional<int64_t> count = getElementCount(tensor.shape);
  int64_t expected = 0;
  if (!count || __builtin_mul_overflow(
                    *count, (int64_t)getDTypeSize(tensor.dtype), &expected))
    return makeError("the shape overflows");
  if (uint64_t(expected) != data.size())
    return makeError("expects " + llvm::Twine(expected) +
                     " bytes of data, but got " + llvm::Twine(data.size()));
  tensor.data.assign(data.begin(), data.end());
  return tensor;
}

llvm::Expected<HostTensor> amp::parseNpy(StringRef bytes, StringRef path) {
  llvm::Expected<HostTensor> tensor = parseChecked(bytes);
  if (!tensor)
    return makeError("cannot read '" + path +
                     "' as npy: " + llvm::toString(tensor.takeError()));
  return tensor;
}

llvm::Expected<HostTensor> amp::readNpy(StringRef path) {
  llvm::Expected<std::string> bytes = readFileBytes(path);
  if (!bytes)
    return bytes.takeError();
  return parseNpy(*bytes, path);
}

llvm::Expected<std::string> amp::serializeNpy(const HostTensor &tensor) {
  StringRef descr;
  for (const Descr &entry : descrTable)
    if (entry.dtype == tensor.dtype)
      descr = entry.descr;
  if (descr.empty())
    return makeError("npy has no element type '" + getDTypeName(tensor.dtype) +
                     "': write a .safetensors file");
  std::string header =
      ("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (").str();
  for (int64_t size : tensor.shape)
    header += std::to_string(size) + ",";
  if (tensor.shape.size() > 1)
    header.pop_back();
  header += "), }";
  // The data starts at a multiple of 64 bytes; the header ends with a newline.
  size_t prefix = magic.size() + 4;
  header.append((64 - (prefix + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string bytes = magic.str();
  bytes += '\1';
  bytes += '\0';
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  bytes.append(length, 2);
  bytes += header;
  bytes.append(tensor.data.begin(), tensor.data.end());
  return bytes;
}

llvm::Error amp::writeNpy(StringRef path, const HostTensor &tensor) {
  llvm::Expected<std::string> bytes = serializeNpy(tensor);
  if (!bytes)
    return bytes.takeError();
  return writeFileDurably(path, *bytes);
}

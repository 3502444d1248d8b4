//===- PythonJSON.cpp - JSON as Python writes it --------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bare non-finite tokens outside strings are rewritten to marker strings that
// do not occur in the text, and the parsed markers to numbers.
//
//===----------------------------------------------------------------------===//

#include "amp/Support/PythonJSON.h"
#include "amp/Support/HostTensor.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;

namespace {
struct Token {
  StringLiteral text;
  double value;
};
} // namespace

// The longer token first: `-Infinity` contains `Infinity`.
static constexpr Token tokens[] = {
    {"-Infinity", -std::numeric_limits<double>::infinity()},
    {"Infinity", std::numeric_limits<double>::infinity()},
    {"NaN", std::numeric_limits<double>::quiet_NaN()},
};

/// A prefix for markers that no string of `text` can start with.
static std::string chooseMarker(StringRef text) {
  std::string marker = "non-finite:";
  while (text.contains(marker))
    marker.insert(0, "~");
  return marker;
}

static std::string rewriteTokens(StringRef text, StringRef marker) {
  std::string result;
  result.reserve(text.size());
  bool inString = false;
  while (!text.empty()) {
    char c = text.front();
    if (inString && c == '\\' && text.size() > 1) {
      result += text.take_front(2);
      text = text.drop_front(2);
      continue;
    }
    if (c == '"')
      inString = !inString;
    bool replaced = false;
    for (const Token &token : tokens) {
      if (inString || !text.starts_with(token.text))
        continue;
      char next =
          text.size() > token.text.size() ? text[token.text.size()] : ' ';
      char before = result.empty() ? ' ' : result.back();
      if (llvm::isAlnum(next) || llvm::isAlnum(before))
        continue;
      result += ("\"" + marker + token.text + "\"").str();
      text = text.drop_front(token.text.size());
      replaced = true;
      break;
    }
    if (replaced)
      continue;
    result += c;
    text = text.drop_front();
  }
  return result;
}

static void restoreNumbers(llvm::json::Value &value, StringRef marker) {
  if (llvm::json::Object *object = value.getAsObject()) {
    for (auto &[key, member] : *object)
      restoreNumbers(member, marker);
    return;
  }
  if (llvm::json::Array *array = value.getAsArray()) {
    for (llvm::json::Value &element : *array)
      restoreNumbers(element, marker);
    return;
  }
  std::optional<StringRef> string = value.getAsString();
  if (!string || !string->starts_with(marker))
    return;
  StringRef name = string->drop_front(marker.size());
  for (const Token &token : tokens) {
    if (name == token.text) {
      value = token.value;
      return;
    }
  }
}

/// Deeper than manifests and recorded cases, which have five levels.
static constexpr unsigned maxDepth = 64;

llvm::Expected<llvm::json::Value> amp::parseShallowJSON(StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      i += c == '\\';
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > maxDepth)
        return makeError("expects values nested at most " +
                         llvm::Twine(maxDepth) + " deep");
    } else if ((c == ']' || c == '}') && depth != 0) {
      --depth;
    }
  }
  return llvm::json::parse(text);
}

llvm::Expected<llvm::json::Value> amp::parsePythonJSON(StringRef text) {
  std::string marker = chooseMarker(text);
  llvm::Expected<llvm::json::Value> value =
      parseShallowJSON(rewriteTokens(text, marker));
  if (value)
    restoreNumbers(*value, marker);
  return value;
}

static void print(llvm::json::OStream &json, const llvm::json::Value &value) {
  if (const llvm::json::Object *object = value.getAsObject()) {
    SmallVector<const llvm::json::Object::value_type *> members;
    for (const auto &member : *object)
      members.push_back(&member);
    llvm::sort(members, [](const auto *a, const auto *b) {
      return StringRef(a->first) < StringRef(b->first);
    });
    json.object([&] {
      for (const auto *member : members) {
        json.attributeBegin(member->first);
        print(json, member->second);
        json.attributeEnd();
      }
    });
    return;
  }
  if (const llvm::json::Array *array = value.getAsArray()) {
    json.array([&] {
      for (const llvm::json::Value &element : *array)
        print(json, element);
    });
    return;
  }
  std::optional<double> number = value.getAsNumber();
  if (number && !std::isfinite(*number)) {
    json.rawValue(std::isnan(*number) ? "NaN"
                  : *number > 0       ? "Infinity"
                                      : "-Infinity");
    return;
  }
  json.value(value);
}

void amp::printPythonJSON(raw_ostream &os, const llvm::json::Value &value,
                          unsigned indent) {
  llvm::json::OStream json(os, indent);
  print(json, value);
}

//===- Json.cpp - Values of JSON ------------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Printing, and a recursive-descent parser.
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace device;

Json Json::array() {
  Json value;
  value.kind = Kind::Array;
  return value;
}

Json Json::object(std::vector<Member> members) {
  Json value;
  value.kind = Kind::Object;
  value.members = std::move(members);
  return value;
}

Json Json::numbers(const std::vector<double> &values) {
  Json list = array();
  for (double value : values)
    list.append(value);
  return list;
}

const Json &Json::operator[](const std::string &name) const {
  static const Json none;
  for (const Member &member : members)
    if (member.first == name)
      return member.second;
  return none;
}

void Json::set(const std::string &name, Json value) {
  for (Member &member : members)
    if (member.first == name) {
      member.second = std::move(value);
      return;
    }
  members.emplace_back(name, std::move(value));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string quote(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    char buffer[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", unsigned(c));
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// The shortest of the usual precisions that reads back as the same number.
static std::string printNumber(double value) {
  if (std::isnan(value))
    return "\"nan\"";
  if (std::isinf(value))
    return value < 0 ? "\"-inf\"" : "\"inf\"";
  char buffer[40];
  for (int digits : {6, 9, 17}) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  return buffer;
}

std::string Json::dump() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Bool:
    return number ? "true" : "false";
  case Kind::Number:
    return printNumber(number);
  case Kind::String:
    return quote(text);
  case Kind::Array: {
    std::string out;
    for (const Json &item : items)
      out += (out.empty() ? "" : ", ") + item.dump();
    return "[" + out + "]";
  }
  case Kind::Object: {
    std::string out;
    for (const Member &member : members)
      out += (out.empty() ? "" : ", ") + quote(member.first) + ": " +
             member.second.dump();
    return "{" + out + "}";
  }
  }
  return "null";
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  explicit Parser(const std::string &text) : at(text.c_str()) {}

  bool parseDocument(Json &value) {
    if (!parseValue(value))
      return false;
    skipSpace();
    return *at == 0 || fail("the end of the text");
  }
  std::string error;

private:
  bool fail(const std::string &expected) {
    if (error.empty())
      error = "expects " + expected + ", but got '" +
              std::string(at, strnlen(at, 20)) + "'";
    return false;
  }
  void skipSpace() { at += std::strspn(at, " \t\r\n"); }
  bool take(char c) {
    skipSpace();
    if (*at != c)
      return false;
    ++at;
    return true;
  }
  bool takeWord(const char *word) {
    size_t length = std::strlen(word);
    if (std::strncmp(at, word, length) != 0)
      return false;
    at += length;
    return true;
  }

  bool parseValue(Json &value);
  bool parseString(std::string &text);
  bool parseItems(Json &value);
  bool parseMembers(Json &value);

  const char *at;
};
} // namespace

bool Parser::parseString(std::string &text) {
  if (!take('"'))
    return fail("a string");
  for (; *at != '"'; ++at) {
    if (!*at)
      return fail("the end of a string");
    if (*at != '\\') {
      text += *at;
      continue;
    }
    switch (*++at) {
    case 'n':
      text += '\n';
      break;
    case 't':
      text += '\t';
      break;
    case 'u': {
      // What dump writes: one byte.
      char digits[5] = {};
      std::memcpy(digits, at + 1, strnlen(at + 1, 4));
      if (std::strlen(digits) != 4)
        return fail("four hex digits");
      text += char(std::strtol(digits, nullptr, 16));
      at += 4;
      break;
    }
    case 0:
      return fail("the end of a string");
    default:
      text += *at;
    }
  }
  ++at;
  return true;
}

bool Parser::parseItems(Json &value) {
  value = Json::array();
  if (take(']'))
    return true;
  do {
    Json item;
    if (!parseValue(item))
      return false;
    value.append(std::move(item));
  } while (take(','));
  return take(']') || fail("',' or ']'");
}

bool Parser::parseMembers(Json &value) {
  value = Json::object();
  if (take('}'))
    return true;
  do {
    std::string name;
    Json member;
    if (!parseString(name))
      return false;
    if (!take(':'))
      return fail("':'");
    if (!parseValue(member))
      return false;
    value.set(name, std::move(member));
  } while (take(','));
  return take('}') || fail("',' or '}'");
}

bool Parser::parseValue(Json &value) {
  skipSpace();
  if (*at == '"') {
    std::string text;
    if (!parseString(text))
      return false;
    value = Json(std::move(text));
    return true;
  }
  if (take('['))
    return parseItems(value);
  if (take('{'))
    return parseMembers(value);
  if (takeWord("true"))
    value = Json(true);
  else if (takeWord("false"))
    value = Json(false);
  else if (takeWord("null"))
    value = Json();
  else {
    char *end = nullptr;
    double number = std::strtod(at, &end);
    if (end == at)
      return fail("a value");
    at = end;
    value = Json(number);
  }
  return true;
}

Json Json::parse(const std::string &text, std::string &error) {
  Parser parser(text);
  Json value;
  if (parser.parseDocument(value))
    return value;
  error = parser.error;
  return Json();
}

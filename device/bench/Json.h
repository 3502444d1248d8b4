//===- Json.h - Values of JSON ----------------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Just enough JSON for the device programs: the machine they run on may have
// nothing but a compiler. Members keep their order.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DEVICE_JSON_H
#define AMP_DEVICE_JSON_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace device {

class Json {
public:
  enum class Kind { Null, Bool, Number, String, Array, Object };
  using Member = std::pair<std::string, Json>;

  Json() = default;
  Json(bool value) : kind(Kind::Bool), number(value) {}
  Json(double value) : kind(Kind::Number), number(value) {}
  Json(int value) : Json(double(value)) {}
  Json(int64_t value) : Json(double(value)) {}
  Json(uint64_t value) : Json(double(value)) {}
  Json(const char *value) : Json(std::string(value)) {}
  Json(std::string value) : kind(Kind::String), text(std::move(value)) {}

  static Json array();
  static Json object(std::vector<Member> members = {});
  static Json numbers(const std::vector<double> &values);

  Kind getKind() const { return kind; }
  bool isNull() const { return kind == Kind::Null; }
  /// The value, or what stands for it in a value of another kind.
  double getNumber() const { return number; }
  bool getBool() const { return number != 0; }
  const std::string &getString() const { return text; }
  const std::vector<Json> &getItems() const { return items; }
  const std::vector<Member> &getMembers() const { return members; }

  /// The member of that name; null when there is none.
  const Json &operator[](const std::string &name) const;
  /// Sets or replaces a member of an object.
  void set(const std::string &name, Json value);
  void append(Json value) { items.push_back(std::move(value)); }

  /// On one line; an infinite or undefined number becomes a string.
  std::string dump() const;
  /// Null with `error` set when `text` is not one value.
  static Json parse(const std::string &text, std::string &error);

private:
  Kind kind = Kind::Null;
  double number = 0;
  std::string text;
  std::vector<Json> items;
  std::vector<Member> members;
};

} // namespace device

#endif // AMP_DEVICE_JSON_H

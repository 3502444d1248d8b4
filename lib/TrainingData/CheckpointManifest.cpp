//===- CheckpointManifest.cpp - The manifest of a checkpoint ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON with sorted members. Its checksum is that of the same text without it,
// so an edited or damaged manifest is noticed as surely as a damaged tensor.
//
//===----------------------------------------------------------------------===//

#include "amp/Support/PythonJSON.h"
#include "amp/TrainingData/Checkpoint.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral formatName = "amp-checkpoint";
static constexpr int64_t formatVersion = 1;

/// 64 bits as text: JSON numbers are doubles to many readers.
static std::string formatHash(uint64_t hash) {
  return llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
}

static uint64_t hashTensor(const HostTensor &tensor) {
  return llvm::xxh3_64bits(StringRef(tensor.data.data(), tensor.data.size()));
}

static std::string print(const llvm::json::Value &value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printPythonJSON(stream, value, /*indent=*/2);
  return text;
}

std::string amp::serializeManifest(const Checkpoint &checkpoint,
                                   uint64_t stateBytes) {
  llvm::json::Array states;
  for (const CheckpointState &state : checkpoint.states)
    states.push_back(
        llvm::json::Object{{"name", state.name},
                           {"role", state.role},
                           {"dtype", getDTypeName(state.tensor.dtype)},
                           {"shape", llvm::json::Array(state.tensor.shape)},
                           {"xxh3", formatHash(hashTensor(state.tensor))}});
  llvm::json::Object environment;
  for (const auto &[name, text] : checkpoint.environment)
    environment[name] = text;
  llvm::json::Object manifest{
      {"format", formatName},
      {"version", formatVersion},
      {"step", checkpoint.step},
      {"cursor",
       llvm::json::Object{{"seed", std::to_string(checkpoint.cursor.seed)},
                          {"epoch", checkpoint.cursor.epoch},
                          {"position", checkpoint.cursor.position}}},
      {"configuration", toJSON(checkpoint.configuration)},
      {"environment", std::move(environment)},
      {"state_bytes", static_cast<int64_t>(stateBytes)},
      {"states", std::move(states)}};
  std::string hash = formatHash(
      llvm::xxh3_64bits(StringRef(print(llvm::json::Object(manifest)))));
  manifest["checksum"] = hash;
  return print(std::move(manifest)) + "\n";
}

/// A member of an object, or an error that names it.
static llvm::Expected<StringRef> getText(const llvm::json::Object &object,
                                         StringRef name) {
  if (std::optional<StringRef> text = object.getString(name))
    return *text;
  return makeError("expects a string '" + name + "'");
}

static llvm::Expected<int64_t> getCount(const llvm::json::Object &object,
                                        StringRef name) {
  std::optional<int64_t> count = object.getInteger(name);
  if (count && *count >= 0)
    return *count;
  return makeError("expects a non-negative integer '" + name + "'");
}

static llvm::Expected<const llvm::json::Object *>
getObject(const llvm::json::Object &object, StringRef name) {
  if (const llvm::json::Object *member = object.getObject(name))
    return member;
  return makeError("expects an object '" + name + "'");
}

static llvm::Error parseState(const llvm::json::Value &value,
                              CheckpointState &state, uint64_t &checksum) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return makeError("expects objects in 'states'");
  for (auto [name, text] :
       {std::pair<StringRef, std::string *>{"name", &state.name},
        {"role", &state.role}}) {
    llvm::Expected<StringRef> member = getText(*object, name);
    if (!member)
      return member.takeError();
    *text = member->str();
  }
  auto fail = [&](const llvm::Twine &what) {
    return makeError("state '" + state.name + "': " + what);
  };
  std::optional<StringRef> dtypeName = object->getString("dtype");
  std::optional<DType> dtype =
      dtypeName ? parseDType(*dtypeName) : std::nullopt;
  if (!dtype)
    return fail("expects a known 'dtype'");
  state.tensor.dtype = *dtype;
  const llvm::json::Array *shape = object->getArray("shape");
  if (!shape)
    return fail("expects an array 'shape'");
  for (const llvm::json::Value &size : *shape)
    state.tensor.shape.push_back(size.getAsInteger().value_or(-1));
  if (!getElementCount(state.tensor.shape))
    return fail("expects non-negative integers in 'shape'");
  std::optional<StringRef> hash = object->getString("xxh3");
  if (!hash || !llvm::to_integer(*hash, checksum, 16))
    return fail("expects a checksum 'xxh3'");
  return llvm::Error::success();
}

/// Format, version and checksum: what says whether the rest may be trusted.
static llvm::Error checkEnvelope(const llvm::json::Object &object) {
  if (object.getString("format") != StringRef(formatName))
    return makeError("expects 'format' to be '" + formatName +
                     "': this is no checkpoint of this project");
  std::optional<int64_t> version = object.getInteger("version");
  if (version != formatVersion)
    return makeError("expects version " + llvm::Twine(formatVersion) +
                     ", but got " +
                     (version ? llvm::Twine(*version).str() : "none") +
                     ": read it with the release that wrote it");
  std::optional<StringRef> checksum = object.getString("checksum");
  llvm::json::Object rest = object;
  rest.erase("checksum");
  if (!checksum || *checksum != formatHash(llvm::xxh3_64bits(
                                    StringRef(print(std::move(rest))))))
    return makeError("does not match its checksum: it was damaged or edited");
  return llvm::Error::success();
}

static llvm::Error parseCursor(const llvm::json::Object &object,
                               SamplerCursor &cursor) {
  llvm::Expected<StringRef> seed = getText(object, "seed");
  if (!seed)
    return seed.takeError();
  if (!llvm::to_integer(*seed, cursor.seed, 10))
    return makeError("expects an integer as text in 'seed'");
  for (auto [name, member] :
       {std::pair<StringRef, int64_t *>{"epoch", &cursor.epoch},
        {"position", &cursor.position}}) {
    llvm::Expected<int64_t> count = getCount(object, name);
    if (!count)
      return count.takeError();
    *member = *count;
  }
  return llvm::Error::success();
}

static llvm::Error parseMembers(const llvm::json::Object &object,
                                Checkpoint &checkpoint, uint64_t &stateBytes,
                                std::vector<uint64_t> &checksums) {
  llvm::Expected<int64_t> step = getCount(object, "step");
  if (!step)
    return step.takeError();
  checkpoint.step = *step;
  llvm::Expected<int64_t> bytes = getCount(object, "state_bytes");
  if (!bytes)
    return bytes.takeError();
  stateBytes = *bytes;
  llvm::Expected<const llvm::json::Object *> cursor =
      getObject(object, "cursor");
  if (!cursor)
    return cursor.takeError();
  if (llvm::Error error = parseCursor(**cursor, checkpoint.cursor))
    return error;
  llvm::Expected<const llvm::json::Object *> configuration =
      getObject(object, "configuration");
  if (!configuration)
    return configuration.takeError();
  llvm::Expected<TrainingConfiguration> parsed =
      parseConfiguration(llvm::json::Object(**configuration));
  if (!parsed)
    return parsed.takeError();
  checkpoint.configuration = std::move(*parsed);
  llvm::Expected<const llvm::json::Object *> environment =
      getObject(object, "environment");
  if (!environment)
    return environment.takeError();
  for (const auto &[name, text] : **environment)
    checkpoint.environment[name.str()] = text.getAsString().value_or("").str();
  const llvm::json::Array *states = object.getArray("states");
  if (!states)
    return makeError("expects an array 'states'");
  for (const llvm::json::Value &value : *states) {
    if (llvm::Error error = parseState(value, checkpoint.states.emplace_back(),
                                       checksums.emplace_back()))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<Checkpoint>
amp::parseManifest(StringRef text, uint64_t &stateBytes,
                   std::vector<uint64_t> &checksums) {
  llvm::Expected<llvm::json::Value> value = parsePythonJSON(text);
  if (!value)
    return makeError("is no JSON: " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return makeError("expects a JSON object");
  if (llvm::Error error = checkEnvelope(*object))
    return std::move(error);
  Checkpoint checkpoint;
  if (llvm::Error error =
          parseMembers(*object, checkpoint, stateBytes, checksums))
    return std::move(error);
  return checkpoint;
}

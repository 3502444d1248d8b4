//===- Checkpoint.cpp - State of training on disk --------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state file is checked against the manifest, the manifest against itself.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Checkpoint.h"
#include "amp/Support/Safetensors.h"
#include "amp/TrainingData/DurableFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral stateFile = "state.safetensors";
static constexpr StringLiteral manifestFile = "manifest.json";
static constexpr StringLiteral latestFile = "latest";

static std::string joinPath(StringRef directory, StringRef name) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

const HostTensor *Checkpoint::find(StringRef name) const {
  for (const CheckpointState &state : states)
    if (state.name == name)
      return &state.tensor;
  return nullptr;
}

bool amp::hasCheckpoint(StringRef root) {
  return llvm::sys::fs::exists(joinPath(root, latestFile));
}

/// Removes the half-written checkpoints that killed runs left.
static void removeLeftovers(StringRef root) {
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(root, code), end;
       it != end && !code; it.increment(code)) {
    StringRef name = llvm::sys::path::filename(it->path());
    if (name.starts_with(".step-") && name.ends_with(".partial"))
      llvm::sys::fs::remove_directories(it->path());
  }
}

llvm::Expected<std::string> amp::writeCheckpoint(StringRef root,
                                                 const Checkpoint &checkpoint) {
  auto fail = [&](const llvm::Twine &what) {
    return makeError("cannot write a checkpoint of step " +
                     llvm::Twine(checkpoint.step) + " into '" + root +
                     "': " + what);
  };
  SafetensorsFile file;
  file.metadata["format"] = "amp-checkpoint";
  file.metadata["step"] = std::to_string(checkpoint.step);
  for (const CheckpointState &state : checkpoint.states)
    file.tensors.push_back({state.name, state.tensor});
  std::string stateBytes = serializeSafetensors(file);
  std::string manifest = serializeManifest(checkpoint, stateBytes.size());

  if (std::error_code code = llvm::sys::fs::create_directories(root))
    return fail(code.message() + ": choose another directory");
  removeLeftovers(root);
  std::string name = llvm::formatv("step-{0,0+6}", checkpoint.step).str();
  std::string path = joinPath(root, name);
  if (llvm::sys::fs::exists(path) &&
      !llvm::sys::fs::exists(joinPath(path, manifestFile)))
    return fail("'" + path +
                "' exists and is no checkpoint: remove it, or choose " +
                "another directory");
  std::vector<NamedBytes> files = {{stateFile.str(), std::move(stateBytes)},
                                   {manifestFile.str(), std::move(manifest)}};
  if (llvm::Error error = writeDirectoryAtomically(root, name, files))
    return fail(llvm::toString(std::move(error)) +
                ": make room or choose another directory; earlier checkpoints "
                "are intact");
  if (llvm::Error error =
          writeFileAtomically(joinPath(root, latestFile), name + "\n"))
    return fail(llvm::toString(std::move(error)) +
                ": the checkpoint itself is at '" + path + "'");
  return path;
}

/// The checkpoint that `latest` names. The name has to be one that we write, so
/// that no damaged pointer leads out of the directory.
static llvm::Expected<std::string> resolveLatest(StringRef root) {
  llvm::Expected<std::string> text = readFileBytes(joinPath(root, latestFile));
  if (!text)
    return makeError("'" + root + "' holds no checkpoint: expects '" +
                     manifestFile + "' or '" + latestFile + "' in it");
  StringRef name = StringRef(*text).trim(), digits = name;
  if (!digits.consume_front("step-") || digits.empty() ||
      !llvm::all_of(digits, llvm::isDigit))
    return makeError("cannot read '" + joinPath(root, latestFile) +
                     "': expects the name of a checkpoint, but got '" +
                     name.take_front(40) +
                     "': name the checkpoint directory instead");
  return joinPath(root, name);
}

/// Moves the tensors of the file into the states of the manifest, checked.
static llvm::Error adoptTensors(SafetensorsFile &file,
                                ArrayRef<uint64_t> checksums,
                                std::vector<CheckpointState> &states) {
  llvm::StringMap<HostTensor *> byName;
  for (NamedTensor &named : file.tensors)
    byName[named.name] = &named.tensor;
  for (auto [state, checksum] : llvm::zip_equal(states, checksums)) {
    auto it = byName.find(state.name);
    if (it == byName.end())
      return makeError("state '" + state.name + "' of the manifest is missing");
    HostTensor &tensor = *it->second;
    byName.erase(it);
    if (tensor.dtype != state.tensor.dtype ||
        tensor.shape != state.tensor.shape)
      return makeError("state '" + state.name + "': manifest says " +
                       state.tensor.getTypeString() + ", but the file holds " +
                       tensor.getTypeString());
    if (llvm::xxh3_64bits(StringRef(tensor.data.data(), tensor.data.size())) !=
        checksum)
      return makeError("state '" + state.name +
                       "' does not match its checksum");
    state.tensor = std::move(tensor);
  }
  if (!byName.empty())
    return makeError("tensor '" + byName.begin()->first() +
                     "' is not in the manifest");
  return llvm::Error::success();
}

llvm::Expected<Checkpoint> amp::readCheckpoint(StringRef path) {
  std::string directory = path.str();
  if (!llvm::sys::fs::exists(joinPath(path, manifestFile))) {
    llvm::Expected<std::string> latest = resolveLatest(path);
    if (!latest)
      return latest.takeError();
    directory = std::move(*latest);
  }
  auto fail = [&](StringRef file, const llvm::Twine &what) {
    return makeError("cannot use checkpoint '" + directory + "': " + file +
                     ": " + what + ": resume from another checkpoint");
  };
  llvm::Expected<std::string> manifest =
      readFileBytes(joinPath(directory, manifestFile));
  if (!manifest)
    return fail(manifestFile, llvm::toString(manifest.takeError()));
  uint64_t expectedBytes = 0;
  std::vector<uint64_t> checksums;
  llvm::Expected<Checkpoint> checkpoint =
      parseManifest(*manifest, expectedBytes, checksums);
  if (!checkpoint)
    return fail(manifestFile, llvm::toString(checkpoint.takeError()));

  std::string statePath = joinPath(directory, stateFile);
  llvm::Expected<std::string> bytes = readFileBytes(statePath);
  if (!bytes)
    return fail(stateFile, llvm::toString(bytes.takeError()));
  if (bytes->size() != expectedBytes)
    return fail(stateFile, "expects " + llvm::Twine(expectedBytes) +
                               " bytes, but got " + llvm::Twine(bytes->size()));
  llvm::Expected<SafetensorsFile> file = parseSafetensors(*bytes, statePath);
  if (!file)
    return fail(stateFile, llvm::toString(file.takeError()));
  if (llvm::Error error = adoptTensors(*file, checksums, checkpoint->states))
    return fail(stateFile, llvm::toString(std::move(error)));
  return checkpoint;
}

llvm::Error amp::checkStates(ArrayRef<CheckpointState> expected,
                             ArrayRef<CheckpointState> found, StringRef path) {
  auto fail = [&](const llvm::Twine &what) {
    return makeError("cannot resume from '" + path + "': " + what +
                     ": is this the checkpoint of another model or optimizer?");
  };
  llvm::StringMap<const CheckpointState *> byName;
  for (const CheckpointState &state : found)
    byName[state.name] = &state;
  for (const CheckpointState &state : expected) {
    auto it = byName.find(state.name);
    if (it == byName.end())
      return fail("checkpoint has no state '" + state.name + "'");
    const CheckpointState &theirs = *it->second;
    if (theirs.role != state.role)
      return fail("state '" + state.name + "': checkpoint has role '" +
                  theirs.role + "', this run has '" + state.role + "'");
    if (theirs.tensor.dtype != state.tensor.dtype ||
        theirs.tensor.shape != state.tensor.shape)
      return fail("state '" + state.name + "': checkpoint has " +
                  theirs.tensor.getTypeString() + ", this run has " +
                  state.tensor.getTypeString());
    byName.erase(it);
  }
  for (const CheckpointState &state : found)
    if (byName.contains(state.name))
      return fail("this run has no state '" + state.name + "'");
  return llvm::Error::success();
}

std::vector<std::string>
amp::compareEnvironment(const std::map<std::string, std::string> &expected,
                        const std::map<std::string, std::string> &found) {
  std::vector<std::string> differences;
  for (const auto &[name, text] : expected) {
    auto it = found.find(name);
    std::string theirs = it == found.end() ? "nothing" : "'" + it->second + "'";
    if (theirs != "'" + text + "'")
      differences.push_back(name + ": checkpoint has " + theirs +
                            ", this run has '" + text + "'");
  }
  return differences;
}

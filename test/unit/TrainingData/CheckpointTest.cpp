//===- CheckpointTest.cpp - Checkpoints, whole and damaged -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips of every element type, and one clear error for each way in which
// a checkpoint can be damaged, foreign, of another configuration, or not
// writable.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Checkpoint.h"
#include "TestSupport.h"
#include "amp/TrainingData/DurableFiles.h"
#include "llvm/ADT/ScopeExit.h"
#include <csignal>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::amp;

static TrainingConfiguration makeConfiguration() {
  TrainingConfiguration configuration;
  configuration.policy = "cpu-bf16";
  configuration.policyHash = "0123456789abcdef";
  configuration.numerics = {"bf16", "bf16", "bf16", "f32", "f32"};
  configuration.parity = "none";
  configuration.modelHash = "feed";
  configuration.optimizer = "adamw";
  configuration.optimizerConstants = {{"lr", 0.005}, {"beta2", 0.999}};
  configuration.scaler = "dynamic";
  configuration.scalerConstants = {
      {"cap", std::numeric_limits<double>::infinity()},
      {"growth_interval", 50}};
  configuration.data = {{"batch", 64}};
  return configuration;
}

static Checkpoint makeCheckpoint(int64_t step = 12) {
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.cursor = {std::numeric_limits<uint64_t>::max(), 3, 17};
  checkpoint.configuration = makeConfiguration();
  checkpoint.environment = {{"llvm", "22.1.8"}, {"cpu", "some"}};
  float nan = std::numeric_limits<float>::quiet_NaN();
  checkpoint.states = {
      {"fc.weight", "parameter",
       HostTensor::fromF32({1, -0.0f, nan, 4}, {2, 2})},
      {"fc.bias", "parameter",
       makeTensor<uint16_t>(DType::BF16, {2}, {0x3f80, 0x7fc1})},
      {"fc.bias.exp_avg", "optimizer_state",
       makeTensor<uint16_t>(DType::F16, {1}, {1})},
      {"step", "step_counter", makeTensor<int64_t>(DType::I64, {}, {step})},
      {"flag", "metric", makeTensor<uint8_t>(DType::BOOL, {}, {1})},
      {"empty", "optimizer_state", HostTensor::zeros(DType::F32, {0, 3})}};
  return checkpoint;
}

/// Writes a checkpoint of step 12 and returns its path.
static std::string writeOne(const TemporaryDirectory &root) {
  llvm::Expected<std::string> path =
      writeCheckpoint(root.str(), makeCheckpoint());
  if (!path)
    llvm::report_fatal_error(path.takeError());
  return *path;
}

static std::vector<std::string> listEntries(const TemporaryDirectory &root) {
  std::vector<std::string> names;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(root.str(), code), end;
       it != end && !code; it.increment(code))
    names.push_back(llvm::sys::path::filename(it->path()).str());
  llvm::sort(names);
  return names;
}

TEST(CheckpointTest, RoundTrip) {
  TemporaryDirectory root;
  EXPECT_FALSE(hasCheckpoint(root.str()));
  std::string path = writeOne(root);
  EXPECT_EQ(path, root / "step-000012");
  EXPECT_TRUE(hasCheckpoint(root.str()));
  EXPECT_EQ(listEntries(root),
            (std::vector<std::string>{"latest", "step-000012"}));
  Checkpoint written = makeCheckpoint();
  for (std::string from : {root.str().str(), path}) {
    llvm::Expected<Checkpoint> read = readCheckpoint(from);
    ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->step, 12);
    EXPECT_EQ(read->cursor, written.cursor);
    EXPECT_EQ(read->environment, written.environment);
    EXPECT_TRUE(compareConfiguration(written.configuration, read->configuration)
                    .empty());
    ASSERT_EQ(read->states.size(), written.states.size());
    for (auto [theirs, ours] : llvm::zip(read->states, written.states)) {
      EXPECT_EQ(theirs.name, ours.name);
      EXPECT_EQ(theirs.role, ours.role);
      EXPECT_EQ(theirs.tensor, ours.tensor) << ours.name;
    }
  }
}

TEST(CheckpointTest, LatestFollowsAndAStepIsReplaced) {
  TemporaryDirectory root;
  ASSERT_EQ(message(writeCheckpoint(root.str(), makeCheckpoint(1))), "");
  ASSERT_EQ(message(writeCheckpoint(root.str(), makeCheckpoint(2))), "");
  Checkpoint changed = makeCheckpoint(1);
  changed.cursor.position = 5;
  ASSERT_EQ(message(writeCheckpoint(root.str(), changed)), "");
  EXPECT_EQ(readText(root / "latest"), "step-000001\n");
  llvm::Expected<Checkpoint> read = readCheckpoint(root.str());
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(read->cursor.position, 5);
  EXPECT_EQ(listEntries(root),
            (std::vector<std::string>{"latest", "step-000001", "step-000002"}));
}

TEST(CheckpointTest, RemovesWhatAKilledRunLeft) {
  TemporaryDirectory root;
  std::string partial = root / ".step-000038.partial";
  ASSERT_FALSE(llvm::sys::fs::create_directories(partial));
  writeText(partial + "/state.safetensors", "half");
  // A reader does not take it for a checkpoint.
  EXPECT_EQ(message(readCheckpoint(root.str())),
            ("'" + root.str() +
             "' holds no checkpoint: expects 'manifest.json' or 'latest' "
             "in it")
                .str());
  writeOne(root);
  EXPECT_EQ(listEntries(root),
            (std::vector<std::string>{"latest", "step-000012"}));
}

TEST(CheckpointTest, LeavesForeignDirectoriesAlone) {
  TemporaryDirectory root;
  ASSERT_FALSE(llvm::sys::fs::create_directories(root / "step-000012"));
  writeText(root / "step-000012/thesis.txt", "years of work");
  EXPECT_EQ(
      message(writeCheckpoint(root.str(), makeCheckpoint())),
      ("cannot write a checkpoint of step 12 into '" + root.str() + "': '" +
       (root / "step-000012") +
       "' exists and is no checkpoint: remove it, or choose another directory")
          .str());
  EXPECT_EQ(readText(root / "step-000012/thesis.txt"), "years of work");
  EXPECT_FALSE(hasCheckpoint(root.str()));
}

TEST(CheckpointTest, EveryTruncationOfEitherFileIsAnError) {
  TemporaryDirectory root;
  std::string path = writeOne(root);
  for (const char *name : {"/state.safetensors", "/manifest.json"}) {
    std::string whole = readText(path + name);
    // The final newline of the manifest is not part of it.
    size_t end = whole.size() - (whole.back() == '\n');
    for (size_t size = 0; size < end; size += 1 + size / 16) {
      writeText(path + name, StringRef(whole).take_front(size));
      std::string error = message(readCheckpoint(root.str()));
      EXPECT_TRUE(StringRef(error).starts_with(
          "cannot use checkpoint '" + path + "': " + (name + 1) + ": "))
          << error;
    }
    writeText(path + name, whole);
    EXPECT_EQ(message(readCheckpoint(root.str())), "");
  }
}

TEST(CheckpointTest, EveryFlippedByteIsAnError) {
  TemporaryDirectory root;
  std::string path = writeOne(root);
  for (const char *name : {"/state.safetensors", "/manifest.json"}) {
    std::string whole = readText(path + name);
    for (size_t i = 0; i < whole.size(); i += 3) {
      // Spaces between the manifest's tokens mean nothing; `__metadata__` of
      // the state file is for people.
      if (llvm::isSpace(whole[i]))
        continue;
      std::string damaged = whole;
      damaged[i] ^= 0x04;
      writeText(path + name, damaged);
      std::string error = message(readCheckpoint(root.str()));
      bool isMetadata = name[1] == 's' && i < whole.find("fc.weight");
      EXPECT_TRUE(isMetadata || !error.empty()) << name << " byte " << i;
    }
    writeText(path + name, whole);
  }
}

TEST(CheckpointTest, NamesDamageAndForeignFiles) {
  TemporaryDirectory root;
  std::string path = writeOne(root);
  std::string state = readText(path + "/state.safetensors");
  std::string manifest = readText(path + "/manifest.json");
  std::string place = "cannot use checkpoint '" + path + "': ";
  std::string remedy = ": resume from another checkpoint";
  std::string damaged = state;
  damaged[damaged.find(std::string("\0\0\x80\x3f", 4))] ^= 1;
  writeText(path + "/state.safetensors", damaged);
  EXPECT_EQ(
      message(readCheckpoint(path)),
      place +
          "state.safetensors: state 'fc.weight' does not match its checksum" +
          remedy);
  writeText(path + "/state.safetensors", state + "x");
  EXPECT_EQ(message(readCheckpoint(path)),
            place + "state.safetensors: expects " +
                std::to_string(state.size()) + " bytes, but got " +
                std::to_string(state.size() + 1) + remedy);
  writeText(path + "/state.safetensors", state);
  std::string edited = manifest;
  edited.replace(edited.find("cpu-bf16"), 8, "cpu-f163");
  writeText(path + "/manifest.json", edited);
  EXPECT_EQ(message(readCheckpoint(path)),
            place +
                "manifest.json: does not match its checksum: it was damaged or "
                "edited" +
                remedy);
  writeText(path + "/manifest.json", "{\"format\": \"other\"}");
  EXPECT_EQ(
      message(readCheckpoint(path)),
      place +
          "manifest.json: expects 'format' to be 'amp-checkpoint': this is no "
          "checkpoint of this project" +
          remedy);
  writeText(path + "/manifest.json",
            "{\"format\": \"amp-checkpoint\", \"version\": 9}");
  EXPECT_EQ(message(readCheckpoint(path)),
            place +
                "manifest.json: expects version 1, but got 9: read it with the "
                "release "
                "that wrote it" +
                remedy);
  writeText(root / "latest", "../../etc\n");
  EXPECT_EQ(
      message(readCheckpoint(root.str())),
      "cannot read '" + (root / "latest") +
          "': expects the name of a checkpoint, but got '../../etc': name the "
          "checkpoint directory instead");
}

/// Runs `action` where files cannot grow past `bytes`, as on a full disk.
template <typename Action>
static void withFileLimit(rlim_t bytes, Action action) {
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limited = old;
  limited.rlim_cur = bytes;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  llvm::scope_exit restore([&] {
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
  });
  action();
}

TEST(CheckpointTest, AFullDiskLeavesTheEarlierCheckpoint) {
  TemporaryDirectory root;
  writeOne(root);
  Checkpoint large = makeCheckpoint(13);
  large.states.front().tensor = HostTensor::zeros(DType::F32, {256, 256});
  withFileLimit(64 * 1024, [&] {
    std::string error = message(writeCheckpoint(root.str(), large));
    EXPECT_EQ(
        error,
        ("cannot write a checkpoint of step 13 into '" + root.str() +
         "': cannot write '" +
         (root / ".step-000013.partial/state.safetensors") +
         "': File too large: make room or choose another directory; earlier "
         "checkpoints are intact")
            .str());
  });
  EXPECT_EQ(listEntries(root),
            (std::vector<std::string>{"latest", "step-000012"}));
  llvm::Expected<Checkpoint> read = readCheckpoint(root.str());
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->step, 12);
}

TEST(CheckpointTest, AFailedReplacementLeavesTheOldFile) {
  TemporaryDirectory root;
  writeText(root / "latest", "step-000001\n");
  withFileLimit(16, [&] {
    EXPECT_NE(
        message(writeFileAtomically(root / "latest", std::string(100, 'x'))),
        "");
  });
  EXPECT_EQ(readText(root / "latest"), "step-000001\n");
  EXPECT_EQ(listEntries(root), (std::vector<std::string>{"latest"}));
}

TEST(CheckpointTest, AnUnwritableRootIsOneError) {
  TemporaryDirectory root;
  writeText(root / "file", "");
  EXPECT_EQ(message(writeCheckpoint(root / "file/run", makeCheckpoint())),
            "cannot write a checkpoint of step 12 into '" +
                (root / "file/run") +
                "': Not a directory: choose another directory");
}

TEST(ConfigurationTest, NamesEachDifference) {
  TrainingConfiguration run = makeConfiguration(),
                        checkpoint = makeConfiguration();
  EXPECT_EQ(message(checkConfiguration(run, checkpoint, "c")), "");
  checkpoint.policy = "cpu-f16";
  checkpoint.numerics.accumulator = "f16";
  checkpoint.optimizerConstants["lr"] = 0.1;
  checkpoint.scalerConstants.erase("cap");
  checkpoint.data["drop_last"] = 1;
  EXPECT_EQ(
      compareConfiguration(run, checkpoint),
      (std::vector<std::string>{
          "precision: checkpoint has policy 'cpu-f16', this run has 'cpu-bf16'",
          "precision: checkpoint has accumulator precision 'f16', this run has "
          "'f32'",
          "optimizer: checkpoint has lr 0.1, this run has 0.005",
          "loss scaling: checkpoint has cap nothing, this run has inf",
          "data: checkpoint has drop_last 1, this run has nothing"}));
  checkpoint = makeConfiguration();
  checkpoint.parity = "pytorch";
  EXPECT_EQ(message(checkConfiguration(run, checkpoint, "c")),
            "cannot resume from 'c': parity: checkpoint has mode 'pytorch', "
            "this run has "
            "'none': resume with the checkpoint's configuration, or start anew "
            "in another "
            "directory");
}

TEST(ConfigurationTest, EveryTextFieldIsCompared) {
  // A member that is added to the struct but not to the table would go
  // unnoticed: here each string is changed by its place in the struct.
  TrainingConfiguration run = makeConfiguration();
  std::string TrainingConfiguration::*members[] = {
      &TrainingConfiguration::policy,       &TrainingConfiguration::policyHash,
      &TrainingConfiguration::parity,       &TrainingConfiguration::modelHash,
      &TrainingConfiguration::numericsHash, &TrainingConfiguration::dataHash,
      &TrainingConfiguration::optimizer,    &TrainingConfiguration::scaler};
  for (std::string TrainingConfiguration::*member : members) {
    TrainingConfiguration other = run;
    other.*member = "other";
    EXPECT_EQ(compareConfiguration(run, other).size(), 1u);
  }
  std::string NumericsFingerprint::*precisions[] = {
      &NumericsFingerprint::input, &NumericsFingerprint::weight,
      &NumericsFingerprint::output, &NumericsFingerprint::accumulator,
      &NumericsFingerprint::optimizer};
  for (std::string NumericsFingerprint::*member : precisions) {
    TrainingConfiguration other = run;
    other.numerics.*member = "other";
    EXPECT_EQ(compareConfiguration(run, other).size(), 1u);
  }
}

TEST(ConfigurationTest, StatesOfAnotherModelAreNamed) {
  std::vector<CheckpointState> run = makeCheckpoint().states, found = run;
  EXPECT_EQ(message(checkStates(run, found, "c")), "");
  std::string place = "cannot resume from 'c': ";
  std::string remedy =
      ": is this the checkpoint of another model or optimizer?";
  found.pop_back();
  EXPECT_EQ(message(checkStates(run, found, "c")),
            place + "checkpoint has no state 'empty'" + remedy);
  EXPECT_EQ(message(checkStates(found, run, "c")),
            place + "this run has no state 'empty'" + remedy);
  found = run;
  found[0].tensor = HostTensor::zeros(DType::F32, {3, 2});
  EXPECT_EQ(
      message(checkStates(run, found, "c")),
      place +
          "state 'fc.weight': checkpoint has 3x2xF32, this run has 2x2xF32" +
          remedy);
  found = run;
  found[1].role = "schedule";
  EXPECT_EQ(message(checkStates(run, found, "c")),
            place +
                "state 'fc.bias': checkpoint has role 'schedule', this run has "
                "'parameter'" +
                remedy);
}

TEST(ConfigurationTest, EnvironmentDiffersWithoutRefusal) {
  EXPECT_EQ(
      compareEnvironment({{"cpu", "a"}, {"llvm", "22"}},
                         {{"cpu", "b"}, {"llvm", "22"}}),
      (std::vector<std::string>{"cpu: checkpoint has 'b', this run has 'a'"}));
}

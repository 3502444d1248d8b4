//===- Steps.cpp - Training steps: losses and times -----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs each program's training step from a fixed start and compares losses,
// loss scales and skipped steps with those of the CPU back end, which a run of
// `reference` has written; then measures the step. With the graph and without
// it, and a second time for the same bits.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "ProgramRun.h"
#include "Trace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace device;

/// Steps that the reference holds.
static int64_t countReferenceSteps(const amp_rt_program_info &program) {
  std::string model = getModel(program);
  return model == "digits" ? 20 : model == "mlp" ? 10 : 5;
}

namespace {
/// How much of it all is done.
struct Effort {
  int64_t steps;
  /// Whether the run is made a second time, made without the graph too, timed.
  bool repeats, bothModes, measures;
};
} // namespace

/// An emulator takes seconds for a step of a large model.
static Effort getEffort(const Options &options,
                        const amp_rt_program_info &program) {
  if (!options.quick)
    return {countReferenceSteps(program), true, true, true};
  bool isSmall = getModel(program) == "digits";
  return {isSmall ? 5 : 1, isSmall, isSmall, isSmall};
}

namespace {
/// What a run of some steps gave.
struct Trajectory {
  std::vector<double> losses, scales, skipped;
  uint64_t hash = 0;
  /// What the first step called: nothing when it was recorded before.
  int64_t launches = 0, gemms = 0;
  double flops = 0;
};
} // namespace

static Trajectory train(ProgramRun &run, int64_t steps) {
  Trajectory result;
  run.reset();
  for (int64_t i = 0; i < steps; ++i) {
    run.setBatch(i);
    if (i == 0) {
      Trace trace;
      run.step();
      trace.dropRehearsal();
      result.launches = int64_t(trace.launches.size());
      result.gemms = int64_t(trace.gemms.size());
      result.flops = trace.getFlops();
    } else {
      run.step();
    }
    StepResult step = run.read();
    result.losses.push_back(step.loss);
    result.scales.push_back(step.get("loss_scale"));
    result.skipped.push_back(step.get("skipped"));
  }
  result.hash = run.hashState();
  return result;
}

static std::string printHash(uint64_t hash) {
  char text[20];
  std::snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
  return text;
}

void device::writeReference(const Options &options) {
  Json all = Json::object();
  for (const amp_rt_program_info *program : getPrograms()) {
    Session session(options);
    ProgramRun run(session, options, *program);
    Trajectory result = train(run, countReferenceSteps(*program));
    all.set(program->name,
            Json::object({{"runtime", session.info()},
                          {"losses", Json::numbers(result.losses)},
                          {"scales", Json::numbers(result.scales)},
                          {"skipped", Json::numbers(result.skipped)},
                          {"state_hash", printHash(result.hash)}}));
  }
  std::printf("%s\n", all.dump().c_str());
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// The number as written; what JSON has no number for is NaN.
static double numberAt(const Json &list, size_t i) {
  const Json &item = list.getItems()[i];
  return item.getKind() == Json::Kind::Number ? item.getNumber() : std::nan("");
}

static bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Compares with the reference, notes the largest difference in `row`, and says
/// what differs; empty when nothing does.
static std::string compare(const Trajectory &result, const Json &reference,
                           Json &row) {
  size_t steps =
      std::min(result.losses.size(), reference["losses"].getItems().size());
  if (!steps || reference["tolerances"].getItems().size() < steps)
    return "the reference data does not have this program";
  double largest = 0, share = 0;
  std::string wrong;
  for (size_t i = 0; i < steps; ++i) {
    double expected = numberAt(reference["losses"], i);
    double tolerance = numberAt(reference["tolerances"], i);
    double difference = std::fabs(result.losses[i] - expected) /
                        std::max(std::fabs(expected), 1e-30);
    std::string at = "step " + std::to_string(i) + ": ";
    if (!(difference <= tolerance) && wrong.empty())
      wrong = at + "expects a loss of " + Json(expected).dump() + ", but got " +
              Json(result.losses[i]).dump() + " (relative difference " +
              Json(difference).dump() + ", allowed " + Json(tolerance).dump() +
              ")";
    if (!same(result.scales[i], numberAt(reference["scales"], i)) &&
        wrong.empty())
      wrong = at + "expects a loss scale of " +
              reference["scales"].getItems()[i].dump() + ", but got " +
              Json(result.scales[i]).dump();
    if (!same(result.skipped[i], numberAt(reference["skipped"], i)) &&
        wrong.empty())
      wrong = at + (result.skipped[i] ? "was skipped" : "was not skipped");
    largest = std::max(largest, difference);
    share = std::max(share, difference / tolerance);
  }
  row.set("compared_steps", int64_t(steps));
  row.set("loss_first", result.losses.front());
  row.set("loss_last", result.losses.back());
  row.set("loss_difference", largest);
  row.set("share_of_tolerance", share);
  return wrong;
}

//===----------------------------------------------------------------------===//
// Measurement
//===----------------------------------------------------------------------===//

/// Times of a step, and that it allocates nothing.
static void measure(const Session &session, ProgramRun &run,
                    const Options &options, double flops, Json &row) {
  auto step = [&] { run.step(); };
  int warmup = options.quick ? 1 : 10, steps = options.quick ? 2 : 100;
  for (int i = 0; i < warmup; ++i)
    step();
  session.synchronize();

  std::vector<double> samples, host;
  for (int round = 0; round < (options.quick ? 1 : 5); ++round)
    samples.push_back(session.time(step, steps / 2));
  // The host's time to issue a step: the queue is empty at first and never
  // full.
  for (int i = 0; i < steps; ++i) {
    double begin = now();
    step();
    host.push_back((now() - begin) * 1e6);
    if (i % 8 == 7)
      session.synchronize();
  }
  session.synchronize();
  double deviceMicroseconds = median(samples);
  amp_rt_memory memory = session.memory();
  row.set("step_us", deviceMicroseconds);
  row.set("host_us", median(host));
  row.set("tflops", flops / deviceMicroseconds * 1e-6);
  row.set("state_bytes", run.getStateBytes());
  row.set("arena_bytes", run.getArenaBytes());
  row.set("peak_bytes", memory.peak_bytes);
  row.set("reserved_bytes", memory.peak_reserved_bytes);
  row.set("bytes_per_step", memory.step_bytes);
  if (memory.step_bytes)
    throw Failure("a step after warm-up allocates " +
                  std::to_string(memory.step_bytes) + " bytes");
}

/// One program in one mode; `graphHash` is the hash of the run with the graph,
/// once it is known.
static void runMode(const Options &options, const amp_rt_program_info &program,
                    const Json &reference, bool graphs, std::string &graphHash,
                    Json &row) {
  Session session(options, graphs);
  ProgramRun run(session, options, program);
  Effort effort = getEffort(options, program);
  Trajectory result = train(run, effort.steps);
  row.set("launches", result.launches);
  row.set("gemms", result.gemms);
  std::string wrong = compare(result, reference, row);
  std::string hash = printHash(result.hash);
  row.set("state_hash", hash);
  if (wrong.empty() && graphs) {
    graphHash = hash;
    if (effort.repeats && train(run, effort.steps).hash != result.hash)
      wrong = "a second run from the same start ends with other bits";
  } else if (wrong.empty() && !graphHash.empty() && hash != graphHash) {
    wrong = "ends with other bits than with the graph";
  }
  if (!wrong.empty())
    throw Failure(wrong);
  if (effort.measures)
    measure(session, run, options, result.flops, row);
}

void device::runSteps(const Options &options) {
  std::string error;
  Json references =
      Json::parse(readFile(options.data + "/references.json"), error);
  if (!error.empty())
    throw Failure("'references.json': " + error);
  std::string wanted = options.rest.empty() ? "" : options.rest.front();
  int64_t programs = 0;
  for (const amp_rt_program_info *program : getPrograms()) {
    if (!wanted.empty() && getModel(*program) != wanted)
      continue;
    ++programs;
    std::string graphHash;
    for (bool graphs : {true, false}) {
      if (!graphs && !getEffort(options, *program).bothModes)
        continue;
      Json row = Json::object({{"model", getModel(*program)},
                               {"precision", getPrecision(*program)},
                               {"graph", graphs}});
      try {
        runMode(options, *program, references[program->name], graphs, graphHash,
                row);
      } catch (const Failure &failure) {
        row.set("status", "failed");
        row.set("reason", failure.what());
      }
      emit("step", std::move(row));
    }
  }
  if (!programs)
    throw Skip("no program of a model '" + wanted + "' was linked in");
}

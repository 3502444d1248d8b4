//===- Kernels.cpp - The kernels of a step, one by one --------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a step with a trace, then each launch of it by itself, and compares its
// time with a copy inside the device that moves as many bytes. What a kernel
// reads and writes stands in kernels.json, which the compiler's IR gave.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "ProgramRun.h"
#include "Trace.h"

#include <algorithm>
#include <set>

using namespace device;

/// Kernels that move less say little about bandwidth: their time is the launch.
static constexpr double kBigKernel = 4e6;

namespace {
struct Measurement {
  int rounds, mostCalls;
  double milliseconds;
};
} // namespace

static double measure(const Session &session, const Measurement &how,
                      const std::function<void()> &issue) {
  int calls = how.mostCalls == 1 ? 1
                                 : chooseCalls(session, issue, how.milliseconds,
                                               how.mostCalls);
  std::vector<double> samples;
  for (int round = 0; round < how.rounds; ++round)
    samples.push_back(session.time(issue, calls));
  return median(samples);
}

static void runLaunch(const Session &session, const Measurement &how,
                      const LaunchCall &call, const Json &traffic, Json row) {
  double bytes = traffic["read"].getNumber() + traffic["written"].getNumber();
  auto launch = [&] {
    session.check(
        amp_rt_launch(session.get(), call.desc, call.pointers.data()));
  };
  double time = measure(session, how, launch);
  auto half = size_t(bytes / 2);
  std::unique_ptr<Memory> from = session.allocate(half),
                          to = session.allocate(half);
  double copy = measure(session, how, [&] {
    session.check(amp_rt_copy(session.get(), to->get(), from->get(), half));
  });
  row.set("bytes", bytes);
  row.set("us", time);
  row.set("copy_us", copy);
  row.set("gb_per_s", bytes / time * 1e-3);
  row.set("ratio_to_copy", copy / time);
  emit("kernels", std::move(row));
}

static void runGemmCall(const Session &session, const Measurement &how,
                        const GemmCall &call, Json row) {
  double time = measure(session, how, [&] {
    session.check(amp_rt_gemm(session.get(), call.desc, &call.args));
  });
  row.set("us", time);
  row.set("tflops", call.getFlops() / time * 1e-6);
  emit("step-gemms", std::move(row));
}

static void runProgram(const Options &options,
                       const amp_rt_program_info &program,
                       const Json &traffic) {
  Measurement how = {7, 200, 1.0};
  if (options.quick)
    how = {1, 1, 0};
  Session session(options, /*graphs=*/false);
  ProgramRun run(session, options, program);
  run.reset();
  run.setBatch(0);
  std::vector<LaunchCall> launches;
  std::vector<GemmCall> gemms;
  {
    Trace trace;
    run.step();
    launches = trace.launches;
    gemms = trace.gemms;
  }
  session.synchronize();

  double largest = 0;
  for (const LaunchCall &call : launches) {
    const Json &kernel = traffic[call.desc->kernel];
    largest = std::max(largest, kernel["read"].getNumber() +
                                    kernel["written"].getNumber());
  }
  double threshold = options.quick ? std::min(kBigKernel, largest) : kBigKernel;
  std::set<std::string> seen;
  for (const LaunchCall &call : launches) {
    const Json &kernel = traffic[call.desc->kernel];
    if (!seen.insert(call.desc->kernel).second ||
        kernel["read"].getNumber() + kernel["written"].getNumber() < threshold)
      continue;
    runLaunch(session, how, call, kernel,
              Json::object({{"program", program.name},
                            {"kernel", call.desc->kernel},
                            {"blocks", int64_t(call.desc->blocks)},
                            {"threads", int64_t(call.desc->threads)}}));
  }
  if (options.quick)
    return;
  for (const GemmCall &call : gemms) {
    const amp_rt_gemm_desc &d = *call.desc;
    runGemmCall(
        session, how, call,
        Json::object({{"program", program.name},
                      {"m", d.m},
                      {"n", d.n},
                      {"k", d.k},
                      {"types", std::string(amp_rt_dtype_name(d.lhs_type)) +
                                    " -> " + amp_rt_dtype_name(d.out_type)},
                      {"epilogue", int64_t(d.epilogue)}}));
  }
}

void device::runKernels(const Options &options) {
  std::string error;
  Json traffic = Json::parse(readFile(options.data + "/kernels.json"), error);
  if (!error.empty())
    throw Failure("'kernels.json': " + error);
  int64_t measured = 0;
  for (const amp_rt_program_info *program : getPrograms()) {
    if (traffic[program->name].isNull() ||
        (options.quick && getModel(*program) == "norms"))
      continue;
    ++measured;
    runProgram(options, *program, traffic[program->name]);
  }
  if (!measured)
    throw Skip("the linked programs have no kernels of a device");
}

//===- CudaFaultTest.cpp - A fault at every call of the back end ----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes each call into the driver and cuBLASLt fail in turn, in a program that
// uses everything: one clear error, the state as before the step, nothing
// leaked, and the context works again after it.
//
//===----------------------------------------------------------------------===//

#include "CudaSupport.h"

#include <cstdlib>
#include <map>

using namespace cts;

namespace {
class CudaFaultTest : public CudaSuite {};

constexpr size_t kCount = 64;

const amp_rt_gemm_desc &product() {
  static const amp_rt_gemm_desc desc = [] {
    amp_rt_gemm_desc d = {};
    d.struct_size = sizeof(d);
    d.lhs_type = d.rhs_type = d.out_type = AMP_RT_DTYPE_F32;
    d.batch = 1;
    d.m = d.n = d.k = 8;
    d.alpha = 1.0f;
    return d;
  }();
  return desc;
}

/// args: state, input, flag, scratch (4 matrices). state += input.
int32_t recordUpdate(amp_rt_context *ctx, void **args) {
  auto *scratch = static_cast<char *>(args[3]);
  amp_rt_fill(ctx, scratch, 0, 256);
  amp_rt_copy(ctx, scratch + 256, args[1], 256);
  amp_rt_gemm_args gemm = {};
  gemm.struct_size = sizeof(gemm);
  gemm.lhs = scratch;
  gemm.rhs = scratch + 256;
  gemm.out = scratch + 512;
  amp_rt_gemm(ctx, &product(), &gemm);
  if (int32_t status = amp_rt_commit(ctx))
    return status;
  amp_rt_launch_desc desc = launchOf("cts_update", 1, kCount, 3);
  return amp_rt_launch(ctx, &desc, args);
}

const amp_rt_step_desc kUpdate = {sizeof(kUpdate), "update", recordUpdate, 4};

int32_t create(amp_rt_context **ctx, std::string *message) {
  amp_rt_context_options options = {};
  options.struct_size = sizeof(options);
  options.backend = AMP_RT_BACKEND_CUDA;
  options.user = message;
  options.on_error = [](void *user, int32_t, const char *text) {
    *static_cast<std::string *>(user) = text;
  };
  return amp_rt_context_create(&options, ctx);
}

/// The program: two steps with everything around them. `updates` counts the
/// steps that said they ran.
struct Program {
  explicit Program(amp_rt_context *ctx) : ctx(ctx) {}
  ~Program() {
    for (amp_rt_event *event : events)
      amp_rt_event_destroy(ctx, event);
    for (void *block : blocks)
      amp_rt_free(ctx, block);
  }

  /// Memory and its contents. False after an error.
  bool setUp() {
    amp_rt_image_load(ctx, &suiteImage());
    amp_rt_gemm_prepare(ctx, &product());
    for (void *&block : blocks)
      if (!(block = amp_rt_alloc(ctx, 1024)))
        return false;
    std::vector<float> zeros(kCount, 0.0f), ones(kCount, 1.0f);
    amp_rt_upload(ctx, blocks[0], zeros.data(), kCount * 4);
    amp_rt_upload(ctx, blocks[1], ones.data(), kCount * 4);
    // More than one group of staging blocks.
    for (int i = 0; i < 6; ++i)
      amp_rt_upload(ctx, blocks[2], ones.data(), 4);
    for (amp_rt_event *&event : events)
      if (!event)
        amp_rt_event_create(ctx, &event);
    return amp_rt_last_status(ctx) == AMP_RT_OK;
  }
  bool step() {
    amp_rt_event_record(ctx, events[0]);
    if (amp_rt_step(ctx, &kUpdate, blocks))
      return false;
    ++updates;
    amp_rt_event_record(ctx, events[1]);
    float metric = 0;
    amp_rt_download(ctx, &metric, blocks[0], 4);
    double microseconds = 0;
    amp_rt_event_wait(ctx, events[1]);
    amp_rt_event_elapsed(ctx, events[0], events[1], &microseconds);
    return amp_rt_synchronize(ctx) == AMP_RT_OK;
  }
  void run() {
    if (setUp() && step())
      step();
    amp_rt_memory stats = {};
    stats.struct_size = sizeof(stats);
    amp_rt_memory_stats(ctx, &stats);
  }
  /// Whether the state is that of `updates` steps.
  void expectState() {
    std::vector<float> got = downloadFloats(ctx, blocks[0], kCount);
    EXPECT_EQ(got, std::vector<float>(kCount, float(updates)));
  }

  amp_rt_context *ctx;
  void *blocks[4] = {};
  amp_rt_event *events[2] = {};
  int updates = 0;
};

/// Every object that was made is given back.
void expectBalance(const Trace &trace) {
  std::map<std::string, int> made, given;
  for (const TraceLine &line : trace.lines()) {
    ++given[line.entry];
    if (line.status == 0)
      ++made[line.entry];
  }
  const std::pair<const char *, const char *> pairs[] = {
      {"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease"},
      {"cuStreamCreate", "cuStreamDestroy"},
      {"cuEventCreate", "cuEventDestroy"},
      {"cuMemPoolCreate", "cuMemPoolDestroy"},
      {"cuMemAllocFromPoolAsync", "cuMemFreeAsync"},
      {"cuMemHostAlloc", "cuMemFreeHost"},
      {"cuLibraryLoadData", "cuLibraryUnload"},
      {"cuGraphInstantiateWithFlags", "cuGraphExecDestroy"},
      {"cublasLtCreate", "cublasLtDestroy"},
      {"cublasLtMatmulDescCreate", "cublasLtMatmulDescDestroy"},
      {"cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutDestroy"},
      {"cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceDestroy"}};
  for (const auto &[create, destroy] : pairs)
    EXPECT_EQ(made[create], given[destroy]) << create;
  // A capture that is said to have failed may have made a graph all the same.
  EXPECT_GE(given["cuGraphDestroy"], made["cuStreamEndCapture"]);
  EXPECT_LE(given["cuGraphDestroy"], given["cuStreamEndCapture"]);
  EXPECT_EQ(made["cuStreamBeginCapture"], given["cuStreamEndCapture"]);
}

/// Failures that the program does not need to hear of.
bool mayPass(const std::string &entry) {
  return entry == "cuMemPoolGetAttribute" ||
         entry == "cublasLtMatmulAlgoConfigGetAttribute" ||
         contains(entry, "Destroy") || contains(entry, "Free") ||
         contains(entry, "Unload") || contains(entry, "Release");
}

/// How often an entry is called: until the program is done, and in all.
struct Calls {
  int running = 0;
  int all = 0;
};

std::map<std::string, Calls> callsOfProgram() {
  Trace trace;
  std::string message;
  amp_rt_context *ctx = nullptr;
  EXPECT_EQ(create(&ctx, &message), AMP_RT_OK) << message;
  std::map<std::string, Calls> calls;
  {
    Program program(ctx);
    program.run();
    EXPECT_EQ(amp_rt_last_status(ctx), AMP_RT_OK) << message;
    EXPECT_EQ(program.updates, 2);
    for (const TraceLine &line : trace.lines())
      ++calls[line.entry].running;
  }
  amp_rt_context_destroy(ctx);
  expectBalance(trace);
  for (const TraceLine &line : trace.lines())
    ++calls[line.entry].all;
  calls.erase("");
  return calls;
}

/// What can be said of a context whose program met the fault.
void expectUsable(amp_rt_context *ctx, Program &program,
                  const std::string &entry) {
  amp_rt_clear_error(ctx);
  amp_rt_inject_fault(ctx, entry.c_str(), 0);
  // Nothing was written to a state that was never set up.
  if (program.updates > 0)
    program.expectState();
  Program again(ctx);
  again.run();
  EXPECT_EQ(amp_rt_last_status(ctx), AMP_RT_OK) << amp_rt_last_error(ctx);
  EXPECT_EQ(again.updates, 2);
  if (again.updates == 2)
    again.expectState();
}

/// One run with the fault at the given call. `expectedStatus` may be left open
/// with 0. When the call belongs to the end, nothing but the balance shows.
void runWithFault(const std::string &entry, int call, const std::string &status,
                  int32_t expectedStatus, bool atEnd = false) {
  std::string fault = entry + ":" + std::to_string(call) + status;
  SCOPED_TRACE(fault);
  Trace trace;
  std::string message;
  amp_rt_context *ctx = nullptr;
  setenv("AMP_RT_INJECT", fault.c_str(), 1);
  int32_t result = create(&ctx, &message);
  unsetenv("AMP_RT_INJECT");
  if (!result) {
    Program program(ctx);
    program.run();
    result = amp_rt_last_status(ctx);
    if (!atEnd && result != AMP_RT_DEVICE_LOST)
      expectUsable(ctx, program, entry);
  }
  amp_rt_context_destroy(ctx);
  expectBalance(trace);
  if (atEnd || mayPass(entry)) {
    EXPECT_TRUE(result == AMP_RT_OK || contains(message, entry)) << message;
    return;
  }
  EXPECT_NE(result, AMP_RT_OK);
  if (expectedStatus) {
    EXPECT_EQ(result, expectedStatus) << message;
  }
  EXPECT_TRUE(contains(message, entry)) << message;
  EXPECT_TRUE(contains(message, "injected")) << message;
  EXPECT_TRUE(contains(message, "; ")) << message;
  EXPECT_TRUE(contains(message, ".cpp:")) << message;
}
} // namespace

/// The program uses every driver function that the runtime does.
TEST_F(CudaFaultTest, ProgramCallsEverything) {
  std::map<std::string, Calls> calls = callsOfProgram();
  for (const char *entry : {
#define AMP_CU_ENTRY(name) #name,
#include "../lib/cuda/DriverSymbols.def"
       })
    EXPECT_EQ(calls.count(entry), 1u) << entry;
}

TEST_F(CudaFaultTest, EveryCallFails) {
  // Keeps the device open, so that contexts are cheap to make.
  Context keeper;
  for (const auto &[entry, calls] : callsOfProgram())
    for (int call = 1; call <= calls.all; ++call)
      runWithFault(entry, call, "", 0, /*atEnd=*/call > calls.running);
}

/// A status decides what kind of error it is, wherever it comes from.
TEST_F(CudaFaultTest, StatusesAreClassified) {
  Context keeper;
  const std::pair<const char *, int32_t> statuses[] = {
      {":2", AMP_RT_OUT_OF_MEMORY}, {":700", AMP_RT_DEVICE_LOST},
      {":719", AMP_RT_DEVICE_LOST}, {":714", AMP_RT_DEVICE_LOST},
      {":801", AMP_RT_UNSUPPORTED}, {":999", AMP_RT_INTERNAL}};
  for (const char *entry :
       {"cuGraphLaunch", "cuStreamSynchronize", "cuMemcpyHtoDAsync",
        "cuMemAllocFromPoolAsync", "cuEventRecord", "cuLaunchKernel"})
    for (const auto &[text, status] : statuses)
      runWithFault(entry, 1, text, status);
}

TEST_F(CudaFaultTest, FaultArguments) {
  Context ctx;
  for (const char *site : {"cuNothing", "cuLaunchKernel:", "cuLaunchKernel:x",
                           "cuLaunchKernel:0", "gemm:2"}) {
    EXPECT_EQ(amp_rt_inject_fault(ctx, site, 1), AMP_RT_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(ctx.error(), site)) << ctx.error();
    amp_rt_clear_error(ctx);
  }
  EXPECT_EQ(amp_rt_inject_fault(ctx, "cuLaunchKernel:700", -1),
            AMP_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(ctx.error(), "'countdown' of the fault site "
                                    "'cuLaunchKernel:700' expects 0 or more"))
      << ctx.error();
  amp_rt_clear_error(ctx);
  // Disarmed by 0.
  ASSERT_EQ(amp_rt_inject_fault(ctx, "cuMemsetD8Async", 1), AMP_RT_OK);
  ASSERT_EQ(amp_rt_inject_fault(ctx, "cuMemsetD8Async", 0), AMP_RT_OK);
  void *block = amp_rt_alloc(ctx, 8);
  EXPECT_EQ(amp_rt_fill(ctx, block, 0, 8), AMP_RT_OK) << ctx.error();
  amp_rt_free(ctx, block);
}

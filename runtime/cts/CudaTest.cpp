//===- CudaTest.cpp - Kernels and graphs ----------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only a device has: images, launches, steps as graphs, the calls that a
// step makes, and a lost device.
//
//===----------------------------------------------------------------------===//

#include "CudaSupport.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace cts;

namespace {
class CudaTest : public CudaSuite {};

constexpr uint32_t kBlocks = 3, kThreads = 64;
constexpr size_t kCount = kBlocks * kThreads;

std::vector<float> ramp(float first) {
  std::vector<float> values(kCount);
  for (size_t i = 0; i < kCount; ++i)
    values[i] = first + float(i);
  return values;
}

std::vector<float> doubled(std::vector<float> values) {
  for (float &value : values)
    value = 2 * value + 1;
  return values;
}

/// Two buffers and a launch of cts_double between them.
struct Doubling {
  explicit Doubling(amp_rt_context *ctx) : ctx(ctx) {
    args[0] = uploadFloats(ctx, std::vector<float>(kCount, -1.0f));
    args[1] = uploadFloats(ctx, ramp(0));
  }
  ~Doubling() {
    for (void *arg : args)
      amp_rt_free(ctx, arg);
  }
  int32_t launch(const amp_rt_image *image = nullptr) {
    amp_rt_launch_desc desc = launchOf("cts_double", kBlocks, kThreads, 2);
    if (image)
      desc.image = image;
    return amp_rt_launch(ctx, &desc, args);
  }
  std::vector<float> out() { return downloadFloats(ctx, args[0], kCount); }
  void setInput(float first) {
    std::vector<float> values = ramp(first);
    amp_rt_upload(ctx, args[1], values.data(), kCount * sizeof(float));
  }

  amp_rt_context *ctx;
  void *args[2];
};

int numRecords = 0;

/// args: out, in. out = 2 * (2 * in + 1) + 1 through two launches.
int32_t recordTwice(amp_rt_context *ctx, void **args) {
  ++numRecords;
  amp_rt_launch_desc desc = launchOf("cts_double", kBlocks, kThreads, 2);
  amp_rt_launch(ctx, &desc, args);
  void *again[] = {args[0], args[0]};
  amp_rt_launch(ctx, &desc, again);
  return amp_rt_commit(ctx);
}

const amp_rt_step_desc kTwice = {sizeof(kTwice), "twice", recordTwice, 2};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST_F(CudaTest, Launch) {
  Context ctx;
  ASSERT_EQ(amp_rt_image_load(ctx, &suiteImage()), AMP_RT_OK) << ctx.error();
  Doubling doubling(ctx);
  ASSERT_EQ(doubling.launch(), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(doubling.out(), doubled(ramp(0)));
}

/// Loaded once for equal content; an address with other content is another
/// image, and finds its own kernels.
TEST_F(CudaTest, ImagesByContent) {
  Trace trace;
  Context ctx;
  std::string copy(static_cast<const char *>(suiteImage().data),
                   suiteImage().bytes);
  amp_rt_image image = suiteImage();
  image.data = copy.data();
  ASSERT_EQ(amp_rt_image_load(ctx, &suiteImage()), AMP_RT_OK) << ctx.error();
  ASSERT_EQ(amp_rt_image_load(ctx, &image), AMP_RT_OK) << ctx.error();
  ASSERT_EQ(amp_rt_image_load(ctx, &image), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(trace.count("cuLibraryLoadData"), 1u);
  Doubling doubling(ctx);
  ASSERT_EQ(doubling.launch(&image), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(doubling.out(), doubled(ramp(0)));

  // Another text in the same place; the key of what it was made from does not
  // see comments, the driver does not mind them.
  size_t at = copy.find("// Generated");
  ASSERT_NE(at, std::string::npos);
  copy[at + 3] = 'g';
  ASSERT_EQ(amp_rt_image_load(ctx, &image), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(trace.count("cuLibraryLoadData"), 2u);
  ASSERT_EQ(doubling.launch(&image), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(trace.count("cuLibraryGetKernel"), 2u);
}

TEST_F(CudaTest, LaunchErrors) {
  Context ctx;
  Doubling doubling(ctx);
  EXPECT_EQ(doubling.launch(), AMP_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(ctx.error(), "'sm_80 ptx of the suite' of the kernel "
                                    "'cts_double' was not loaded"))
      << ctx.error();
  amp_rt_clear_error(ctx);
  ASSERT_EQ(amp_rt_image_load(ctx, &suiteImage()), AMP_RT_OK) << ctx.error();
  amp_rt_launch_desc desc = launchOf("cts_nowhere", 1, 1, 0);
  EXPECT_EQ(amp_rt_launch(ctx, &desc, nullptr), AMP_RT_INTERNAL);
  EXPECT_TRUE(contains(ctx.error(), "'cts_nowhere'")) << ctx.error();
  EXPECT_TRUE(contains(ctx.error(), "cuLibraryGetKernel")) << ctx.error();
  amp_rt_clear_error(ctx);
  EXPECT_EQ(doubling.launch(), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(doubling.out(), doubled(ramp(0)));
}

TEST_F(CudaTest, NoSuchDevice) {
  std::string message;
  amp_rt_context_options options = {};
  options.struct_size = sizeof(options);
  options.backend = AMP_RT_BACKEND_CUDA;
  options.device = 1000;
  options.user = &message;
  options.on_error = [](void *user, int32_t, const char *text) {
    *static_cast<std::string *>(user) = text;
  };
  amp_rt_context *ctx = nullptr;
  EXPECT_EQ(amp_rt_context_create(&options, &ctx), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ctx, nullptr);
  EXPECT_TRUE(contains(message, "but got 1000")) << message;
}

TEST_F(CudaTest, FreeOfForeignMemory) {
  Context ctx;
  int local = 0;
  amp_rt_free(ctx, &local);
  EXPECT_EQ(ctx.status(), AMP_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(ctx.error(), "memory of this context")) << ctx.error();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Recorded once for each set of pointers (and read once before that), then
/// replayed with what the buffers hold.
TEST_F(CudaTest, StepIsRecordedOnce) {
  Trace trace;
  Context ctx;
  ASSERT_EQ(amp_rt_image_load(ctx, &suiteImage()), AMP_RT_OK) << ctx.error();
  Doubling first(ctx), second(ctx);
  numRecords = 0;
  for (int i = 0; i < 4; ++i) {
    first.setInput(float(i));
    ASSERT_EQ(amp_rt_step(ctx, &kTwice, first.args), AMP_RT_OK) << ctx.error();
    EXPECT_EQ(first.out(), doubled(doubled(ramp(float(i)))));
  }
  EXPECT_EQ(numRecords, 2);
  EXPECT_EQ(trace.count("cuGraphInstantiateWithFlags"), 1u);
  EXPECT_EQ(trace.count("cuGraphLaunch"), 4u);
  ASSERT_EQ(amp_rt_step(ctx, &kTwice, second.args), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(second.out(), doubled(doubled(ramp(0))));
  EXPECT_EQ(numRecords, 4);
  ASSERT_EQ(amp_rt_step(ctx, &kTwice, first.args), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(numRecords, 4);
  // New code may stand where the old did.
  ASSERT_EQ(amp_rt_image_load(ctx, &suiteImage()), AMP_RT_OK) << ctx.error();
  ASSERT_EQ(amp_rt_step(ctx, &kTwice, first.args), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(numRecords, 6);
}

TEST_F(CudaTest, GraphsOff) {
  Trace trace;
  setenv("AMP_RT_GRAPHS", "0", 1);
  Context ctx;
  unsetenv("AMP_RT_GRAPHS");
  ASSERT_EQ(amp_rt_image_load(ctx, &suiteImage()), AMP_RT_OK) << ctx.error();
  Doubling doubling(ctx);
  numRecords = 0;
  for (int i = 0; i < 3; ++i) {
    doubling.setInput(float(i));
    ASSERT_EQ(amp_rt_step(ctx, &kTwice, doubling.args), AMP_RT_OK)
        << ctx.error();
    EXPECT_EQ(doubling.out(), doubled(doubled(ramp(float(i)))));
  }
  EXPECT_EQ(numRecords, 3);
  EXPECT_EQ(trace.count("cuStreamBeginCapture"), 0u);
  EXPECT_EQ(trace.count("cuLaunchKernel"), 6u);
}

/// A training loop's shape: the batch goes up, the step runs, a metric is asked
/// for and read a step later. After warm-up each step launches one graph, and
/// nothing allocates, waits or reads inside it.
TEST_F(CudaTest, CallsOfAStep) {
  Trace trace;
  Context ctx;
  ASSERT_EQ(amp_rt_image_load(ctx, &suiteImage()), AMP_RT_OK) << ctx.error();
  Doubling doubling(ctx);
  amp_rt_event *events[2] = {};
  float metrics[2] = {};
  for (amp_rt_event *&event : events)
    ASSERT_EQ(amp_rt_event_create(ctx, &event), AMP_RT_OK);
  constexpr int kSteps = 8, kWarmUp = 3;
  for (int i = 0; i < kSteps; ++i) {
    if (i == kWarmUp)
      trace.clear();
    doubling.setInput(float(i));
    amp_rt_step_begin(ctx, "train");
    ASSERT_EQ(amp_rt_step(ctx, &kTwice, doubling.args), AMP_RT_OK)
        << ctx.error();
    amp_rt_step_end(ctx);
    ASSERT_EQ(amp_rt_download(ctx, &metrics[i % 2], doubling.args[0], 4),
              AMP_RT_OK);
    ASSERT_EQ(amp_rt_event_record(ctx, events[i % 2]), AMP_RT_OK);
    if (i > 0) {
      int before = (i - 1) % 2;
      ASSERT_EQ(amp_rt_event_wait(ctx, events[before]), AMP_RT_OK);
      EXPECT_EQ(metrics[before], 4.0f * float(i - 1) + 3.0f);
    }
  }
  bool inside = false;
  int steps = 0, launches = 0;
  for (const TraceLine &line : trace.lines()) {
    SCOPED_TRACE(line.text);
    for (const char *never :
         {"cuMemAllocFromPoolAsync", "cuMemHostAlloc", "cuMemFreeAsync",
          "cuEventCreate", "cuGraphInstantiateWithFlags", "cuLaunchKernel",
          "cuStreamSynchronize"})
      EXPECT_NE(line.entry, never);
    if (line.text == "# begin train") {
      inside = true;
      ++steps;
    } else if (line.text == "# end train") {
      inside = false;
    } else if (line.entry == "cuGraphLaunch") {
      EXPECT_TRUE(inside);
      ++launches;
    } else if (inside) {
      EXPECT_EQ(line.entry, "cuCtxSetCurrent");
    }
  }
  EXPECT_EQ(steps, kSteps - kWarmUp);
  EXPECT_EQ(launches, steps);
  for (amp_rt_event *event : events)
    amp_rt_event_destroy(ctx, event);
}

/// Clearing an error forgets downloads: their destinations may be gone.
TEST_F(CudaTest, ClearedErrorForgetsDownloads) {
  Context ctx;
  void *block = uploadFloats(ctx, {1.0f});
  float value = -5.0f;
  ASSERT_EQ(amp_rt_download(ctx, &value, block, 4), AMP_RT_OK);
  amp_rt_inject_fault(ctx, "nowhere", 1);
  amp_rt_clear_error(ctx);
  ASSERT_EQ(amp_rt_synchronize(ctx), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(value, -5.0f);
  EXPECT_EQ(downloadFloats(ctx, block, 1)[0], 1.0f);
  amp_rt_free(ctx, block);
}

//===----------------------------------------------------------------------===//
// A lost device
//===----------------------------------------------------------------------===//

namespace {
/// Everything after the loss says so, in an order that also destroys what was
/// made before.
void expectLost(Context &ctx, void *block) {
  constexpr int32_t kLost = AMP_RT_DEVICE_LOST;
  std::string first = ctx.error();
  amp_rt_clear_error(ctx);
  EXPECT_EQ(ctx.status(), kLost);
  EXPECT_EQ(ctx.error(), first);
  EXPECT_TRUE(contains(first, "last checkpoint")) << first;
  float value = 0;
  EXPECT_EQ(amp_rt_alloc(ctx, 8), nullptr);
  EXPECT_EQ(amp_rt_upload(ctx, block, &value, 4), kLost);
  EXPECT_EQ(amp_rt_download(ctx, &value, block, 4), kLost);
  EXPECT_EQ(amp_rt_fill(ctx, block, 0, 4), kLost);
  EXPECT_EQ(amp_rt_synchronize(ctx), kLost);
  amp_rt_event *event = nullptr;
  EXPECT_EQ(amp_rt_event_create(ctx, &event), kLost);
  EXPECT_EQ(amp_rt_image_load(ctx, &suiteImage()), kLost);
  void *args[] = {block, block};
  EXPECT_EQ(amp_rt_step(ctx, &kTwice, args), kLost);
  EXPECT_EQ(amp_rt_commit(ctx), kLost);
  amp_rt_free(ctx, block);
}
} // namespace

TEST_F(CudaTest, InjectedLoss) {
  Context ctx;
  ASSERT_EQ(amp_rt_image_load(ctx, &suiteImage()), AMP_RT_OK) << ctx.error();
  Doubling doubling(ctx);
  void *block = uploadFloats(ctx, {1.0f});
  ASSERT_EQ(amp_rt_inject_fault(ctx, "cuGraphLaunch:719", 1), AMP_RT_OK);
  EXPECT_EQ(amp_rt_step(ctx, &kTwice, doubling.args), AMP_RT_DEVICE_LOST);
  EXPECT_TRUE(contains(ctx.error(), "CUDA_ERROR_LAUNCH_FAILED, 719), injected"))
      << ctx.error();
  expectLost(ctx, block);
}

/// A kernel that writes where no memory is: the loss shows at the next wait,
/// and the context can be destroyed. In a process of its own, since a driver
/// gives no device to a process that has lost it.
TEST_F(CudaTest, RealLoss) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto lose = [] {
    {
      Context ctx;
      amp_rt_image_load(ctx, &suiteImage());
      uint64_t nowhere = 8;
      void *where = uploadBytes(ctx, &nowhere, sizeof(nowhere));
      void *block = uploadFloats(ctx, {1.0f});
      amp_rt_launch_desc desc = launchOf("cts_crash", 1, 32, 1);
      amp_rt_launch(ctx, &desc, &where);
      EXPECT_EQ(amp_rt_synchronize(ctx), AMP_RT_DEVICE_LOST);
      expectLost(ctx, block);
    }
    std::fprintf(stderr, "destroyed\n");
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(lose(), testing::ExitedWithCode(0), "destroyed");
}

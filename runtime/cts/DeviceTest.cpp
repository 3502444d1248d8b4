//===- DeviceTest.cpp - Copies, events, kernels and steps -----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract of amp-rt/device.h that both back ends keep. What needs a device
// is in CudaTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <algorithm>
#include <memory>

using namespace cts;

namespace {
class DeviceTest : public Suite {};

std::vector<unsigned char> pattern(size_t bytes, unsigned char first) {
  std::vector<unsigned char> data(bytes);
  for (size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<unsigned char>(first + i * 7 + (i >> 8));
  return data;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
} // namespace

/// Sizes below, at and far above what a staging block may hold.
TEST_F(DeviceTest, UploadThenDownload) {
  Context ctx;
  for (size_t bytes : {size_t(1), size_t(4), size_t(4095), size_t(4096),
                       size_t(70001), (size_t(9) << 20) + 5}) {
    SCOPED_TRACE(bytes);
    std::vector<unsigned char> data = pattern(bytes, 3);
    void *block = uploadBytes(ctx, data.data(), bytes);
    EXPECT_EQ(downloadBytes(ctx, block, bytes), data);
    amp_rt_free(ctx, block);
  }
}

/// The source of an upload may be reused at once, many times over.
TEST_F(DeviceTest, UploadSourceIsFreeAtReturn) {
  Context ctx;
  constexpr int kCount = 200;
  constexpr size_t kBytes = 50000;
  char *block = static_cast<char *>(amp_rt_alloc(ctx, kCount * kBytes));
  std::vector<unsigned char> source;
  for (int i = 0; i < kCount; ++i) {
    source = pattern(kBytes, static_cast<unsigned char>(i));
    ASSERT_EQ(amp_rt_upload(ctx, block + i * kBytes, source.data(), kBytes),
              AMP_RT_OK);
    std::fill(source.begin(), source.end(), 0);
  }
  for (int i = 0; i < kCount; i += 37)
    EXPECT_EQ(downloadBytes(ctx, block + i * kBytes, kBytes),
              pattern(kBytes, static_cast<unsigned char>(i)));
  amp_rt_free(ctx, block);
}

/// Each call takes effect after the earlier ones: a download sees what was
/// there when it was asked for.
TEST_F(DeviceTest, OrderOfCopies) {
  Context ctx;
  std::vector<unsigned char> a = pattern(1000, 1), b = pattern(1000, 99);
  void *x = uploadBytes(ctx, a.data(), 1000);
  void *y = amp_rt_alloc(ctx, 1000);
  std::vector<unsigned char> first(1000), second(1000), third(1000);
  ASSERT_EQ(amp_rt_copy(ctx, y, x, 1000), AMP_RT_OK);
  ASSERT_EQ(amp_rt_download(ctx, first.data(), y, 1000), AMP_RT_OK);
  ASSERT_EQ(amp_rt_upload(ctx, x, b.data(), 1000), AMP_RT_OK);
  ASSERT_EQ(amp_rt_copy(ctx, y, x, 600), AMP_RT_OK);
  ASSERT_EQ(amp_rt_download(ctx, second.data(), y, 1000), AMP_RT_OK);
  ASSERT_EQ(amp_rt_fill(ctx, y, 0x5a, 10), AMP_RT_OK);
  ASSERT_EQ(amp_rt_download(ctx, third.data(), y, 1000), AMP_RT_OK);
  ASSERT_EQ(amp_rt_synchronize(ctx), AMP_RT_OK);
  EXPECT_EQ(first, a);
  std::copy(b.begin(), b.begin() + 600, a.begin());
  EXPECT_EQ(second, a);
  std::fill(a.begin(), a.begin() + 10, 0x5a);
  EXPECT_EQ(third, a);
  amp_rt_free(ctx, x);
  amp_rt_free(ctx, y);
}

/// Waiting for an event completes the downloads before it.
TEST_F(DeviceTest, EventCompletesDownloads) {
  Context ctx;
  std::vector<unsigned char> data = pattern(300, 11);
  void *block = uploadBytes(ctx, data.data(), 300);
  amp_rt_event *event = nullptr;
  ASSERT_EQ(amp_rt_event_create(ctx, &event), AMP_RT_OK) << ctx.error();
  for (int round = 0; round < 3; ++round) {
    std::vector<unsigned char> got(300);
    ASSERT_EQ(amp_rt_download(ctx, got.data(), block, 300), AMP_RT_OK);
    ASSERT_EQ(amp_rt_event_record(ctx, event), AMP_RT_OK);
    ASSERT_EQ(amp_rt_event_wait(ctx, event), AMP_RT_OK);
    EXPECT_EQ(got, data);
  }
  amp_rt_event_destroy(ctx, event);
  amp_rt_event_destroy(ctx, nullptr);
  amp_rt_free(ctx, block);
}

TEST_F(DeviceTest, EventTimes) {
  Context ctx;
  amp_rt_event *begin = nullptr, *end = nullptr;
  ASSERT_EQ(amp_rt_event_create(ctx, &begin), AMP_RT_OK);
  ASSERT_EQ(amp_rt_event_create(ctx, &end), AMP_RT_OK);
  void *block = amp_rt_alloc(ctx, 4 << 20);
  ASSERT_EQ(amp_rt_event_record(ctx, begin), AMP_RT_OK);
  ASSERT_EQ(amp_rt_fill(ctx, block, 1, 4 << 20), AMP_RT_OK);
  ASSERT_EQ(amp_rt_event_record(ctx, end), AMP_RT_OK);
  double microseconds = -1;
  ASSERT_EQ(amp_rt_event_elapsed(ctx, begin, end, &microseconds), AMP_RT_OK);
  EXPECT_GE(microseconds, 0.0);
  EXPECT_LT(microseconds, 60e6);
  amp_rt_event_destroy(ctx, begin);
  amp_rt_event_destroy(ctx, end);
  amp_rt_free(ctx, block);
}

/// 0 bytes touch no pointer; otherwise each pointer is checked by name.
TEST_F(DeviceTest, CopyArguments) {
  Context ctx;
  EXPECT_EQ(amp_rt_upload(ctx, nullptr, nullptr, 0), AMP_RT_OK);
  EXPECT_EQ(amp_rt_download(ctx, nullptr, nullptr, 0), AMP_RT_OK);
  EXPECT_EQ(amp_rt_copy(ctx, nullptr, nullptr, 0), AMP_RT_OK);
  EXPECT_EQ(amp_rt_fill(ctx, nullptr, 1, 0), AMP_RT_OK);
  char byte = 0;
  auto refused = [&](int32_t status, const char *part) {
    EXPECT_EQ(status, AMP_RT_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(ctx.error(), part)) << ctx.error();
    EXPECT_TRUE(contains(ctx.error(), "; ")) << ctx.error();
    amp_rt_clear_error(ctx);
  };
  refused(amp_rt_upload(ctx, nullptr, &byte, 1), "'destination' of amp_rt_upl");
  refused(amp_rt_upload(ctx, &byte, nullptr, 1), "'source' of amp_rt_upload");
  refused(amp_rt_download(ctx, &byte, nullptr, 1), "'source' of amp_rt_downl");
  refused(amp_rt_copy(ctx, &byte, nullptr, 1), "'source' of amp_rt_copy");
  refused(amp_rt_fill(ctx, nullptr, 0, 1), "'destination' of amp_rt_fill");
  refused(amp_rt_event_create(ctx, nullptr), "'event'");
  refused(amp_rt_event_record(ctx, nullptr), "'event'");
  amp_rt_event *event = nullptr;
  ASSERT_EQ(amp_rt_event_create(ctx, &event), AMP_RT_OK);
  refused(amp_rt_event_wait(ctx, event), "an event that was recorded");
  amp_rt_event_destroy(ctx, event);
}

/// In the error state nothing is copied, and destroying still works.
TEST_F(DeviceTest, ErrorState) {
  Context ctx;
  std::vector<unsigned char> data = pattern(64, 5), zero(64);
  void *block = uploadBytes(ctx, data.data(), 64);
  amp_rt_event *event = nullptr, *none = nullptr;
  ASSERT_EQ(amp_rt_event_create(ctx, &event), AMP_RT_OK);
  EXPECT_EQ(amp_rt_inject_fault(ctx, "nowhere", 1), AMP_RT_INVALID_ARGUMENT);
  constexpr int32_t kError = AMP_RT_INVALID_ARGUMENT;
  EXPECT_EQ(amp_rt_upload(ctx, block, zero.data(), 64), kError);
  EXPECT_EQ(amp_rt_fill(ctx, block, 0, 64), kError);
  EXPECT_EQ(amp_rt_copy(ctx, block, block, 64), kError);
  EXPECT_EQ(amp_rt_download(ctx, zero.data(), block, 64), kError);
  EXPECT_EQ(amp_rt_synchronize(ctx), kError);
  EXPECT_EQ(amp_rt_event_create(ctx, &none), kError);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(amp_rt_event_record(ctx, event), kError);
  EXPECT_EQ(amp_rt_event_wait(ctx, event), kError);
  amp_rt_event_destroy(ctx, event);
  EXPECT_EQ(zero, std::vector<unsigned char>(64));
  amp_rt_clear_error(ctx);
  EXPECT_EQ(downloadBytes(ctx, block, 64), data);
  amp_rt_free(ctx, block);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST_F(DeviceTest, ImageAndLaunchArguments) {
  Context ctx;
  auto refused = [&](int32_t status, const char *part) {
    EXPECT_EQ(status, AMP_RT_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(ctx.error(), part)) << ctx.error();
    amp_rt_clear_error(ctx);
  };
  amp_rt_image image = {sizeof(image), "x", 1, "a test"};
  refused(amp_rt_image_load(ctx, nullptr), "'image'");
  image.struct_size = 8;
  refused(amp_rt_image_load(ctx, &image), "'struct_size' of amp_rt_image");
  image.struct_size = sizeof(image);
  image.bytes = 0;
  refused(amp_rt_image_load(ctx, &image), "the image 'a test' expects data");
  image.bytes = 1;
  amp_rt_launch_desc launch = {sizeof(launch), &image, "k", 1, 32, 0, 0};
  refused(amp_rt_launch(ctx, nullptr, nullptr), "'desc'");
  launch.threads = 1025;
  refused(amp_rt_launch(ctx, &launch, nullptr), "1025");
  launch.threads = 32;
  launch.num_pointers = 1;
  refused(amp_rt_launch(ctx, &launch, nullptr), "'pointers' of k");
}

TEST_F(DeviceTest, NoKernelsOnTheCpu) {
  if (backendUnderTest != AMP_RT_BACKEND_CPU)
    GTEST_SKIP() << "it has kernels";
  Context ctx;
  amp_rt_image image = {sizeof(image), "x", 1, "sm_90 cubin"};
  EXPECT_EQ(amp_rt_image_load(ctx, &image), AMP_RT_UNSUPPORTED);
  EXPECT_TRUE(contains(ctx.error(), "'sm_90 cubin'; use AMP_RT_BACKEND_CUDA"))
      << ctx.error();
  amp_rt_clear_error(ctx);
  amp_rt_launch_desc launch = {sizeof(launch), &image, "k", 1, 32, 0, 0};
  EXPECT_EQ(amp_rt_launch(ctx, &launch, nullptr), AMP_RT_UNSUPPORTED);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
constexpr size_t kStepBytes = 512;

/// args: state, input, scratch. state := input through scratch, with a fill.
int32_t recordCopies(amp_rt_context *ctx, void **args) {
  amp_rt_copy(ctx, args[2], args[1], kStepBytes);
  amp_rt_fill(ctx, args[2], 0x77, 16);
  if (int32_t status = amp_rt_commit(ctx))
    return status;
  return amp_rt_copy(ctx, args[0], args[2], kStepBytes);
}

struct StepFixture {
  explicit StepFixture(amp_rt_context *ctx) : ctx(ctx) {
    for (void *&arg : args)
      arg = amp_rt_alloc(ctx, kStepBytes);
    setState(0);
  }
  ~StepFixture() {
    for (void *arg : args)
      amp_rt_free(ctx, arg);
  }
  void setState(unsigned char value) {
    EXPECT_EQ(amp_rt_fill(ctx, args[0], value, kStepBytes), AMP_RT_OK);
  }
  void setInput(unsigned char first) {
    std::vector<unsigned char> data = pattern(kStepBytes, first);
    EXPECT_EQ(amp_rt_upload(ctx, args[1], data.data(), kStepBytes), AMP_RT_OK);
  }
  std::vector<unsigned char> state() {
    return downloadBytes(ctx, args[0], kStepBytes);
  }
  static std::vector<unsigned char> expected(unsigned char first) {
    std::vector<unsigned char> data = pattern(kStepBytes, first);
    std::fill(data.begin(), data.begin() + 16, 0x77);
    return data;
  }
  int32_t run(int32_t (*record)(amp_rt_context *, void **) = recordCopies) {
    amp_rt_step_desc desc = {sizeof(desc), "copies", record, 3};
    return amp_rt_step(ctx, &desc, args);
  }
  amp_rt_context *ctx;
  void *args[3];
};

} // namespace

/// A step reads what is in its buffers when it runs, not when it was recorded.
TEST_F(DeviceTest, StepRunsAgain) {
  Context ctx;
  StepFixture fixture(ctx);
  for (unsigned char i = 1; i < 6; ++i) {
    fixture.setInput(i);
    ASSERT_EQ(fixture.run(), AMP_RT_OK) << ctx.error();
    EXPECT_EQ(fixture.state(), StepFixture::expected(i));
  }
}

/// Other pointers are another recording, in any order and number.
TEST_F(DeviceTest, StepOfManyPointerSets) {
  Context ctx;
  std::vector<std::unique_ptr<StepFixture>> fixtures;
  for (int i = 0; i < 150; ++i)
    fixtures.push_back(std::make_unique<StepFixture>(ctx));
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < fixtures.size(); ++i) {
      auto first = static_cast<unsigned char>(i + round * 50);
      fixtures[i]->setInput(first);
      ASSERT_EQ(fixtures[i]->run(), AMP_RT_OK) << ctx.error();
      if (i % 29 == 0) {
        EXPECT_EQ(fixtures[i]->state(), StepFixture::expected(first));
      }
    }
  }
}

/// Two steps on the same pointers are two recordings.
TEST_F(DeviceTest, StepsOnTheSamePointers) {
  Context ctx;
  StepFixture fixture(ctx);
  auto clear = [](amp_rt_context *ctx, void **args) -> int32_t {
    if (int32_t status = amp_rt_commit(ctx))
      return status;
    return amp_rt_fill(ctx, args[0], 0x11, kStepBytes);
  };
  for (unsigned char i = 1; i < 4; ++i) {
    fixture.setInput(i);
    ASSERT_EQ(fixture.run(), AMP_RT_OK) << ctx.error();
    EXPECT_EQ(fixture.state(), StepFixture::expected(i));
    ASSERT_EQ(fixture.run(clear), AMP_RT_OK) << ctx.error();
    EXPECT_EQ(fixture.state(), std::vector<unsigned char>(kStepBytes, 0x11));
  }
}

/// A product in a step, prepared by the step itself.
TEST_F(DeviceTest, StepWithProduct) {
  Context ctx;
  GemmCase c;
  c.m = 16;
  c.n = 24;
  c.k = 32;
  GemmRun product(c);
  Mirror mirror(ctx, product);
  static GemmRun *current;
  static amp_rt_gemm_args args;
  current = &product;
  args = mirror.args();
  amp_rt_step_desc desc = {sizeof(desc), "product",
                           [](amp_rt_context *ctx, void **) {
                             amp_rt_gemm(ctx, &current->desc, &args);
                             return amp_rt_commit(ctx);
                           },
                           0};
  for (int i = 0; i < 3; ++i) {
    mirror.upload();
    ASSERT_EQ(amp_rt_step(ctx, &desc, nullptr), AMP_RT_OK) << ctx.error();
    mirror.download();
    EXPECT_TRUE(product.check());
    std::fill(product.out.bytes.begin(), product.out.bytes.end(), 0xff);
    product.oldOut = product.out;
  }
}

/// A fault before the commit leaves the state, at the first run and later.
TEST_F(DeviceTest, StepCommitGuardsState) {
  for (int64_t countdown : {1, 2, 3}) {
    SCOPED_TRACE(countdown);
    Context ctx;
    StepFixture fixture(ctx);
    ASSERT_EQ(amp_rt_inject_fault(ctx, "commit", countdown), AMP_RT_OK);
    for (int64_t i = 1; i <= countdown; ++i) {
      fixture.setInput(static_cast<unsigned char>(i));
      EXPECT_EQ(fixture.run(),
                i == countdown ? AMP_RT_INJECTED_FAULT : AMP_RT_OK);
    }
    EXPECT_EQ(fixture.run(), AMP_RT_INJECTED_FAULT);
    amp_rt_clear_error(ctx);
    if (countdown == 1)
      EXPECT_EQ(fixture.state(), std::vector<unsigned char>(kStepBytes));
    else
      EXPECT_EQ(
          fixture.state(),
          StepFixture::expected(static_cast<unsigned char>(countdown - 1)));
    fixture.setInput(200);
    EXPECT_EQ(fixture.run(), AMP_RT_OK) << ctx.error();
    EXPECT_EQ(fixture.state(), StepFixture::expected(200));
  }
}

/// An error inside the step is the step's, nothing of it has run on a device,
/// and the context works after it.
TEST_F(DeviceTest, StepErrorLeavesNothing) {
  Context ctx;
  StepFixture fixture(ctx);
  auto bad = [](amp_rt_context *ctx, void **args) -> int32_t {
    amp_rt_fill(ctx, args[2], 1, kStepBytes);
    amp_rt_gemm(ctx, nullptr, nullptr);
    if (int32_t status = amp_rt_commit(ctx))
      return status;
    return amp_rt_fill(ctx, args[0], 1, kStepBytes);
  };
  EXPECT_EQ(fixture.run(bad), AMP_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(ctx.error(), "expects a descriptor")) << ctx.error();
  amp_rt_clear_error(ctx);
  EXPECT_EQ(fixture.state(), std::vector<unsigned char>(kStepBytes));
  auto silent = [](amp_rt_context *, void **) -> int32_t { return 4; };
  EXPECT_EQ(fixture.run(silent), AMP_RT_INTERNAL);
  EXPECT_TRUE(contains(ctx.error(), "the step 'copies' returns 4"))
      << ctx.error();
  amp_rt_clear_error(ctx);
  fixture.setInput(9);
  EXPECT_EQ(fixture.run(), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(fixture.state(), StepFixture::expected(9));
}

/// What waits, allocates or reads is refused inside a step by name.
TEST_F(DeviceTest, StepForbidsHostWork) {
  Context ctx;
  StepFixture fixture(ctx);
  struct {
    int32_t (*record)(amp_rt_context *ctx, void **args);
    const char *part;
  } cases[] = {
      {[](amp_rt_context *ctx, void **args) {
         char byte = 0;
         return amp_rt_upload(ctx, args[0], &byte, 1);
       },
       "amp_rt_upload is called inside a step"},
      {[](amp_rt_context *ctx, void **args) {
         char byte = 0;
         return amp_rt_download(ctx, &byte, args[0], 1);
       },
       "amp_rt_download is called inside a step"},
      {[](amp_rt_context *ctx, void **) { return amp_rt_synchronize(ctx); },
       "amp_rt_synchronize is called inside a step"},
      {[](amp_rt_context *ctx, void **) {
         amp_rt_event *event = nullptr;
         return amp_rt_event_create(ctx, &event);
       },
       "amp_rt_event_create is called inside a step"},
      {[](amp_rt_context *ctx, void **) {
         amp_rt_alloc(ctx, 8);
         return amp_rt_last_status(ctx);
       },
       "a step may not allocate"},
      {[](amp_rt_context *ctx, void **args) {
         amp_rt_free(ctx, args[2]);
         return amp_rt_last_status(ctx);
       },
       "a step may not free memory"},
      {[](amp_rt_context *ctx, void **args) {
         amp_rt_step_desc inner = {sizeof(inner), "inner", recordCopies, 3};
         return amp_rt_step(ctx, &inner, args);
       },
       "amp_rt_step is called inside a step"},
  };
  for (const auto &c : cases) {
    EXPECT_EQ(fixture.run(c.record), AMP_RT_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(ctx.error(), c.part)) << ctx.error();
    amp_rt_clear_error(ctx);
  }
  fixture.setInput(4);
  EXPECT_EQ(fixture.run(), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(fixture.state(), StepFixture::expected(4));
}

TEST_F(DeviceTest, StepArguments) {
  Context ctx;
  StepFixture fixture(ctx);
  auto refused = [&](amp_rt_step_desc desc, void **args, const char *part) {
    EXPECT_EQ(amp_rt_step(ctx, &desc, args), AMP_RT_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(ctx.error(), part)) << ctx.error();
    amp_rt_clear_error(ctx);
  };
  constexpr size_t size = sizeof(amp_rt_step_desc);
  refused({8, "s", recordCopies, 3}, fixture.args, "'struct_size'");
  refused({size, nullptr, recordCopies, 3}, fixture.args, "'name'");
  refused({size, "s", nullptr, 3}, fixture.args, "'record' of s");
  refused({size, "s", recordCopies, 3}, nullptr, "'args' of s");
}

//===- Context.cpp - Context, errors and fault injection ------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Life of a context, the sticky error with the commit rule, and the faults that
// tests inject.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Threads.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

using namespace amp_rt;

static const char *const kFaultSiteNames[kNumFaultSites] = {
    "alloc", "gemm", "gemm_prepare", "commit"};

static bool envFlag(const char *name) {
  const char *value = std::getenv(name);
  return value && *value && std::strcmp(value, "0") != 0;
}

double amp_rt::nowMicroseconds() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch())
      .count();
}

amp_rt_context::amp_rt_context(const amp_rt_context_options &opts)
    : options(opts), numThreads(opts.num_threads),
      verbose(envFlag("AMP_RT_VERBOSE")), printStats(envFlag("AMP_RT_STATS")) {
  if (numThreads == 0)
    numThreads = defaultThreads();
}

int32_t amp_rt_context::fail(int32_t newStatus, const char *file, int line,
                             const char *format, ...) {
  if (status != AMP_RT_OK)
    return status;
  status = newStatus;
  va_list args;
  va_start(args, format);
  int length = std::vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  if (length < 0)
    length = 0;
  if (size_t(length) < sizeof(message))
    std::snprintf(message + length, sizeof(message) - length, " [%s at %s:%d]",
                  amp_rt_status_name(newStatus), file, line);
  if (options.on_error)
    options.on_error(options.user, status, message);
  return status;
}

bool amp_rt_context::strikes(FaultSite site) {
  int64_t &countdown = faultCountdown[int(site)];
  return countdown > 0 && --countdown == 0;
}

//===----------------------------------------------------------------------===//
// Life of a context
//===----------------------------------------------------------------------===//

/// Arms the fault of AMP_RT_INJECT=site:countdown[:status].
static int32_t armFromEnvironment(amp_rt_context &ctx) {
  const char *value = std::getenv("AMP_RT_INJECT");
  if (!value || !*value)
    return AMP_RT_OK;
  std::string site = value;
  size_t colon = site.find(':');
  char *end = nullptr;
  long long countdown = colon == std::string::npos
                            ? 0
                            : std::strtoll(value + colon + 1, &end, 10);
  if (!end || end == value + colon + 1 || (*end != '\0' && *end != ':'))
    return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                       "AMP_RT_INJECT expects 'site:countdown' or "
                       "'site:countdown:status', but got '%s'; unset it or "
                       "write for example gemm:3",
                       value);
  site = site.substr(0, colon) + end;
  return amp_rt_inject_fault(&ctx, site.c_str(), countdown);
}

static int32_t createBackend(amp_rt_context &ctx) {
  if (ctx.options.backend == AMP_RT_BACKEND_CUDA) {
#ifdef AMP_RT_HAVE_CUDA
    ctx.backend = createCudaBackend(ctx);
#else
    AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                "the CUDA back end is not in this build, which found no cuda.h "
                "and cublasLt.h; run ./dev setup --cuda and build again");
#endif
  } else {
#ifdef AMP_RT_HAVE_CPU
    ctx.backend = createCpuBackend(ctx);
#else
    AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                "the CPU back end is not in this build; configure it with "
                "AMP_RT_WITH_CPU=ON, or use AMP_RT_BACKEND_CUDA");
#endif
  }
  return ctx.status;
}

/// Checks the options and builds the back end in a fresh context.
static int32_t initialize(amp_rt_context &ctx) {
  const amp_rt_context_options &options = ctx.options;
  if (options.num_threads < 0)
    return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                       "'num_threads' expects 0 (all) or more, but got %d; "
                       "leave it 0 to use all processors",
                       options.num_threads);
  if (!options.alloc != !options.free)
    return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                       "'alloc' and 'free' are given together or not at all, "
                       "but only '%s' is; set both",
                       options.alloc ? "alloc" : "free");
  if (options.backend != AMP_RT_BACKEND_CPU &&
      options.backend != AMP_RT_BACKEND_CUDA)
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "'backend' %d is not in this build of the runtime; use "
                       "AMP_RT_BACKEND_CPU",
                       options.backend);
  if (options.device < 0)
    return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                       "'device' expects 0 or more, but got %d; 0 is the first "
                       "device",
                       options.device);
  if (ctx.calls.traceFailed())
    return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                       "AMP_RT_TRACE expects a file that can be written, but "
                       "got '%s'; unset it or name another",
                       std::getenv("AMP_RT_TRACE"));
  if (int32_t status = armFromEnvironment(ctx))
    return status;
  try {
    if (int32_t status = createBackend(ctx))
      return status;
  } catch (const std::bad_alloc &) {
    return AMP_RT_FAIL(ctx, AMP_RT_OUT_OF_MEMORY,
                       "no host memory for a context; free some");
  }
  return ctx.status;
}

int32_t amp_rt_context_create(const amp_rt_context_options *options,
                              amp_rt_context **result) noexcept {
  if (!result)
    return AMP_RT_INVALID_ARGUMENT;
  *result = nullptr;
  amp_rt_context_options full = {};
  full.struct_size = sizeof(full);
  if (options) {
    if (options->struct_size < offsetof(amp_rt_context_options, num_threads) ||
        options->struct_size > sizeof(full)) {
      std::fprintf(stderr,
                   "amp-rt error: amp_rt_context_options expects a "
                   "'struct_size' up to %zu, but got %zu; set it to "
                   "sizeof(amp_rt_context_options)\n",
                   sizeof(full), options->struct_size);
      return AMP_RT_INVALID_ARGUMENT;
    }
    std::memcpy(&full, options, options->struct_size);
  }
  std::unique_ptr<amp_rt_context> ctx(new (std::nothrow) amp_rt_context(full));
  if (!ctx)
    return AMP_RT_OUT_OF_MEMORY;
  if (int32_t status = initialize(*ctx)) {
    if (!full.on_error)
      std::fprintf(stderr, "amp-rt error: %s\n", ctx->message);
    return status;
  }
  *result = ctx.release();
  return AMP_RT_OK;
}

void amp_rt_context_destroy(amp_rt_context *ctx) noexcept { delete ctx; }

int32_t amp_rt_abi_version(void) noexcept { return AMP_RT_ABI_VERSION; }

size_t amp_rt_runtime_info(const amp_rt_context *ctx, char *buffer,
                           size_t size) noexcept {
  return ctx->backend->describe(buffer, size);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

const char *amp_rt_status_name(int32_t status) noexcept {
  switch (status) {
  case AMP_RT_OK:
    return "AMP_RT_OK";
  case AMP_RT_INVALID_ARGUMENT:
    return "AMP_RT_INVALID_ARGUMENT";
  case AMP_RT_UNSUPPORTED:
    return "AMP_RT_UNSUPPORTED";
  case AMP_RT_OUT_OF_MEMORY:
    return "AMP_RT_OUT_OF_MEMORY";
  case AMP_RT_INTERNAL:
    return "AMP_RT_INTERNAL";
  case AMP_RT_INJECTED_FAULT:
    return "AMP_RT_INJECTED_FAULT";
  case AMP_RT_DEVICE_LOST:
    return "AMP_RT_DEVICE_LOST";
  }
  return "unknown status";
}

int32_t amp_rt_last_status(const amp_rt_context *ctx) noexcept {
  return ctx->status;
}

const char *amp_rt_last_error(const amp_rt_context *ctx) noexcept {
  return ctx->message;
}

void amp_rt_clear_error(amp_rt_context *ctx) noexcept {
  // There is no way back from a lost device but another context.
  if (ctx->status == AMP_RT_DEVICE_LOST)
    return;
  if (ctx->status)
    ctx->backend->recover();
  ctx->status = AMP_RT_OK;
  ctx->message[0] = '\0';
}

int32_t amp_rt_commit(amp_rt_context *ctx) noexcept {
  if (ctx->status)
    return ctx->status;
  ctx->stepCommits = true;
  if (ctx->stepMode != StepMode::Resolve && ctx->strikes(FaultSite::Commit))
    return AMP_RT_FAIL(*ctx, AMP_RT_INJECTED_FAULT,
                       "injected fault at 'commit'; it was asked for by "
                       "amp_rt_inject_fault or AMP_RT_INJECT");
  return AMP_RT_OK;
}

/// Arms "entry" or "entry:status" of a library below a device's back end.
static bool armEntry(amp_rt_context &ctx, const std::string &site,
                     int64_t countdown) {
#ifdef AMP_RT_HAVE_CUDA
  if (ctx.options.backend != AMP_RT_BACKEND_CUDA)
    return false;
  size_t colon = site.find(':');
  std::string entry = site.substr(0, colon);
  int status = Calls::kPlainFailure;
  if (colon != std::string::npos) {
    const char *text = site.c_str() + colon + 1;
    char *end = nullptr;
    status = int(std::strtol(text, &end, 10));
    if (end == text || *end != '\0' || status <= 0)
      return false;
  }
  if (!cuda::isEntry(entry.c_str()))
    return false;
  ctx.calls.arm(entry, countdown, status);
  return true;
#else
  (void)ctx, (void)site, (void)countdown;
  return false;
#endif
}

int32_t amp_rt_inject_fault(amp_rt_context *ctx, const char *site,
                            int64_t countdown) noexcept {
  if (ctx->status)
    return ctx->status;
  int index = 0;
  while (index < kNumFaultSites &&
         (!site || std::strcmp(site, kFaultSiteNames[index]) != 0))
    ++index;
  // A negative countdown arms nothing; it only asks whether the entry exists.
  bool isEntry = index == kNumFaultSites && site &&
                 armEntry(*ctx, site, countdown < 0 ? 0 : countdown);
  if (index == kNumFaultSites && !isEntry)
    return AMP_RT_FAIL(
        *ctx, AMP_RT_INVALID_ARGUMENT,
        "unknown fault site '%s'; use alloc, gemm, "
        "gemm_prepare, commit, or on CUDA an entry of the driver "
        "or of cuBLASLt with a status if wanted, such as "
        "cuLaunchKernel:700",
        site ? site : "(null)");
  if (countdown < 0)
    return AMP_RT_FAIL(*ctx, AMP_RT_INVALID_ARGUMENT,
                       "'countdown' of the fault site '%s' expects 0 or more, "
                       "but got %lld; 1 fails the next call",
                       site, (long long)countdown);
  if (!isEntry)
    ctx->faultCountdown[index] = countdown;
  return AMP_RT_OK;
}

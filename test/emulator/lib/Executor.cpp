//===- Executor.cpp - Runs the blocks of a launch -------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block whose lanes never wait runs lane by lane on one stack. Otherwise
// each lane has its own, and the scheduler goes round the warps: it runs every
// lane until it waits, completes what a whole warp has arrived at, and opens a
// barrier when nothing else is left to do. When that is not possible either,
// the kernel hangs on a device; here the reason is reported.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"
#include "Fault.h"
#include "Fiber.h"
#include "Memory.h"
#include "SharedMemory.h"
#include "WarpOps.h"

#include <cstring>
#include <sys/mman.h>

using namespace amp::emulator;

static constexpr uint32_t kMaxLanes = 1024;
static constexpr size_t kLaneStack = 256 << 10;

namespace {

/// The launch that is running. One at a time: every entry holds the lock of
/// the driver.
struct Run {
  const KernelCode *kernel = nullptr;
  Dim3 grid, block;
  void **parameters = nullptr;
  bool aborted = false;
  uint32_t lanes = 0;
  /// The lane that runs, by its number in the block.
  uint32_t current = 0;
  Context scheduler;
  Lane lane[kMaxLanes];
  char *stacks = nullptr;
};

} // namespace

static LaneState laneState;
static SharedMemory shared;
static Run run;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static std::string threadText(uint32_t linear) {
  const Dim3 &b = run.block;
  return format("(%u, %u, %u)", linear % b.x, linear / b.x % b.y,
                linear / b.x / b.y);
}

static std::string blockText() {
  return format("kernel '%s', block (%u, %u, %u)", run.kernel->name.c_str(),
                laneState.ctaid[0], laneState.ctaid[1], laneState.ctaid[2]);
}

static std::string siteText(uint32_t site) {
  if (site >= run.kernel->siteText.size())
    return "";
  return "\n  at: " + run.kernel->siteText[site];
}

static void report(CUresult status, const std::string &text) {
  reportFault(status, text);
  run.aborted = true;
}

/// Reports a fault of the lane that runs, and leaves the kernel for good.
[[noreturn]] static void faultHere(CUresult status, const std::string &text,
                                   uint32_t site) {
  report(status, blockText() + ", thread " + threadText(run.current) + ": " +
                     text + siteText(site));
  Context abandoned;
  switchContext(abandoned, run.scheduler);
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether the address lies on the stack of the lane that runs.
static bool onStack(uint64_t address) {
  uint64_t here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  return address - (here - kLaneStack) < 2 * kLaneStack;
}

static void checkAlignment(uint64_t address, uint32_t size, uint32_t align,
                           uint32_t site, const char *what) {
  if (address & (align - 1))
    faultHere(CUDA_ERROR_MISALIGNED_ADDRESS,
              format("%s of %u bytes at 0x%llx is not aligned to %u bytes",
                     what, size, (unsigned long long)address, align),
              site);
}

static void checkShared(uint64_t address, uint32_t size, uint32_t align,
                        uint32_t site, bool write, const void *value) {
  const char *what =
      write ? "store to shared memory" : "load from shared memory";
  checkAlignment(address, size, align, site, what);
  std::string error = write ? shared.write(address, size, run.current, value)
                            : shared.read(address, size, run.current);
  if (!error.empty())
    faultHere(CUDA_ERROR_ILLEGAL_ADDRESS,
              format("%s of %u bytes ", what, size) + error, site);
}

/// A load or store through a pointer to global or unknown memory that the
/// site's cache does not answer. `limit`: bytes of the parameter `base` that
/// the pointer comes from, 0 when not known.
static void accessGlobal(uint64_t address, uint64_t size, uint32_t align,
                         uint32_t site, uint32_t write, uint64_t base,
                         uint64_t limit) {
  const char *what = write ? "store" : "load";
  if (limit && (address - base > limit || size > limit - (address - base)))
    faultHere(CUDA_ERROR_ILLEGAL_ADDRESS,
              format("%s of %llu bytes is out of bounds: offset %lld of a "
                     "parameter of %llu bytes",
                     what, (unsigned long long)size,
                     (long long)(address - base), (unsigned long long)limit),
              site);
  if (shared.owns(address))
    return checkShared(address, size, align, site, write, nullptr);
  checkAlignment(address, size, align, site, what);
  DeviceMemory &memory = DeviceMemory::get();
  if (memory.owns(address)) {
    const Allocation *found = memory.find(address);
    if (memory.covers(address, size)) {
      run.kernel->sites[site] = {found->base, found->size - size};
      return;
    }
    const char *wrong =
        found && !found->live ? "is a use after free" : "is out of bounds";
    faultHere(
        CUDA_ERROR_ILLEGAL_ADDRESS,
        format("%s of %llu bytes %s: ", what, (unsigned long long)size, wrong) +
            memory.describe(address, size),
        site);
  }
  for (const GlobalVariable &global : run.kernel->globals)
    if (address >= global.address &&
        address + size <= global.address + global.bytes)
      return;
  if (onStack(address))
    return;
  faultHere(CUDA_ERROR_ILLEGAL_ADDRESS,
            format("%s of %llu bytes: ", what, (unsigned long long)size) +
                memory.describe(address, size),
            site);
}

static void accessMasked(uint64_t address, uint32_t elementSize, uint32_t align,
                         uint64_t mask, uint32_t site, uint32_t write) {
  for (uint32_t i = 0; i != 64; ++i)
    if (mask >> i & 1)
      accessGlobal(address + i * elementSize, elementSize,
                   std::min(align, elementSize), site, write, 0, 0);
}

/// A range of memory: memcpy, memmove, memset.
static void accessRange(uint64_t address, uint64_t size, uint32_t site,
                        uint32_t write) {
  if (size)
    accessGlobal(address, size, 1, site, write, 0, 0);
}

static void sharedRead(uint64_t address, uint32_t size, uint32_t align,
                       uint32_t site) {
  checkShared(address, size, align, site, false, nullptr);
}

static void sharedWrite(uint64_t address, uint32_t size, uint32_t align,
                        uint32_t site, const void *value) {
  checkShared(address, size, align, site, true, value);
}

static void trap(uint32_t site) {
  faultHere(CUDA_ERROR_LAUNCH_FAILED, "executes a trap", site);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Suspends the lane until the scheduler has its answer.
static uint64_t waitFor(const Request &request) {
  uint32_t self = run.current;
  Lane &lane = run.lane[self];
  if (request.kind != OpKind::Barrier && !(request.mask >> (self % 32) & 1))
    faultHere(CUDA_ERROR_LAUNCH_FAILED,
              format("%s with mask 0x%08x is executed by lane %u, which the "
                     "mask does not name",
                     opName(request), request.mask, self % 32),
              request.site);
  lane.request = request;
  lane.state = LaneStatus::Waiting;
  switchContext(lane.context, run.scheduler);
  return lane.answer;
}

static uint64_t shuffle(uint32_t mode, uint32_t mask, uint32_t value,
                        uint32_t b, uint32_t c, uint32_t site) {
  return waitFor({OpKind::Shuffle, mode, mask, value, b, c, site});
}

static uint32_t vote(uint32_t mode, uint32_t mask, uint32_t value,
                     uint32_t site) {
  return waitFor({OpKind::Vote, mode, mask, value, 0, 0, site});
}

static uint32_t reduce(uint32_t mode, uint32_t mask, uint32_t value,
                       uint32_t site) {
  return waitFor({OpKind::Reduce, mode, mask, value, 0, 0, site});
}

static void warpBarrier(uint32_t mask, uint32_t site) {
  waitFor({OpKind::WarpBarrier, 0, mask, 0, 0, 0, site});
}

/// `count` threads meet at barrier `id`; 0 stands for the whole block.
static uint32_t barrier(uint32_t mode, uint32_t id, uint32_t count,
                        uint32_t value, uint32_t site) {
  return waitFor({OpKind::Barrier, mode, id, value, count, 0, site});
}

static uint32_t activeMask() {
  uint32_t first = run.current / 32 * 32, mask = 0;
  for (uint32_t i = 0; i != 32 && first + i < run.lanes; ++i)
    if (run.lane[first + i].state != LaneStatus::Done)
      mask |= 1u << i;
  return mask;
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

static void setLane(uint32_t linear) {
  run.current = linear;
  const Dim3 &b = run.block;
  laneState.tid[0] = linear % b.x;
  laneState.tid[1] = linear / b.x % b.y;
  laneState.tid[2] = linear / b.x / b.y;
  laneState.lane = linear % 32;
  laneState.warp = linear / 32;
}

static void laneMain() {
  run.kernel->entry(run.parameters);
  Lane &lane = run.lane[run.current];
  lane.state = LaneStatus::Done;
  switchContext(lane.context, run.scheduler);
  __builtin_unreachable();
}

/// Runs the lanes of one warp until none can go on. False after a fault.
static bool runWarp(uint32_t first, uint32_t end) {
  for (;;) {
    for (uint32_t i = first; i != end; ++i) {
      if (run.lane[i].state != LaneStatus::Ready)
        continue;
      setLane(i);
      switchContext(run.scheduler, run.lane[i].context);
      if (run.aborted)
        return false;
    }
    std::string error;
    uint32_t culprit = 0;
    WarpResult result =
        resolveWarp(run.lane + first, end - first, error, culprit);
    if (result == WarpResult::Fault) {
      report(CUDA_ERROR_LAUNCH_FAILED,
             blockText() + ", thread " + threadText(first + culprit) + ": " +
                 error + siteText(run.lane[first + culprit].request.site));
      return false;
    }
    if (result == WarpResult::Nothing)
      return true;
    if (result == WarpResult::Ordered)
      shared.warpBarrier(first / 32);
  }
}

/// Explains why no lane can go on.
static void reportStuck() {
  uint32_t stuck = 0;
  while (run.lane[stuck].state != LaneStatus::Waiting)
    ++stuck;
  // A warp operation is the more precise complaint.
  for (uint32_t i = stuck; i != run.lanes; ++i)
    if (run.lane[i].state == LaneStatus::Waiting &&
        run.lane[i].request.kind != OpKind::Barrier) {
      stuck = i;
      break;
    }
  const Request &request = run.lane[stuck].request;
  std::string text = blockText() + ", thread " + threadText(stuck) + ": ";
  uint32_t first = 0, end = run.lanes;
  if (request.kind == OpKind::Barrier) {
    text += format("barrier divergence: waits at barrier %u", request.mask);
  } else {
    text += format("%s with mask 0x%08x is not executed by every lane that "
                   "the mask names",
                   opName(request), request.mask);
    first = stuck / 32 * 32;
    end = std::min(first + 32, run.lanes);
    if (run.lanes - first < 32 && request.mask >> (run.lanes - first))
      text += format("; the warp has %u lanes only", run.lanes - first);
  }
  for (uint32_t i = first; i != end; ++i) {
    const Lane &other = run.lane[i];
    if (request.kind != OpKind::Barrier && !(request.mask >> (i % 32) & 1))
      continue;
    if (other.state == LaneStatus::Done) {
      text += format(", while thread %s has exited", threadText(i).c_str());
      break;
    }
    if (!other.request.meets(request)) {
      text += format(", while thread %s waits at another %s",
                     threadText(i).c_str(), opName(other.request)) +
              siteText(other.request.site);
      break;
    }
  }
  report(CUDA_ERROR_LAUNCH_FAILED, text + siteText(request.site));
}

/// An aligned barrier is one instruction for all lanes of a warp. Returns a
/// lane that waits at another one than the lane before it, or 0.
static uint32_t findSplitWarp(const Request &request) {
  for (uint32_t i = 1; i < run.lanes; ++i)
    if (i % 32 && run.lane[i].state == LaneStatus::Waiting &&
        run.lane[i - 1].state == LaneStatus::Waiting &&
        run.lane[i].request.meets(request) &&
        run.lane[i - 1].request.meets(request) &&
        run.lane[i].request.site != run.lane[i - 1].request.site)
      return i;
  return 0;
}

/// Opens a barrier at which all have arrived. False when there is none.
static bool openBarrier() {
  for (uint32_t i = 0; i != run.lanes; ++i) {
    const Lane &lane = run.lane[i];
    if (lane.state != LaneStatus::Waiting ||
        lane.request.kind != OpKind::Barrier)
      continue;
    const Request request = lane.request;
    uint32_t expected = request.b ? request.b : run.lanes;
    uint32_t arrived = 0, set = 0;
    for (uint32_t k = 0; k != run.lanes; ++k)
      if (run.lane[k].state == LaneStatus::Waiting &&
          run.lane[k].request.meets(request)) {
        ++arrived;
        set += run.lane[k].request.value != 0;
      }
    if (arrived != expected)
      continue;
    if (request.mode != kUnaligned)
      if (uint32_t split = findSplitWarp(request)) {
        report(CUDA_ERROR_LAUNCH_FAILED,
               blockText() + ", thread " + threadText(split) +
                   ": barrier divergence: waits at another instruction than "
                   "the thread before it in its warp" +
                   siteText(run.lane[split].request.site) +
                   siteText(run.lane[split - 1].request.site));
        return true;
      }
    uint32_t answer = request.mode == kReducePopc  ? set
                      : request.mode == kReduceAnd ? set == arrived
                                                   : set != 0;
    for (uint32_t k = 0; k != run.lanes; ++k)
      if (run.lane[k].state == LaneStatus::Waiting &&
          run.lane[k].request.meets(request)) {
        run.lane[k].answer = answer;
        run.lane[k].state = LaneStatus::Ready;
      }
    shared.barrier();
    return true;
  }
  return false;
}

static void runBlockTogether() {
  for (uint32_t i = 0; i != run.lanes; ++i) {
    prepare(run.lane[i].context, run.stacks + i * kLaneStack, kLaneStack,
            laneMain);
    run.lane[i].state = LaneStatus::Ready;
  }
  for (;;) {
    for (uint32_t first = 0; first < run.lanes; first += 32)
      if (!runWarp(first, std::min(first + 32, run.lanes)))
        return;
    bool done = true;
    for (uint32_t i = 0; i != run.lanes && done; ++i)
      done = run.lane[i].state == LaneStatus::Done;
    if (done)
      return;
    if (!openBarrier())
      return reportStuck();
    if (run.aborted)
      return;
  }
}

/// Calls `body` for each block until a fault.
template <typename Body> static void forEachBlock(Body body) {
  for (uint32_t z = 0; z != run.grid.z; ++z)
    for (uint32_t y = 0; y != run.grid.y; ++y)
      for (uint32_t x = 0; x != run.grid.x; ++x) {
        laneState.ctaid[0] = x;
        laneState.ctaid[1] = y;
        laneState.ctaid[2] = z;
        shared.beginBlock();
        body();
        if (run.aborted)
          return;
      }
}

static void serialMain() {
  forEachBlock([] {
    for (uint32_t i = 0; i != run.lanes; ++i) {
      setLane(i);
      run.kernel->entry(run.parameters);
    }
  });
  Context finished;
  switchContext(finished, run.scheduler);
  __builtin_unreachable();
}

void amp::emulator::execute(const KernelCode &kernel, Dim3 grid, Dim3 block,
                            uint32_t dynamicShared, void **parameters) {
  if (!run.stacks) {
    void *stacks = mmap(nullptr, kMaxLanes * kLaneStack, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
      return reportFault(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                         "no memory for the stacks of lanes");
    run.stacks = static_cast<char *>(stacks);
  }
  run.kernel = &kernel;
  run.grid = grid;
  run.block = block;
  run.parameters = parameters;
  run.aborted = false;
  run.lanes = block.count();
  laneState = {};
  const uint32_t b[] = {block.x, block.y, block.z};
  const uint32_t g[] = {grid.x, grid.y, grid.z};
  for (int i = 0; i != 3; ++i) {
    laneState.ntid[i] = b[i];
    laneState.nctaid[i] = g[i];
  }
  laneState.warps = (run.lanes + 31) / 32;
  laneState.dynamicShared = dynamicShared;
  for (size_t i = 0; i != kernel.siteText.size(); ++i)
    kernel.sites[i] = {~uint64_t(0), 0};
  shared.beginLaunch(kernel, dynamicShared);
  if (kernel.synchronises)
    return forEachBlock(runBlockTogether);
  Context serial;
  prepare(serial, run.stacks, kMaxLanes * kLaneStack, serialMain);
  switchContext(run.scheduler, serial);
}

std::vector<std::pair<const char *, void *>> amp::emulator::executorSymbols() {
  auto pointer = [](auto *function) {
    return reinterpret_cast<void *>(function);
  };
  return {
      {"amp_emulator_lane", &laneState},
      {"amp_emulator_shared", SharedMemory::bytes()},
      {"amp_emulator_access", pointer(accessGlobal)},
      {"amp_emulator_access_masked", pointer(accessMasked)},
      {"amp_emulator_access_range", pointer(accessRange)},
      {"amp_emulator_shared_read", pointer(sharedRead)},
      {"amp_emulator_shared_write", pointer(sharedWrite)},
      {"amp_emulator_trap", pointer(trap)},
      {"amp_emulator_shuffle", pointer(shuffle)},
      {"amp_emulator_vote", pointer(vote)},
      {"amp_emulator_reduce", pointer(reduce)},
      {"amp_emulator_warp_barrier", pointer(warpBarrier)},
      {"amp_emulator_barrier", pointer(barrier)},
      {"amp_emulator_active_mask", pointer(activeMask)},
  };
}

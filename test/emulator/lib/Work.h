//===- Work.h - Work of a device: streams, events, graphs -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work is queued by stream and runs, in order, when the host waits for it:
// what a missing wait would read is not there yet, as on a device. A graph is
// the same work, kept.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_WORK_H
#define AMP_EMULATOR_WORK_H

#include "Compiler.h"
#include "Cuda.h"
#include "Executor.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct CUgraphNode_st;

/// A loaded image: CUlibrary and CUmodule.
struct CUlib_st {
  amp::emulator::CompiledImage code;
  std::map<std::string, std::unique_ptr<struct CUfunc_st>> functions;
  unsigned id = 0;
};

/// A kernel of an image: CUkernel and CUfunction.
struct CUfunc_st {
  CUlib_st *image = nullptr;
  std::string name;
  uint32_t maxDynamicShared = 48 << 10;
};

namespace amp::emulator {

enum class ActionKind {
  Empty,
  Kernel,
  Copy,
  Fill,
  Host,
  Record,
  Wait,
  Graph,
  Free
};

/// One piece of work. Only the fields of its kind are used.
struct Action {
  ActionKind kind = ActionKind::Empty;

  // Kernel.
  CUfunc_st *function = nullptr;
  const KernelCode *code = nullptr;
  Dim3 grid, block;
  uint32_t dynamicShared = 0;
  std::vector<std::vector<char>> parameters;

  // Copy, Fill. Of addresses on the device and the host.
  uint64_t destination = 0, source = 0, bytes = 0;
  bool toDevice = false, fromDevice = false;
  /// Copied when the call was made, for host memory that is not pinned.
  std::vector<char> staged;
  uint32_t value = 0;
  uint32_t elementBytes = 1;

  // Host. `open` functions may touch device memory.
  std::function<void()> call;
  bool open = false;
  /// Keeps what `call` needs.
  std::shared_ptr<void> payload;

  // Record, Wait.
  std::shared_ptr<struct EventState> event;
  uint64_t ticket = 0;

  // Graph.
  std::shared_ptr<std::vector<std::shared_ptr<Action>>> nodes;

  // Free: `destination` is the address.

  /// Does it. Errors become the sticky status.
  void run() const;
  std::string describe() const;
};

/// What is recorded last in an event.
struct EventState {
  CUstream_st *stream = nullptr;
  /// The stream's ticket of the record; 0 when nothing was recorded.
  uint64_t ticket = 0;
  bool reached = true;
  std::chrono::steady_clock::time_point time;
};

/// A capture in progress.
struct Capture {
  std::unique_ptr<CUgraph_st> graph;
  CUstream_st *origin = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool invalid = false;
  std::vector<CUstream_st *> streams;
};

} // namespace amp::emulator

struct CUevent_st {
  std::shared_ptr<amp::emulator::EventState> state;
  unsigned flags = 0;
  unsigned id = 0;
  /// Set while the last record was captured.
  amp::emulator::Capture *capture = nullptr;
  std::vector<CUgraphNode_st *> captured;
};

struct CUstream_st {
  unsigned id = 0;
  unsigned flags = 0;
  int priority = 0;
  std::deque<std::shared_ptr<amp::emulator::Action>> queue;
  /// Number of the work done last and queued last.
  uint64_t done = 0, queued = 0;
  std::shared_ptr<amp::emulator::Capture> capture;
  std::vector<CUgraphNode_st *> captureTail;
};

struct CUgraphNode_st {
  std::shared_ptr<amp::emulator::Action> action;
  std::vector<CUgraphNode_st *> dependencies;
  unsigned id = 0;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  unsigned id = 0;
};

struct CUgraphExec_st {
  std::shared_ptr<std::vector<std::shared_ptr<amp::emulator::Action>>> nodes;
  /// Dependencies by position, to compare topologies.
  std::vector<std::vector<unsigned>> edges;
  unsigned id = 0;
};

namespace amp::emulator {

/// The stream behind a handle (null and the special handles: the default one).
CUstream_st *streamOf(CUstream handle);

/// All streams there are.
std::vector<CUstream_st *> &allStreams();

/// Queues work, or adds it to the graph that the stream captures.
CUresult enqueue(CUstream_st *stream, std::shared_ptr<Action> action);

/// Runs a stream's work up to a ticket.
void drain(CUstream_st *stream, uint64_t ticket);
/// Runs everything.
void drainAll();
/// Runs one piece of work, if there is any.
void stepStream(CUstream_st *stream);

/// An error when some capture forbids a call that is unsafe in it, which then
/// is invalid; CUDA_SUCCESS otherwise.
CUresult refuseInCapture(const char *what);

/// Edges of a graph by position.
std::vector<std::vector<unsigned>> edgesOf(const CUgraph_st &graph);

} // namespace amp::emulator

#endif // AMP_EMULATOR_WORK_H

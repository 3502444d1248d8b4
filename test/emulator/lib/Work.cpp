//===- Work.cpp - Work of a device: streams, events, graphs ---------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running one piece of work, and the queues.
//
//===----------------------------------------------------------------------===//

#include "Work.h"
#include "Fault.h"
#include "Memory.h"

#include <algorithm>
#include <cstring>

using namespace amp::emulator;

/// More queued work than this and the host waits for half of it, as it does on
/// a device.
static constexpr size_t kQueueLimit = 1024;

//===----------------------------------------------------------------------===//
// One piece of work
//===----------------------------------------------------------------------===//

/// Checks a range of the device's memory that a copy or fill touches.
static bool checkRange(uint64_t address, uint64_t bytes, const char *what) {
  DeviceMemory &memory = DeviceMemory::get();
  if (memory.covers(address, bytes))
    return true;
  const Allocation *found = memory.find(address);
  reportFault(CUDA_ERROR_ILLEGAL_ADDRESS,
              format("%s of %llu bytes %s: ", what, (unsigned long long)bytes,
                     found && !found->live ? "is a use after free"
                                           : "is out of bounds") +
                  memory.describe(address, bytes));
  return false;
}

static void runCopy(const Action &action) {
  if (action.fromDevice &&
      !checkRange(action.source, action.bytes, "copy from the device"))
    return;
  if (action.toDevice &&
      !checkRange(action.destination, action.bytes, "copy to the device"))
    return;
  DeviceMemory::Access access;
  const void *source = action.staged.empty()
                           ? reinterpret_cast<const void *>(action.source)
                           : action.staged.data();
  memmove(reinterpret_cast<void *>(action.destination), source, action.bytes);
}

static void runFill(const Action &action) {
  if (!checkRange(action.destination, action.bytes, "memset"))
    return;
  DeviceMemory::Access access;
  char *to = reinterpret_cast<char *>(action.destination);
  if (action.elementBytes == 1) {
    memset(to, action.value, action.bytes);
    return;
  }
  for (uint64_t i = 0; i < action.bytes; i += action.elementBytes)
    memcpy(to + i, &action.value, action.elementBytes);
}

static void runKernel(const Action &action) {
  std::vector<void *> pointers;
  for (const std::vector<char> &parameter : action.parameters)
    pointers.push_back(const_cast<char *>(parameter.data()));
  DeviceMemory::Access access;
  execute(*action.code, action.grid, action.block, action.dynamicShared,
          pointers.data());
}

void Action::run() const {
  // After an error nothing runs; what waits for the work must not hang.
  bool lost = stickyStatus() != CUDA_SUCCESS;
  switch (kind) {
  case ActionKind::Empty:
    return;
  case ActionKind::Kernel:
    return lost ? void() : runKernel(*this);
  case ActionKind::Copy:
    return lost ? void() : runCopy(*this);
  case ActionKind::Fill:
    return lost ? void() : runFill(*this);
  case ActionKind::Host:
    if (lost)
      return;
    if (open) {
      DeviceMemory::Access access;
      return call();
    } else {
      DeviceMemory::Hidden hidden;
      return call();
    }
  case ActionKind::Record:
    if (event->ticket == ticket) {
      event->reached = true;
      event->time = std::chrono::steady_clock::now();
    }
    return;
  case ActionKind::Wait:
    if (event->stream)
      drain(event->stream, ticket);
    return;
  case ActionKind::Graph: {
    DeviceMemory::Access access;
    for (const std::shared_ptr<Action> &node : *nodes)
      node->run();
    return;
  }
  case ActionKind::Free:
    DeviceMemory::get().release(destination);
    return;
  }
}

std::string Action::describe() const {
  switch (kind) {
  case ActionKind::Empty:
    return "empty";
  case ActionKind::Kernel:
    return format("kernel %s grid=%u,%u,%u block=%u,%u,%u",
                  function->name.c_str(), grid.x, grid.y, grid.z, block.x,
                  block.y, block.z);
  case ActionKind::Copy:
    return format("copy %llu bytes", (unsigned long long)bytes);
  case ActionKind::Fill:
    return format("fill %llu bytes", (unsigned long long)bytes);
  case ActionKind::Host:
    return "host";
  case ActionKind::Record:
    return "event record";
  case ActionKind::Wait:
    return "event wait";
  case ActionKind::Graph:
    return format("graph of %zu nodes", nodes->size());
  case ActionKind::Free:
    return "free";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

std::vector<CUstream_st *> &amp::emulator::allStreams() {
  static std::vector<CUstream_st *> streams;
  return streams;
}

CUstream_st *amp::emulator::streamOf(CUstream handle) {
  static CUstream_st *defaultStream = [] {
    auto *stream = new CUstream_st;
    allStreams().push_back(stream);
    return stream;
  }();
  if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD)
    return defaultStream;
  return handle;
}

void amp::emulator::stepStream(CUstream_st *stream) {
  if (stream->queue.empty())
    return;
  std::shared_ptr<Action> action = std::move(stream->queue.front());
  stream->queue.pop_front();
  action->run();
  ++stream->done;
}

void amp::emulator::drain(CUstream_st *stream, uint64_t ticket) {
  if (std::find(allStreams().begin(), allStreams().end(), stream) ==
      allStreams().end())
    return; // destroyed, and drained then
  while (stream->done < ticket && !stream->queue.empty())
    stepStream(stream);
}

void amp::emulator::drainAll() {
  for (CUstream_st *stream : allStreams())
    drain(stream, stream->queued);
}

/// The default stream and the blocking ones wait for each other.
static void orderWithDefault(CUstream_st *stream) {
  CUstream_st *defaultStream = streamOf(nullptr);
  if (stream == defaultStream) {
    for (CUstream_st *other : allStreams())
      if (other != stream && !(other->flags & CU_STREAM_NON_BLOCKING))
        drain(other, other->queued);
  } else if (!(stream->flags & CU_STREAM_NON_BLOCKING)) {
    drain(defaultStream, defaultStream->queued);
  }
}

CUresult amp::emulator::enqueue(CUstream_st *stream,
                                std::shared_ptr<Action> action) {
  if (stream->capture) {
    Capture &capture = *stream->capture;
    if (capture.invalid)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    auto node = std::make_unique<CUgraphNode_st>();
    node->id = capture.graph->nodes.size();
    node->action = std::move(action);
    node->dependencies = stream->captureTail;
    stream->captureTail = {node.get()};
    capture.graph->nodes.push_back(std::move(node));
    return CUDA_SUCCESS;
  }
  if (stream == streamOf(nullptr))
    for (CUstream_st *other : allStreams())
      if (other->capture && !(other->flags & CU_STREAM_NON_BLOCKING)) {
        other->capture->invalid = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
      }
  orderWithDefault(stream);
  stream->queue.push_back(std::move(action));
  ++stream->queued;
  if (stream->queue.size() > kQueueLimit)
    drain(stream, stream->queued - kQueueLimit / 2);
  return CUDA_SUCCESS;
}

CUresult amp::emulator::refuseInCapture(const char *what) {
  for (CUstream_st *stream : allStreams())
    if (stream->capture &&
        stream->capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
      stream->capture->invalid = true;
      complain(format("%s is not allowed while stream %u captures", what,
                      stream->id));
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return CUDA_SUCCESS;
}

std::vector<std::vector<unsigned>>
amp::emulator::edgesOf(const CUgraph_st &graph) {
  std::vector<std::vector<unsigned>> edges;
  for (const auto &node : graph.nodes) {
    edges.emplace_back();
    for (CUgraphNode_st *dependency : node->dependencies)
      edges.back().push_back(dependency->id);
  }
  return edges;
}

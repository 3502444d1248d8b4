//===- DriverStream.cpp - Driver entries: streams and events --------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creation, waiting, queries, timing.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Memory.h"
#include "Work.h"

#include <algorithm>

using namespace amp::emulator;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static CUresult createStream(Call &call, CUstream *stream, unsigned flags,
                             int priority) {
  static unsigned count = 0;
  if (!stream || (flags & ~unsigned(CU_STREAM_NON_BLOCKING)))
    return call.done(CUDA_ERROR_INVALID_VALUE);
  streamOf(nullptr);
  auto *made = new CUstream_st;
  made->id = ++count;
  made->flags = flags;
  made->priority = priority;
  allStreams().push_back(made);
  *stream = made;
  call.note("stream=%u", made->id);
  return call.done(CUDA_SUCCESS);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  AMP_CALL(Context);
  return createStream(call, stream, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  AMP_CALL(Context);
  return createStream(call, stream, flags, priority);
}

CUresult cuStreamDestroy(CUstream stream) {
  AMP_CALL(Release);
  std::vector<CUstream_st *> &all = allStreams();
  auto it = std::find(all.begin(), all.end(), stream);
  if (!stream || it == all.end())
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  call.note("stream=%u", stream->id);
  drain(stream, stream->queued);
  all.erase(it);
  delete stream;
  return call.done(CUDA_SUCCESS);
}

/// What a wait on a stream that captures returns, after making the capture
/// invalid.
static CUresult refuseCapturing(CUstream_st *stream) {
  if (!stream->capture)
    return CUDA_SUCCESS;
  stream->capture->invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cuStreamSynchronize(CUstream handle) {
  AMP_CALL(Context);
  CUstream_st *stream = streamOf(handle);
  call.note("stream=%u", stream->id);
  if (CUresult refused = refuseCapturing(stream))
    return call.done(refused);
  drain(stream, stream->queued);
  trimPools();
  return call.done(CUDA_SUCCESS);
}

/// A query gets one piece of work done, so that polling ends.
CUresult cuStreamQuery(CUstream handle) {
  AMP_CALL(Context);
  CUstream_st *stream = streamOf(handle);
  if (CUresult refused = refuseCapturing(stream))
    return call.done(refused);
  if (stream->queue.empty())
    return call.done(CUDA_SUCCESS);
  stepStream(stream);
  return call.done(CUDA_ERROR_NOT_READY);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  AMP_CALL(Context);
  static unsigned count = 0;
  if (!event)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  *event = new CUevent_st;
  (*event)->state = std::make_shared<EventState>();
  (*event)->flags = flags;
  (*event)->id = ++count;
  return call.done(CUDA_SUCCESS);
}

CUresult cuEventDestroy(CUevent event) {
  AMP_CALL(Release);
  if (!event)
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  delete event;
  return call.done(CUDA_SUCCESS);
}

CUresult cuEventRecord(CUevent event, CUstream handle) {
  AMP_CALL(Context);
  CUstream_st *stream = streamOf(handle);
  if (!event)
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  call.note("event=%u stream=%u", event->id, stream->id);
  if (stream->capture) {
    event->capture = stream->capture.get();
    event->captured = stream->captureTail;
    return call.done(CUDA_SUCCESS);
  }
  event->capture = nullptr;
  EventState &state = *event->state;
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Record;
  action->event = event->state;
  action->ticket = stream->queued + 1;
  state.stream = stream;
  state.ticket = action->ticket;
  state.reached = false;
  return call.done(enqueue(stream, std::move(action)));
}

/// Whether the event's record has run.
static bool isReached(const CUevent_st &event) { return event.state->reached; }

CUresult cuEventQuery(CUevent event) {
  AMP_CALL(Context);
  if (!event)
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  call.note("event=%u", event->id);
  if (event->capture)
    return call.done(CUDA_ERROR_CAPTURED_EVENT);
  if (isReached(*event))
    return call.done(CUDA_SUCCESS);
  stepStream(event->state->stream);
  return call.done(isReached(*event) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY);
}

CUresult cuEventSynchronize(CUevent event) {
  AMP_CALL(Context);
  if (!event)
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  call.note("event=%u", event->id);
  if (event->capture)
    return call.done(CUDA_ERROR_CAPTURED_EVENT);
  if (!isReached(*event))
    drain(event->state->stream, event->state->ticket);
  trimPools();
  return call.done(CUDA_SUCCESS);
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  AMP_CALL(Context);
  if (!milliseconds)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  if (!begin || !end || !begin->state->ticket || !end->state->ticket ||
      ((begin->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  if (!isReached(*begin) || !isReached(*end))
    return call.done(CUDA_ERROR_NOT_READY);
  *milliseconds = std::chrono::duration<float, std::milli>(end->state->time -
                                                           begin->state->time)
                      .count();
  return call.done(CUDA_SUCCESS);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
  AMP_CALL(Context);
  CUstream_st *stream = streamOf(handle);
  if (!event)
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  call.note("stream=%u event=%u", stream->id, event->id);
  if (event->capture) {
    // The stream joins the capture of the event.
    if (!stream->capture) {
      for (CUstream_st *other : event->capture->streams)
        if (other->capture && other->capture.get() == event->capture) {
          stream->capture = other->capture;
          break;
        }
      if (!stream->capture)
        return call.done(CUDA_ERROR_INVALID_VALUE);
      stream->capture->streams.push_back(stream);
    } else if (stream->capture.get() != event->capture) {
      return call.done(CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    for (CUgraphNode_st *node : event->captured)
      if (std::find(stream->captureTail.begin(), stream->captureTail.end(),
                    node) == stream->captureTail.end())
        stream->captureTail.push_back(node);
    return call.done(CUDA_SUCCESS);
  }
  if (stream->capture) {
    stream->capture->invalid = true;
    return call.done(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  }
  if (!event->state->ticket)
    return call.done(CUDA_SUCCESS);
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Wait;
  action->event = std::make_shared<EventState>(*event->state);
  action->ticket = event->state->ticket;
  return call.done(enqueue(stream, std::move(action)));
}

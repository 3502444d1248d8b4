//===- WarpOps.cpp - What the lanes of a warp do together -----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes and reductions as the PTX manual states them.
//
//===----------------------------------------------------------------------===//

#include "WarpOps.h"
#include "Fault.h"

#include <algorithm>

using namespace amp::emulator;

const char *amp::emulator::opName(const Request &request) {
  switch (request.kind) {
  case OpKind::Shuffle:
    return "shuffle";
  case OpKind::Vote:
    return "vote";
  case OpKind::Reduce:
    return "warp reduction";
  case OpKind::WarpBarrier:
    return "warp barrier";
  case OpKind::Barrier:
    return "barrier";
  }
  return "operation";
}

/// The lane that `lane` reads from, and whether its predicate is set.
static uint32_t shuffleSource(const Request &request, uint32_t lane,
                              bool &inRange) {
  uint32_t b = request.b & 31, clamp = request.c & 31;
  uint32_t segment = request.c >> 8 & 31;
  uint32_t first = lane & segment;
  uint32_t bound = first | (clamp & ~segment);
  int32_t source = 0;
  switch (request.mode) {
  case kUp:
    source = int32_t(lane) - int32_t(b);
    inRange = source >= int32_t(bound);
    break;
  case kDown:
    source = lane + b;
    inRange = source <= int32_t(bound);
    break;
  case kButterfly:
    source = lane ^ b;
    inRange = source <= int32_t(bound);
    break;
  default:
    source = first | (b & ~segment);
    inRange = source <= int32_t(bound);
    break;
  }
  return inRange ? uint32_t(source) : lane;
}

static uint32_t combine(uint32_t mode, uint32_t a, uint32_t b) {
  switch (mode) {
  case kAdd:
    return a + b;
  case kMinSigned:
    return std::min(int32_t(a), int32_t(b));
  case kMaxSigned:
    return std::max(int32_t(a), int32_t(b));
  case kMinUnsigned:
    return std::min(a, b);
  case kMaxUnsigned:
    return std::max(a, b);
  case kAnd:
    return a & b;
  case kOr:
    return a | b;
  default:
    return a ^ b;
  }
}

/// Answers a shuffle. False when a lane reads from one outside the mask.
static bool answerShuffle(Lane *lanes, uint32_t mask, std::string &error,
                          uint32_t &culprit) {
  for (uint32_t i = 0; i != 32; ++i) {
    if (!(mask >> i & 1))
      continue;
    bool inRange = false;
    uint32_t source = shuffleSource(lanes[i].request, i, inRange);
    if (!(mask >> source & 1)) {
      error = format("shuffle with mask 0x%08x reads from lane %u, which the "
                     "mask does not name",
                     mask, source);
      culprit = i;
      return false;
    }
    lanes[i].answer = uint64_t(inRange) << 32 | lanes[source].request.value;
  }
  return true;
}

/// The one answer that all lanes of a vote or reduction get.
static uint32_t commonAnswer(const Lane *lanes, const Request &request) {
  uint32_t mask = request.mask, ballot = 0;
  bool first = true;
  uint32_t sum = 0;
  for (uint32_t i = 0; i != 32; ++i) {
    if (!(mask >> i & 1))
      continue;
    uint32_t value = lanes[i].request.value;
    ballot |= uint32_t(value != 0) << i;
    sum = first ? value : combine(request.mode, sum, value);
    first = false;
  }
  if (request.kind == OpKind::Reduce)
    return sum;
  switch (request.mode) {
  case kAll:
    return ballot == mask;
  case kAny:
    return ballot != 0;
  case kUniform:
    return ballot == mask || ballot == 0;
  default:
    return ballot;
  }
}

WarpResult amp::emulator::resolveWarp(Lane *lanes, uint32_t count,
                                      std::string &error, uint32_t &culprit) {
  WarpResult result = WarpResult::Nothing;
  for (uint32_t i = 0; i != count; ++i) {
    if (lanes[i].state != LaneStatus::Waiting)
      continue;
    const Request request = lanes[i].request;
    if (request.kind == OpKind::Barrier)
      continue;
    bool complete = count == 32 || request.mask >> count == 0;
    for (uint32_t k = 0; k != count && complete; ++k)
      complete =
          !(request.mask >> k & 1) || (lanes[k].state == LaneStatus::Waiting &&
                                       lanes[k].request.meets(request));
    if (!complete)
      continue;
    if (request.kind == OpKind::Shuffle) {
      if (!answerShuffle(lanes, request.mask, error, culprit))
        return WarpResult::Fault;
    } else {
      uint32_t answer = commonAnswer(lanes, request);
      for (uint32_t k = 0; k != count; ++k)
        if (request.mask >> k & 1)
          lanes[k].answer = answer;
    }
    for (uint32_t k = 0; k != count; ++k)
      if (request.mask >> k & 1)
        lanes[k].state = LaneStatus::Ready;
    if (request.kind == OpKind::WarpBarrier)
      result = WarpResult::Ordered;
    else if (result == WarpResult::Nothing)
      result = WarpResult::Progress;
  }
  return result;
}

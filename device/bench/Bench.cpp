//===- Bench.cpp - What the device programs share -------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files, rows, contexts and timing by events.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace device;

static int numFailedRows = 0;

void device::emit(const std::string &section, Json row) {
  Json line = Json::object({{"section", section}});
  for (const Json::Member &member : row.getMembers())
    line.set(member.first, member.second);
  if (line["status"].isNull())
    line.set("status", "ok");
  numFailedRows += line["status"].getString() == "failed";
  std::printf("%s\n", line.dump().c_str());
  // A section may be killed: what it has measured shall be there.
  std::fflush(stdout);
}

int device::getNumFailedRows() { return numFailedRows; }

std::string device::readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Failure("cannot read '" + path + "'");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool device::fileExists(const std::string &path) {
  return std::ifstream(path).good();
}

double device::median(std::vector<double> values) {
  if (values.empty())
    return std::nan("");
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double device::now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

//===----------------------------------------------------------------------===//
// Memory and Session
//===----------------------------------------------------------------------===//

Memory::Memory(amp_rt_context *ctx, size_t bytes)
    : ctx(ctx), bytes(bytes), pointer(amp_rt_alloc(ctx, bytes)) {
  if (!pointer)
    throw Failure(amp_rt_last_error(ctx));
}

struct Session::Events {
  explicit Events(amp_rt_context *ctx) : ctx(ctx) {}
  ~Events() {
    amp_rt_event_destroy(ctx, begin);
    amp_rt_event_destroy(ctx, end);
  }
  amp_rt_context *ctx;
  amp_rt_event *begin = nullptr, *end = nullptr;
};

Session::Session(const Options &options, bool graphs) {
  // Read when a context is created.
  setenv("AMP_RT_GRAPHS", graphs ? "1" : "0", 1);
  amp_rt_context_options create = {};
  create.struct_size = sizeof(create);
  create.backend = options.backend;
  create.user = &firstError;
  create.on_error = [](void *user, int32_t, const char *text) {
    *static_cast<std::string *>(user) = text;
  };
  int32_t status = amp_rt_context_create(&create, &ctx);
  if (status == AMP_RT_UNSUPPORTED)
    throw Skip(firstError);
  if (status != AMP_RT_OK)
    throw Failure(firstError);
}

Session::~Session() {
  events.reset();
  amp_rt_context_destroy(ctx);
}

void Session::check(int32_t status) const {
  if (status != AMP_RT_OK)
    throw Failure(std::string(amp_rt_status_name(status)) + ": " +
                  amp_rt_last_error(ctx));
}

std::string Session::info() const {
  char text[1024];
  amp_rt_runtime_info(ctx, text, sizeof(text));
  return text;
}

amp_rt_memory Session::memory() const {
  amp_rt_memory stats = {};
  stats.struct_size = sizeof(stats);
  check(amp_rt_memory_stats(ctx, &stats));
  return stats;
}

void Session::download(void *to, const void *from, size_t bytes) const {
  check(amp_rt_download(ctx, to, from, bytes));
  synchronize();
}

double Session::time(const std::function<void()> &issue, int calls) const {
  if (!events) {
    events = std::make_shared<Events>(ctx);
    check(amp_rt_event_create(ctx, &events->begin));
    check(amp_rt_event_create(ctx, &events->end));
  }
  check(amp_rt_event_record(ctx, events->begin));
  for (int i = 0; i < calls; ++i)
    issue();
  check(amp_rt_event_record(ctx, events->end));
  double microseconds = 0;
  check(amp_rt_event_elapsed(ctx, events->begin, events->end, &microseconds));
  return microseconds / calls;
}

int device::chooseCalls(const Session &session,
                        const std::function<void()> &issue, double milliseconds,
                        int most) {
  session.time(issue, 1);
  double once = std::max(session.time(issue, 2), 0.1);
  return std::clamp(int(milliseconds * 1e3 / once), 1, most);
}

//===- Report.cpp - One file and one table of all sections ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `report LINES.jsonl OUT` reads the lines that run.sh and the sections wrote,
// and writes OUT/results.json and OUT/results.txt.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace device;

namespace {
/// One column of a table: the member it shows, and how.
struct Column {
  const char *member, *title;
  /// Digits after the point of a number.
  int digits;
};

struct Table {
  const char *section, *title;
  std::vector<Column> columns;
};
} // namespace

static const std::vector<Table> &getTables() {
  static const std::vector<Table> tables = {
      {"machine",
       "Machine",
       {{"device", "device", 0},
        {"runtime", "runtime", 0},
        {"cublaslt", "cuBLASLt", 0}}},
      {"section",
       "Sections",
       {{"name", "section", 0},
        {"status", "status", 0},
        {"seconds", "s", 1},
        {"detail", "detail", 0}}},
      {"gemm",
       "amp_rt_gemm (ratio: time of cuBLASLt called directly / its time)",
       {{"type", "type", 0},
        {"shape", "shape", 0},
        {"m", "m", 0},
        {"n", "n", 0},
        {"k", "k", 0},
        {"us", "us", 2},
        {"tflops", "TFLOP/s", 1},
        {"direct_us", "direct us", 2},
        {"ratio", "ratio", 3},
        {"path", "path", 0}}},
      {"kernels",
       "Kernels (ratio: time of a copy that moves as many bytes / its time)",
       {{"program", "program", 0},
        {"kernel", "kernel", 0},
        {"bytes", "bytes", 0},
        {"us", "us", 2},
        {"gb_per_s", "GB/s", 0},
        {"copy_us", "copy us", 2},
        {"ratio_to_copy", "ratio", 3}}},
      {"step-gemms",
       "GEMMs of a step, one by one",
       {{"program", "program", 0},
        {"types", "types", 0},
        {"m", "m", 0},
        {"n", "n", 0},
        {"k", "k", 0},
        {"epilogue", "epilogue", 0},
        {"us", "us", 2},
        {"tflops", "TFLOP/s", 1}}},
      {"step",
       "Training steps (share: largest loss difference from the CPU / allowed)",
       {{"model", "model", 0},
        {"precision", "precision", 0},
        {"graph", "graph", 0},
        {"step_us", "step us", 1},
        {"host_us", "host us", 2},
        {"tflops", "TFLOP/s", 2},
        {"loss_first", "first loss", 5},
        {"loss_last", "last loss", 5},
        {"compared_steps", "steps", 0},
        {"loss_difference", "difference", 7},
        {"share_of_tolerance", "share", 3},
        {"bytes_per_step", "bytes/step", 0}}},
      {"pytorch",
       "PyTorch, the same step",
       {{"model", "model", 0},
        {"precision", "precision", 0},
        {"mode", "mode", 0},
        {"step_us", "step us", 1},
        {"version", "version", 0}}},
  };
  return tables;
}

static std::string show(const Json &value, int digits) {
  switch (value.getKind()) {
  case Json::Kind::Null:
    return "-";
  case Json::Kind::Bool:
    return value.getBool() ? "on" : "off";
  case Json::Kind::Number: {
    char text[40];
    std::snprintf(text, sizeof(text), "%.*f", digits, value.getNumber());
    return text;
  }
  default:
    return value.getString();
  }
}

static void printTable(std::ostream &out, const Table &table,
                       const std::vector<Json> &rows) {
  std::vector<std::vector<std::string>> cells(1);
  std::vector<bool> isNumber;
  for (const Column &column : table.columns)
    cells[0].push_back(column.title);
  isNumber.resize(table.columns.size());
  std::vector<std::string> remarks = {""};
  for (const Json &row : rows) {
    cells.emplace_back();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Json &value = row[table.columns[c].member];
      isNumber[c] = isNumber[c] || value.getKind() == Json::Kind::Number;
      cells.back().push_back(show(value, table.columns[c].digits));
    }
    std::string status = row["status"].getString(), remark;
    if (status != "ok" && std::string(table.section) != "section")
      remark = "  " + status + ": " + row["reason"].getString();
    remarks.push_back(remark);
  }
  out << "\n" << table.title << "\n";
  for (size_t r = 0; r < cells.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < cells[r].size(); ++c) {
      size_t width = 0;
      for (const auto &row : cells)
        width = std::max(width, row[c].size());
      std::string space(width - cells[r][c].size(), ' ');
      line += (c ? "  " : "") +
              (isNumber[c] ? space + cells[r][c] : cells[r][c] + space);
    }
    line += remarks[r];
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

int device::writeReport(const Options &options) {
  if (options.rest.size() != 2)
    throw Failure("expects a file of lines and a folder");
  std::istringstream lines(readFile(options.rest[0]));
  std::vector<Json> rows;
  std::string line;
  int passed = 0, failed = 0, skipped = 0;
  while (std::getline(lines, line)) {
    if (line.empty())
      continue;
    std::string error;
    Json row = Json::parse(line, error);
    if (!error.empty()) // A section that was killed in the middle of a line.
      row = Json::object({{"section", "section"},
                          {"name", "(report)"},
                          {"status", "failed"},
                          {"detail", "unreadable line: " + error}});
    const std::string &status = row["status"].getString();
    passed += status == "ok";
    failed += status == "failed";
    skipped += status == "skipped";
    rows.push_back(std::move(row));
  }

  Json sections = Json::object();
  std::ofstream text(options.rest[1] + "/results.txt");
  for (const Table &table : getTables()) {
    std::vector<Json> selected;
    for (const Json &row : rows)
      if (row["section"].getString() == table.section)
        selected.push_back(row);
    Json list = Json::array();
    for (const Json &row : selected) {
      Json content = Json::object();
      for (const Json::Member &member : row.getMembers())
        if (member.first != "section")
          content.set(member.first, member.second);
      list.append(std::move(content));
    }
    sections.set(table.section, std::move(list));
    if (!selected.empty())
      printTable(text, table, selected);
  }
  std::string summary = std::to_string(passed) + " passed, " +
                        std::to_string(failed) + " failed, " +
                        std::to_string(skipped) + " skipped";
  text << "\n" << summary << "\n";
  std::ofstream json(options.rest[1] + "/results.json");
  json << "{\"passed\": " << passed << ", \"failed\": " << failed
       << ", \"skipped\": " << skipped;
  for (const Json::Member &member : sections.getMembers()) {
    json << ",\n \"" << member.first << "\": [";
    const char *separator = "\n  ";
    for (const Json &row : member.second.getItems()) {
      json << separator << row.dump();
      separator = ",\n  ";
    }
    json << "]";
  }
  json << "\n}\n";
  if (!text || !json)
    throw Failure("cannot write to '" + options.rest[1] + "'");
  return failed ? 1 : 0;
}

//===- PlanFileTest.cpp - The file of measured choices --------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A choice is found again for the very same product, architecture and version;
// plans that cannot be read are ignored with one warning and replaced; a file
// of something else is never written.
//
//===----------------------------------------------------------------------===//

#include "PlanFile.h"
#include "Library.h"

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace amp_rt;
using namespace amp_rt::cuda;
using namespace lt_tests;

namespace {

struct PlanFiles : testing::Test {
  std::string path =
      testing::TempDir() + "amp-rt-plans-" +
      testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
  void SetUp() override { std::remove(path.c_str()); }
  void TearDown() override { std::remove(path.c_str()); }
};

PlanKey keyOf(int64_t m) {
  return {completed(product(AMP_RT_DTYPE_F16, AMP_RT_DTYPE_F16,
                            AMP_RT_DTYPE_F32, m, 32, 64)),
          Alignments()};
}

Algorithm numbered(uint64_t number) {
  Algorithm algorithm;
  algorithm.value.data[0] = number;
  algorithm.value.data[7] = ~uint64_t(0) - number;
  algorithm.workspaceBytes = 4096 + number;
  return algorithm;
}

TEST_F(PlanFiles, KeepsChoices) {
  PlanFile file;
  file.open(path);
  EXPECT_EQ(file.find(keyOf(8), 90, 130100), nullptr);
  file.store(keyOf(8), 90, 130100, numbered(1));
  file.store(keyOf(16), 90, 130100, numbered(2));
  // Beside another process that has stored something meanwhile.
  PlanFile other;
  other.open(path);
  other.store(keyOf(24), 80, 120800, numbered(3));
  file.store(keyOf(32), 90, 130100, numbered(4));

  PlanFile again;
  again.open(path);
  const Algorithm *found = again.find(keyOf(16), 90, 130100);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value.data[0], 2u);
  EXPECT_EQ(found->value.data[7], ~uint64_t(0) - 2);
  EXPECT_EQ(found->workspaceBytes, 4098u);
  EXPECT_NE(again.find(keyOf(24), 80, 120800), nullptr);
  EXPECT_NE(again.find(keyOf(32), 90, 130100), nullptr);
  // Another architecture, version, or any other field is another product.
  EXPECT_EQ(again.find(keyOf(16), 80, 130100), nullptr);
  EXPECT_EQ(again.find(keyOf(16), 90, 130000), nullptr);
  PlanKey key = keyOf(16);
  key.desc.beta = 1.0f;
  EXPECT_EQ(again.find(key, 90, 130100), nullptr);
  key = keyOf(16);
  key.alignments.out = 8;
  EXPECT_EQ(again.find(key, 90, 130100), nullptr);
  key = keyOf(16);
  key.desc.rhs_ld = 72;
  EXPECT_EQ(again.find(key, 90, 130100), nullptr);
}

TEST_F(PlanFiles, ReplacesPlansThatCannotBeRead) {
  for (const char *content :
       {"", "amp-rt plans 1\nbroken\n", "amp-rt plans 1\na,b sm_90 1 = 1 2 3\n",
        "amp-rt plans 2\n"}) {
    std::ofstream(path) << content;
    testing::internal::CaptureStderr();
    PlanFile file;
    file.open(path);
    EXPECT_EQ(file.find(keyOf(8), 90, 130100), nullptr);
    file.store(keyOf(8), 90, 130100, numbered(1));
    std::string warning = testing::internal::GetCapturedStderr();
    EXPECT_NE(warning.find("amp-rt warning: the plan file '"),
              std::string::npos)
        << content;
    EXPECT_EQ(warning.find("warning", warning.find("warning") + 1),
              std::string::npos)
        << warning;
    PlanFile again;
    again.open(path);
    EXPECT_NE(again.find(keyOf(8), 90, 130100), nullptr);
  }
}

TEST_F(PlanFiles, LeavesAFileOfSomethingElse) {
  std::ofstream(path) << "func.func @main()\n";
  testing::internal::CaptureStderr();
  PlanFile file;
  file.open(path);
  file.store(keyOf(8), 90, 130100, numbered(1));
  EXPECT_NE(file.find(keyOf(8), 90, 130100), nullptr);
  std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_NE(warning.find("is ignored and not written: line 1 expects"),
            std::string::npos)
      << warning;
  std::string line;
  std::getline(std::ifstream(path), line);
  EXPECT_EQ(line, "func.func @main()");
}

TEST_F(PlanFiles, CannotBeWritten) {
  testing::internal::CaptureStderr();
  PlanFile file;
  file.open("/nonexistent-folder/plans.txt");
  file.store(keyOf(8), 90, 130100, numbered(1));
  file.store(keyOf(16), 90, 130100, numbered(1));
  EXPECT_NE(file.find(keyOf(8), 90, 130100), nullptr);
  std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_NE(warning.find("cannot be written"), std::string::npos) << warning;
  EXPECT_EQ(warning.find("warning", warning.find("warning") + 1),
            std::string::npos);
}

} // namespace

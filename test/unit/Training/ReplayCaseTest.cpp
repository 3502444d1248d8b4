//===- ReplayCaseTest.cpp - Tests of recorded runs as data ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Training/ReplayCase.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::amp;

/// A case of one step with members replaced or added.
static std::string makeCase(StringRef optimizer, StringRef options,
                            StringRef rest) {
  return (R"({"name": "t", "dtype": null, "steps": 1, "clip": null, "micro": null, "inject": {},
    "x": {"shape": [2, 1], "data": [1, 2]}, "y": {"shape": [2], "data": [0, 1]},
    "init": {"w": {"shape": [1], "data": [0.5]}}, "final": {"w": {"shape": [1], "data": [NaN]}},
    "rows": [{"step": 0, "loss": Infinity, "scale": 1.0, "grad_norm": 1, "finite": false,
              "max_update": NaN, "out_dtype": "torch.float32"}],
    "optimizer": ")" +
          optimizer + R"(", "opt_defaults": )" + options + rest + "}")
      .str();
}

static std::string getOptions(StringRef optimizer, StringRef options,
                              StringRef rest = ", \"scaler\": null") {
  llvm::Expected<ReplayCase> parsed =
      parseReplayCase(makeCase(optimizer, options, rest), "f");
  return parsed ? parsed->trainOptions
                : "error: " + llvm::toString(parsed.takeError());
}

TEST(ReplayCaseTest, OptimizersBecomeOptions) {
  EXPECT_EQ(
      getOptions("AdamW", R"({"lr": 0.5})"),
      " lr=0.5 weight-decay=0.01 optimizer=adamw loss-scale=none guard=false");
  // L2 decay unless decoupled.
  EXPECT_NE(getOptions("Adam", R"({"lr": 1, "weight_decay": 0.25})")
                .find("weight-decay=0.25 optimizer=adam "),
            std::string::npos);
  EXPECT_NE(
      getOptions(
          "Adam",
          R"({"lr": 1, "weight_decay": 0.25, "decoupled_weight_decay": true})")
          .find("optimizer=adamw"),
      std::string::npos);
  EXPECT_NE(
      getOptions(
          "SGD",
          R"({"lr": 1, "momentum": 0.5, "nesterov": true, "foreach": null})")
          .find("nesterov=true"),
      std::string::npos);
}

TEST(ReplayCaseTest, ScalerTakesPyTorchsDefaults) {
  EXPECT_NE(
      getOptions("SGD", R"({"lr": 1})", R"(, "scaler": {"init_scale": 8})")
          .find(
              "loss-scale=dynamic scale=8 growth=2 backoff=0.5 interval=2000"),
      std::string::npos);
  EXPECT_NE(
      getOptions("SGD", R"({"lr": 1})", R"(, "scaler": {"enabled": false})")
          .find("guard=false"),
      std::string::npos);
}

TEST(ReplayCaseTest, UnknownThingsAreErrors) {
  for (StringRef options :
       {R"({"lr": 1, "amsgrad": true})", R"({"lr": 1, "maximize": true})",
        R"({"lr": 1, "differentiable": true})", R"({"lr": 1, "novel": 3})",
        R"({"momentum": 1})"})
    EXPECT_EQ(getOptions("SGD", options).rfind("error: cannot replay 'f': ", 0),
              0u)
        << options.str();
  EXPECT_EQ(
      getOptions("SGD", R"({"lr": 1})", R"(, "scaler": {"hysteresis": 2})")
          .rfind("error: ", 0),
      0u);
}

TEST(ReplayCaseTest, NonFiniteNumbersAndRounding) {
  llvm::Expected<ReplayCase> parsed = parseReplayCase(
      makeCase("SGD", R"({"lr": 1})", R"(, "scaler": null)"), "f");
  ASSERT_TRUE(static_cast<bool>(parsed));
  EXPECT_TRUE(std::isinf(parsed->rows[0].loss));
  EXPECT_TRUE(std::isnan(parsed->rows[0].maxUpdate));
  EXPECT_TRUE(std::isnan(parsed->final["w"].data[0]));
  EXPECT_EQ(parsed->policy, "f32");
  // 2^-25 is a tie between 0 and 2^-24 in f16, and goes to even.
  ReplayArray array{{2}, {std::ldexp(1.0, -25), 65520.0}};
  llvm::Expected<HostTensor> half = array.convert(DType::F16);
  ASSERT_TRUE(static_cast<bool>(half));
  EXPECT_EQ(llvm::toHex(StringRef(half->data.data(), 4)), "0000007C");
  // Fractions are no classes.
  llvm::Expected<HostTensor> integers =
      ReplayArray{{1}, {0.5}}.convert(DType::I64);
  ASSERT_FALSE(static_cast<bool>(integers));
  llvm::consumeError(integers.takeError());
}

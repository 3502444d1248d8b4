// A policy of the module itself goes the whole way: autocast, execution, training.
// What docs/policies.md shows.

// The layer whose parameter is named head stays in f32; the names of a location
// count too, its file ('own-policy') does not.
// RUN: amp-opt %s -amp-autocast=policy=mine | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK: nn.linear {{.*}} -> tensor<?x64xf16>
// CHECK: nn.linear {{.*}} -> tensor<?x10xf32>
// CHECK-LABEL: func.func private @names
// CHECK: nn.linear {{.*}} -> tensor<4x4xf32>
// CHECK: nn.linear {{.*}} -> tensor<4x4xf16>

// The hash is the policy's, whatever is asked of the printer.
// RUN: amp-opt %s -amp-autocast=policy=mine | grep -o 'policy_hash = "[0-9a-f]*"' > %t.hash
// RUN: amp-opt %s -amp-autocast=policy=mine --mlir-print-debuginfo | grep -o 'policy_hash = "[0-9a-f]*"' | diff %t.hash -
// RUN: amp-opt %s -amp-autocast=policy=mine --mlir-print-op-generic | grep -o 'policy_hash = "[0-9a-f]*"' | diff %t.hash -

// Which rule decided.
// RUN: amp-opt %s -amp-autocast=policy=mine --remarks-filter=amp-autocast -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Demoted {{.*}}rule=lower_precision_fp, to=f16
// REMARK: remark: [Passed] Demoted {{.*}}rule=native, to=f16
// REMARK: remark: [Passed] KeptF32 {{.*}}rule=fp32

// Compiled code knows no policies. The tolerance: an f16 operand of the f32 head
// that rounds the other way is off by 2^-10 of its value.
// RUN: amp-run %s --function=main --policy=mine --random-inputs=1 --expect=reference --rtol=1e-3 --atol=1e-1
// RUN: amp-opt %s --amp-compile="policy=mine batch=4" | FileCheck %s --check-prefix=LLVM
// LLVM-NOT: amp.rule
// LLVM: llvm.func @main.train(

amp.policy @mine low = f16 {
  amp.rule banned ["nn.exp"] {advice = "use nn.softmax"}
  amp.rule fp32 ["nn.linear"] {name_pattern = "^head"}
  amp.rule fp32 ["nn.linear"] {name_pattern = "own-policy"}
  amp.rule lower_precision_fp ["nn.linear", "nn.matmul"]
  amp.rule fp32 ["nn.mse_loss", "nn.cross_entropy"]
}

func.func @main(%w: tensor<64x64xf32> {amp.name = "fc.weight", amp.role = #amp.role<parameter>},
                %head: tensor<10x64xf32> {amp.name = "head.weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x64xf32> {amp.name = "x"},
                %y: tensor<?xi64> {amp.name = "y"}) -> (tensor<f32>, tensor<?x10xf32>) {
  %0 = nn.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = nn.silu %0 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = nn.linear %1, %head : (tensor<?x64xf32>, tensor<10x64xf32>) -> tensor<?x10xf32>
  %3 = nn.cross_entropy %2, %y : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<?x10xf32>
}

func.func private @names(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("head")
  %1 = nn.linear %0, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

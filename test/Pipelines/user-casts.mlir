// A user's casts f32 -> f16 -> f32 of the input survive all stages: at each one that
// still has them as ops, and as one rounding in the compiled loops.
// RUN: amp-opt %s --amp-compile="policy=f32 stop-after=train-step" | FileCheck %s --check-prefix=GRAPH
// RUN: amp-opt %s --amp-compile="policy=f32 stop-after=optimize-casts" | FileCheck %s --check-prefix=GRAPH
// RUN: amp-opt %s --amp-compile="policy=cpu-f16 stop-after=pack" | FileCheck %s --check-prefix=GRAPH
// RUN: amp-opt %s --amp-compile="policy=f32 stop-after=kernels" | FileCheck %s --check-prefix=KERNELS

// GRAPH-LABEL: func.func @main.train(
// GRAPH: %[[NARROW:.+]] = amp.cast %{{.+}} user : tensor<{{.+}}x4xf32> to tensor<{{.+}}x4xf16>
// GRAPH: amp.cast %[[NARROW]] user : tensor<{{.+}}x4xf16> to tensor<{{.+}}x4xf32>
// KERNELS-LABEL: func.func @main.train(
// KERNELS: arith.truncf %{{.+}} : f32 to f16
// KERNELS: arith.extf %{{.+}} : f16 to f32
// KERNELS: amprt.gemm
func.func @main(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = amp.cast %x user : tensor<?x4xf32> to tensor<?x4xf16>
  %1 = amp.cast %0 user : tensor<?x4xf16> to tensor<?x4xf32>
  %2 = nn.linear %1, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %3 = nn.mse_loss %2, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}

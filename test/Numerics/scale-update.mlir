// How the dynamic scale moves, executed: interpreted and compiled.

amp.scaler @main dynamic {initial = 1.0 : f32, interval = 2 : i64}
amp.scaler @bounded dynamic {initial = 1.0 : f32, interval = 2 : i64, floor = 0.75 : f32, cap = 8.0 : f32}

// From scale 1 one overflow gives 0.5 and the parameter 1.0 is kept, bit for bit;
// the next finite step updates it, at scale 0.5.
// RUN: amp-run %s --function=from_one --reference | FileCheck %s --check-prefix=ONE
// RUN: amp-run %s --function=from_one | FileCheck %s --check-prefix=ONE
// ONE: out0 (scale): tensor<f32> = 0.5{{$}}
// ONE: out1 (tracker): tensor<i64> = 0{{$}}
// ONE: out2 (parameter): tensor<2xf32> = [1, -0]
// ONE: out3 (next): tensor<2xf32> = [0.5, -1]
func.func @from_one() -> (tensor<f32> {amp.name = "scale"}, tensor<i64> {amp.name = "tracker"},
                          tensor<2xf32> {amp.name = "parameter"}, tensor<2xf32> {amp.name = "next"}) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %five = nn.constant dense<5> : tensor<i64>
  %c0 = nn.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %c1 = nn.constant dense<[0x7F800000, 2.0]> : tensor<2xf32>
  %c2 = nn.constant dense<[0.25, 0.5]> : tensor<2xf32>
  %p, %bad, %good = nn.optimization_barrier %c0, %c1, %c2 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %p1, %scale1, %tracker1 = call @step(%p, %bad, %one, %five) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<f32>, tensor<i64>)
  %p2, %scale2, %tracker2 = call @step(%p1, %good, %scale1, %tracker1) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<f32>, tensor<i64>)
  return %scale1, %tracker1, %p1, %p2 : tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>
}
// Plain SGD with learning rate 1 on scaled gradients.
func.func private @step(%p: tensor<2xf32>, %g: tensor<2xf32>, %scale: tensor<f32>, %tracker: tensor<i64>)
    -> (tensor<2xf32>, tensor<f32>, tensor<i64>) {
  %u = amp.unscale_grads @main(%scale) %g : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %norm = amp.global_norm %u : (tensor<2xf32>) -> tensor<f32>
  %found = amp.found_inf %u norm(%norm) : (tensor<2xf32>, tensor<f32>) -> tensor<i1>
  %new = amp.guarded_update skip(%found) states(%p) gradients(%u) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%p0: f32, %g0: f32):
    %p1 = arith.subf %p0, %g0 : f32
    amp.yield %p1 : f32
  }
  %s:2 = amp.update_scale @main(%scale, %tracker, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %new, %s#0, %s#1 : tensor<2xf32>, tensor<f32>, tensor<i64>
}

// Growth after `interval` finite steps; growth that would not be finite is not
// taken, and the tracker starts again.
// RUN: amp-run %s --function=growth --reference | FileCheck %s --check-prefix=GROWTH
// RUN: amp-run %s --function=growth | FileCheck %s --check-prefix=GROWTH
// GROWTH: out0: tensor<f32> = 4{{$}}
// GROWTH: out1: tensor<i64> = 1{{$}}
// GROWTH: out2: tensor<f32> = 8{{$}}
// GROWTH: out3: tensor<i64> = 0{{$}}
// GROWTH: out4: tensor<f32> = 1.7014118e+38{{$}}
// GROWTH: out5: tensor<i64> = 0{{$}}
func.func @growth() -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>) {
  %four = nn.constant dense<4.0> : tensor<f32>
  %large = nn.constant dense<1.7014118e+38> : tensor<f32>
  %c0 = nn.constant dense<0> : tensor<i64>
  %c1 = nn.constant dense<1> : tensor<i64>
  %no = nn.constant dense<false> : tensor<i1>
  %found = nn.optimization_barrier %no : (tensor<i1>) -> tensor<i1>
  %0:2 = amp.update_scale @main(%four, %c0, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %1:2 = amp.update_scale @main(%four, %c1, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %2:2 = amp.update_scale @main(%large, %c1, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>
}

// A tracker beyond the interval (which was lowered below it) still grows the
// scale; with PyTorch's `==` it never would. Floor and cap hold.
// RUN: amp-run %s --function=bounds --reference | FileCheck %s --check-prefix=BOUNDS
// RUN: amp-run %s --function=bounds | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: out0 (lowered): tensor<f32> = 2{{$}}
// BOUNDS: out1 (exact): tensor<f32> = 1{{$}}
// BOUNDS: out2 (tracker): tensor<i64> = 8{{$}}
// BOUNDS: out3 (floor): tensor<f32> = 0.75{{$}}
// BOUNDS: out4 (cap): tensor<f32> = 8{{$}}
func.func @bounds() -> (tensor<f32> {amp.name = "lowered"}, tensor<f32> {amp.name = "exact"}, tensor<i64> {amp.name = "tracker"},
                        tensor<f32> {amp.name = "floor"}, tensor<f32> {amp.name = "cap"}) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %eight = nn.constant dense<8.0> : tensor<f32>
  %c1 = nn.constant dense<1> : tensor<i64>
  %c7 = nn.constant dense<7> : tensor<i64>
  %false = nn.constant dense<false> : tensor<i1>
  %true = nn.constant dense<true> : tensor<i1>
  %no, %yes = nn.optimization_barrier %false, %true : (tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>)
  %0:2 = amp.update_scale @main(%one, %c7, %no) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %1:2 = amp.update_scale @main(%one, %c7, %no) {exact_interval} : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %2:2 = amp.update_scale @bounded(%one, %c1, %yes) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %3:2 = amp.update_scale @bounded(%eight, %c1, %no) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %1#0, %1#1, %2#0, %3#0 : tensor<f32>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<f32>
}

// A window of two micro-batches, one of them with an overflow: the sum is not
// finite, so the whole window is skipped, whichever came first, and the scale backs off once.
// RUN: amp-run %s --function=window_skip --reference | FileCheck %s --check-prefix=WINDOW
// RUN: amp-run %s --function=window_skip | FileCheck %s --check-prefix=WINDOW
// WINDOW: out0: tensor<2xf32> = [1, -0]
// WINDOW: out1: tensor<f32> = 4{{$}}
// WINDOW: out2: tensor<2xf32> = [1, -0]
// WINDOW: out3: tensor<f32> = 4{{$}}
// WINDOW: out4: tensor<2xf32> = [0.5, -0.25]
func.func @window_skip() -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>) {
  %eight = nn.constant dense<8.0> : tensor<f32>
  %one = nn.constant dense<1> : tensor<i64>
  %c0 = nn.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %c1 = nn.constant dense<[0xFF800000, 1.0]> : tensor<2xf32>
  %c2 = nn.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %p, %bad, %good = nn.optimization_barrier %c0, %c1, %c2 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %0 = nn.add %bad, %good : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %p0, %s0, %t0 = call @step(%p, %0, %eight, %one) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<f32>, tensor<i64>)
  %1 = nn.add %good, %bad : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %p1, %s1, %t1 = call @step(%p, %1, %eight, %one) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<f32>, tensor<i64>)
  %2 = nn.add %good, %good : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %p2, %s2, %t2 = call @step(%p, %2, %eight, %one) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<f32>, tensor<i64>)
  return %p0, %s0, %p1, %s1, %p2 : tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>
}

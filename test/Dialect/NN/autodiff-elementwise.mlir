// RUN: amp-opt %s -split-input-file -nn-autodiff="function=f wrt=all-float-args cotangents=all" | FileCheck %s

// Each rule uses the value that PyTorch saves: the output for exp, sqrt, rsqrt,
// tanh, sigmoid and relu, the input for the others.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf16>, %[[C0:[^:]+]]: tensor<4xf16> {amp.name = "result0.cotangent"
// CHECK: %[[EXP:.+]] = nn.exp %[[X]]
// CHECK: %[[LOG:.+]] = nn.log %[[EXP]]
// CHECK: %[[SQRT:.+]] = nn.sqrt %[[LOG]]
// CHECK: %[[RSQRT:.+]] = nn.rsqrt %[[SQRT]]
// CHECK: %[[TANH:.+]] = nn.tanh %[[RSQRT]]
// CHECK: %[[SIG:.+]] = nn.sigmoid %[[TANH]]
// CHECK: %[[RELU:.+]] = nn.relu %[[SIG]]
// CHECK: %[[SILU:.+]] = nn.silu %[[RELU]]
// CHECK: %[[ERF:.+]] = nn.gelu %[[SILU]]
// CHECK: %[[GELU:.+]] = nn.gelu %[[ERF]]
// CHECK: %[[ABS:.+]] = nn.abs %[[GELU]]
// CHECK: %[[NEG:.+]] = nn.neg %[[ABS]]
// CHECK-NEXT: %[[D12:.+]] = nn.neg %[[C0]]
// CHECK-NEXT: %[[D11:.+]] = nn.abs_grad %[[D12]], %[[GELU]]
// CHECK-NEXT: %[[D10:.+]] = nn.gelu_grad %[[D11]], %[[ERF]] {approximate = #nn.gelu<tanh>}
// CHECK-NEXT: %[[D9:.+]] = nn.gelu_grad %[[D10]], %[[SILU]] :
// CHECK-NEXT: %[[D8:.+]] = nn.silu_grad %[[D9]], %[[RELU]]
// CHECK-NEXT: %[[D7:.+]] = nn.relu_grad %[[D8]], %[[RELU]]
// CHECK-NEXT: %[[D6:.+]] = nn.sigmoid_grad %[[D7]], %[[SIG]]
// CHECK-NEXT: %[[D5:.+]] = nn.tanh_grad %[[D6]], %[[TANH]]
// CHECK-NEXT: %[[D4:.+]] = nn.rsqrt_grad %[[D5]], %[[RSQRT]]
// CHECK-NEXT: %[[D3:.+]] = nn.sqrt_grad %[[D4]], %[[SQRT]]
// CHECK-NEXT: %[[D2:.+]] = nn.div %[[D3]], %[[EXP]]
// CHECK-NEXT: %[[D1:.+]] = nn.mul %[[D2]], %[[EXP]]
// CHECK-NEXT: return %[[NEG]], %[[D1]]
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = nn.exp %x : (tensor<4xf16>) -> tensor<4xf16>
  %1 = nn.log %0 : (tensor<4xf16>) -> tensor<4xf16>
  %2 = nn.sqrt %1 : (tensor<4xf16>) -> tensor<4xf16>
  %3 = nn.rsqrt %2 : (tensor<4xf16>) -> tensor<4xf16>
  %4 = nn.tanh %3 : (tensor<4xf16>) -> tensor<4xf16>
  %5 = nn.sigmoid %4 : (tensor<4xf16>) -> tensor<4xf16>
  %6 = nn.relu %5 : (tensor<4xf16>) -> tensor<4xf16>
  %7 = nn.silu %6 : (tensor<4xf16>) -> tensor<4xf16>
  %8 = nn.gelu %7 : (tensor<4xf16>) -> tensor<4xf16>
  %9 = nn.gelu %8 {approximate = #nn.gelu<tanh>} : (tensor<4xf16>) -> tensor<4xf16>
  %10 = nn.abs %9 : (tensor<4xf16>) -> tensor<4xf16>
  %11 = nn.neg %10 : (tensor<4xf16>) -> tensor<4xf16>
  return %11 : tensor<4xf16>
}

// -----

// Binary ops, one result each. The cotangent of an add reaches both operands as it
// is; mul and div need the other operand; a sum of cotangents is one op.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[A:[^:]+]]: tensor<4xf32>, %[[B:[^:]+]]: tensor<4xf32>
// CHECK-SAME: %[[CADD:[^:]+]]: tensor<4xf32> {amp.name = "result0.cotangent"
// CHECK-SAME: %[[CSUB:[^:]+]]: tensor<4xf32> {amp.name = "result1.cotangent"
// CHECK-SAME: %[[CMUL:[^:]+]]: tensor<4xf32> {amp.name = "result2.cotangent"
// CHECK-SAME: %[[CDIV:[^:]+]]: tensor<4xf32> {amp.name = "result3.cotangent"
// CHECK-SAME: %[[CMAX:[^:]+]]: tensor<4xf32> {amp.name = "result4.cotangent"
// CHECK-SAME: {amp.name = "arg0", amp.role = #amp.role<gradient>}
// CHECK-SAME: {amp.name = "arg1", amp.role = #amp.role<gradient>}
// CHECK: nn.maximum
// CHECK-NEXT: %[[MAXL:.+]], %[[MAXR:.+]] = nn.maximum_grad %[[CMAX]], %[[A]], %[[B]]
// CHECK-NEXT: %[[DIVL:.+]] = nn.div %[[CDIV]], %[[B]]
// CHECK-NEXT: %[[DIVR:.+]] = nn.div_rhs_grad %[[CDIV]], %[[A]], %[[B]]
// CHECK-NEXT: %[[MULL:.+]] = nn.mul %[[CMUL]], %[[B]]
// CHECK-NEXT: %[[MULR:.+]] = nn.mul %[[CMUL]], %[[A]]
// CHECK-NEXT: %[[SUBR:.+]] = nn.neg %[[CSUB]]
// CHECK-NEXT: %[[DA:.+]] = nn.add_n %[[MAXL]], %[[DIVL]], %[[MULL]], %[[CSUB]], %[[CADD]] {numerics = #amp.numerics<accumulate = f32>}
// CHECK-NEXT: %[[DB:.+]] = nn.add_n %[[MAXR]], %[[DIVR]], %[[MULR]], %[[SUBR]], %[[CADD]] {numerics = #amp.numerics<accumulate = f32>}
// CHECK-NEXT: return {{.*}}, %[[DA]], %[[DB]]
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = nn.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.maximum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// One value as both operands gets both cotangents. The sum of f64 values has an
// f64 accumulator.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf64>, %[[C:[^:]+]]: tensor<4xf64>
// CHECK: nn.mul
// CHECK-NEXT: %[[L:.+]] = nn.mul %[[C]], %[[X]]
// CHECK-NEXT: %[[R:.+]] = nn.mul %[[C]], %[[X]]
// CHECK-NEXT: %[[D:.+]] = nn.add_n %[[L]], %[[R]] {numerics = #amp.numerics<accumulate = f64>}
// CHECK-NEXT: return %{{.+}}, %[[D]]
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = nn.mul %x, %x : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// Select with dynamic shape: the zero arm takes its shape from the cotangent.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[P:[^:]+]]: tensor<?xi1>, %[[A:[^:]+]]: tensor<?xbf16>, %[[B:[^:]+]]: tensor<?xbf16>, %[[C:[^:]+]]: tensor<?xbf16>
// CHECK: nn.select
// CHECK: %[[Z:.+]] = nn.constant dense<0.000000e+00> : tensor<bf16>
// CHECK: %[[ZERO:.+]] = nn.broadcast %[[Z]], %[[C]] {dims = array<i64>}
// CHECK: %[[L:.+]] = nn.select %[[P]], %[[C]], %[[ZERO]]
// CHECK: %[[R:.+]] = nn.select %[[P]], %[[ZERO]], %[[C]]
// CHECK: return %{{.+}}, %[[L]], %[[R]]
func.func @f(%p: tensor<?xi1>, %a: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?xbf16> {
  %0 = nn.select %p, %a, %b : (tensor<?xi1>, tensor<?xbf16>, tensor<?xbf16>) -> tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

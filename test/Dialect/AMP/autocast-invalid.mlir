// RUN: amp-opt %s -amp-autocast=policy=strict -split-input-file -verify-diagnostics

// expected-error @below {{unknown policy 'strict'; expects one of 'cpu-bf16', 'cpu-f16', 'cuda-bf16', 'cuda-f16', 'f32', or an 'amp.policy' of that name in the module}}
module {
}

// -----

// A ban is an error with advice.
module {
  amp.policy @strict low = f16 {
    amp.rule banned ["nn.exp"] {advice = "use nn.softmax, which subtracts the maximum"}
  }
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{'nn.exp' op is banned by policy 'strict': use nn.softmax, which subtracts the maximum}}
    %0 = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Neither f16 nor bf16 holds the other: promotion is undefined.
module {
  amp.policy @strict low = f16 {
    amp.rule lower_precision_fp ["nn.linear"]
    amp.rule promote ["nn.add"]
  }
  func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-note @below {{see 'f16' value here}}
    %0 = nn.linear %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = amp.autocast_region enabled = true policy = @"cpu-bf16" -> tensor<4x4xf32> {
      // expected-note @below {{see 'bf16' value here}}
      %2 = nn.linear %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      amp.yield %2 : tensor<4x4xf32>
    }
    // expected-error @below {{expects operands with a widest float type among them, but got 'f16' and 'bf16'; cast one of them explicitly with 'amp.cast'}}
    %3 = nn.add %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %3 : tensor<4x4xf32>
  }
}

// RUN: amp-opt %s -split-input-file -verify-diagnostics -amprt-verify-gpu-kernels=arch=sm_80 -allow-unregistered-dialect

// What can be lowered passes; nothing outside a module of kernels is looked at.
func.func @host(%x: tensor<f8E5M2>) -> tensor<f8E5M2> {
  return %x : tensor<f8E5M2>
}
gpu.module @good {
  gpu.func @k(%a: memref<8xf8E5M2>, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.load %a[%c0] : memref<8xf8E5M2>
    %1 = arith.bitcast %0 : f8E5M2 to i8
    %2 = math.exp %x : f32
    memref.store %0, %a[%c0] : memref<8xf8E5M2>
    gpu.return
  }
}

// -----

gpu.module @narrow {
  gpu.func @k(%x: f8E5M2) kernel {
    // expected-error @below {{'arith.addf' op expects to compute on types that the device has arithmetic for, but got 'f8E5M2'}}
    %0 = arith.addf %x, %x : f8E5M2
    gpu.return
  }
}

// -----

gpu.module @math {
  gpu.func @k(%x: f32, %y: f16) kernel {
    // expected-error @below {{'math.trunc' op has no function in libdevice}}
    %0 = math.trunc %x : f32
    // expected-error @below {{'math.sqrt' op is approximate on the device: run '-amprt-lower-gpu-conversions' first}}
    %1 = math.sqrt %x : f32
    // expected-error @below {{'math.exp' op expects to compute on types that the device has arithmetic for, but got 'f16'}}
    %2 = math.exp %y : f16
    gpu.return
  }
}

// -----

gpu.module @leftover {
  gpu.func @k(%x: f32) kernel {
    // expected-error @below {{'tensor.from_elements' op has no lowering in a kernel}}
    %0 = tensor.from_elements %x : tensor<1xf32>
    // expected-error @below {{'builtin.unrealized_conversion_cast' op has no lowering in a kernel}}
    %1 = builtin.unrealized_conversion_cast %x : f32 to i32
    // expected-error @below {{expects registered ops in a kernel, but got 'other.op'}}
    "other.op"() : () -> ()
    gpu.return
  }
}

// -----

// LLVM would end the process: "Cannot select".
gpu.module @arch {
  gpu.func @k(%x: f32) kernel {
    // expected-error @below {{'llvm.nvvm.ff.to.e4m3x2.rn' converts f32 to f8E4M3FN, which sm_80 has no instruction for; the first is sm_89}}
    %0 = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%x, %x) : (f32, f32) -> i16
    gpu.return
  }
}

// RUN: amp-opt %s -split-input-file -amprt-plan-memory -amprt-emit-gpu-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A row a block, a vector a thread, which stays in registers: it is read once for three
// passes. Sums over lanes, then five shuffles, then warps in order through shared
// memory; the combining additions have lost their flags.
// CHECK-LABEL: func.func @softmax(
// CHECK:         amprt.launch @kernels::@softmax_row_0 blocks 64 threads 64
// CHECK-LABEL: gpu.func @softmax_row_0(
// CHECK-SAME:    %[[X:[^:]+]]: memref<64x512xf16> {llvm.dereferenceable = 65536 : i64, llvm.noalias}, %[[Y:[^:]+]]: memref<64x512xf16> {llvm.dereferenceable = 65536 : i64, llvm.noalias})
// CHECK-SAME:    workgroup(%[[S0:[^:]+]] : memref<2xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[S1:.+]] : memref<2xf32
// CHECK:         %[[V:.+]] = vector.load %[[X]][%block_id_x, %{{.+}}] {alignment = 16 : i64} : memref<64x512xf16>, vector<8xf16>
// CHECK-NOT:     vector.load
// CHECK:         arith.maximumf %{{.+}}, %{{.+}} : vector<8xf32>
// CHECK:         arith.maximumf %{{.+}}, %{{.+}} : f32
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK:         memref.store %{{.+}}, %[[S0]]
// CHECK:         gpu.barrier
// CHECK-COUNT-2: memref.load %[[S0]]
// CHECK:         %[[E:.+]] = math.exp %{{.+}} : vector<8xf32>
// CHECK:         arith.addf %{{.+}}, %[[E]] fastmath<contract> : vector<8xf32>
// CHECK:         arith.addf %{{[0-9]+}}, %{{[0-9]+}} : f32
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK:         gpu.barrier
// CHECK:         arith.divf %[[E]], %{{.+}} : vector<8xf32>
// CHECK:         vector.store %{{.+}}, %[[Y]]
func.func @softmax(%x: tensor<64x512xf16>) -> tensor<64x512xf16> {
  %e = tensor.empty() : tensor<64x512xf16>
  %0 = amprt.kernel <row> ins(%x : tensor<64x512xf16>) outs(%e : tensor<64x512xf16>) {
  ^bb0(%a: tensor<64x512xf16>, %o: tensor<64x512xf16>):
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %k = tensor.empty() : tensor<64xf32>
    %d = tensor.empty() : tensor<64x512xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%k : tensor<64xf32>) -> tensor<64xf32>
    %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<64x512xf16>) outs(%m0 : tensor<64xf32>) {
    ^bb1(%p: f16, %q: f32):
      %w = arith.extf %p : f16 to f32
      %r = arith.maximumf %q, %w : f32
      linalg.yield %r : f32
    } -> tensor<64xf32>
    %ex = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a, %m : tensor<64x512xf16>, tensor<64xf32>) outs(%d : tensor<64x512xf32>) {
    ^bb1(%p: f16, %q: f32, %z: f32):
      %w = arith.extf %p : f16 to f32
      %s = arith.subf %w, %q : f32
      %r = math.exp %s : f32
      linalg.yield %r : f32
    } -> tensor<64x512xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%k : tensor<64xf32>) -> tensor<64xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%ex : tensor<64x512xf32>) outs(%s0 : tensor<64xf32>) {
    ^bb1(%p: f32, %q: f32):
      %r = arith.addf %q, %p fastmath<reassoc,contract> : f32
      linalg.yield %r : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ex, %s : tensor<64x512xf32>, tensor<64xf32>) outs(%o : tensor<64x512xf16>) {
    ^bb1(%p: f32, %q: f32, %z: f16):
      %r = arith.divf %p, %q : f32
      %n = arith.truncf %r : f32 to f16
      linalg.yield %n : f16
    } -> tensor<64x512xf16>
    amprt.yield %y : tensor<64x512xf16>
  } -> tensor<64x512xf16>
  return %0 : tensor<64x512xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// No 'reassoc': one thread adds the row's elements in order, one by one, starting from
// the initial value, and its sum goes to all.
// CHECK-LABEL: gpu.func @ordered_row_0(
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %thread_id_x, %c0
// CHECK:         %[[SUM:.+]] = scf.if %[[FIRST]] -> (f32) {
// CHECK:           %[[R:.+]] = scf.for %[[I:.+]] = %c0 to %c4096 step %c1 iter_args(%[[ACC:.+]] = %[[INIT:.+]]) -> (f32) {
// CHECK-NEXT:        %[[V:.+]] = memref.load %{{.+}}[%block_id_x, %[[I]]]
// CHECK-NEXT:        arith.addf %[[ACC]], %[[V]] : f32
// CHECK:           scf.yield %[[R]]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[INIT]]
// CHECK:         memref.store %[[SUM]]
// CHECK:         gpu.barrier
func.func @ordered(%x: tensor<3x4096xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %0 = amprt.kernel <row> ins(%x : tensor<3x4096xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: tensor<3x4096xf32>, %o: tensor<3xf32>):
    %zero = arith.constant 0.0 : f32
    %s0 = linalg.fill ins(%zero : f32) outs(%o : tensor<3xf32>) -> tensor<3xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<3x4096xf32>) outs(%s0 : tensor<3xf32>) {
    ^bb1(%p: f32, %q: f32):
      %r = arith.addf %q, %p : f32
      linalg.yield %r : f32
    } -> tensor<3xf32>
    amprt.yield %s : tensor<3xf32>
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>

// A flat sum of i64 and an 'or' of i1: per-block partial results behind the plan's
// arena, whose second kernel combines them and does what follows. 64-bit values are
// shuffled in halves.
// CHECK-LABEL: func.func @flat(
// CHECK-SAME:    memref<512xi8> {amprt.arena}
// CHECK-SAME:    amprt.arena_bytes = 512
// CHECK:         %[[P0:.+]] = amprt.view %[[A:.+]] at 0 : memref<512xi8> to memref<13xi64>
// CHECK:         %[[P1:.+]] = amprt.view %[[A]] at 256 : memref<512xi8> to memref<13xi8>
// CHECK:         amprt.launch @kernels::@flat_flat_0 blocks 13 threads 256(%{{.+}}, %[[P0]], %[[P1]])
// CHECK:         amprt.launch @kernels::@flat_flat_0_combine blocks 1 threads 32(%{{.+}}, %[[P0]], %[[P1]])
// CHECK-LABEL: gpu.func @flat_flat_0(
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c256 iter_args({{.*}}) -> (vector<8xi64>, vector<8xi1>)
// CHECK:           vector.load %{{.+}} {alignment = 16 : i64} : memref<100000xf32>, vector<8xf32>
// CHECK-COUNT-15: gpu.shuffle xor
// CHECK-NOT:     gpu.shuffle
// CHECK:         memref.store %{{.+}}[%block_id_x] : memref<13xi64>
// CHECK-LABEL: gpu.func @flat_flat_0_combine(
// CHECK:         scf.for %{{.+}} = %thread_id_x to %c13 step %c32
// CHECK:           memref.load %{{.+}} : memref<13xi64>
// CHECK:         memref.store %{{.+}} : memref<i8>
func.func @flat(%x: tensor<100000xf32>) -> (tensor<i64>, tensor<i1>) {
  %e0 = tensor.empty() : tensor<i64>
  %e1 = tensor.empty() : tensor<i1>
  %0:2 = amprt.kernel <flat> ins(%x : tensor<100000xf32>) outs(%e0, %e1 : tensor<i64>, tensor<i1>) {
  ^bb0(%a: tensor<100000xf32>, %o0: tensor<i64>, %o1: tensor<i1>):
    %zero = arith.constant 0 : i64
    %false = arith.constant false
    %inf = arith.constant 0x7F800000 : f32
    %n0 = linalg.fill ins(%zero : i64) outs(%o0 : tensor<i64>) -> tensor<i64>
    %n = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]}
        ins(%a : tensor<100000xf32>) outs(%n0 : tensor<i64>) {
    ^bb1(%p: f32, %q: i64):
      %f = arith.constant 0.0 : f32
      %c = arith.cmpf oeq, %p, %f : f32
      %w = arith.extui %c : i1 to i64
      %r = arith.addi %q, %w : i64
      linalg.yield %r : i64
    } -> tensor<i64>
    %b0 = linalg.fill ins(%false : i1) outs(%o1 : tensor<i1>) -> tensor<i1>
    %b = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]}
        ins(%a : tensor<100000xf32>) outs(%b0 : tensor<i1>) {
    ^bb1(%p: f32, %q: i1):
      %m = math.absf %p : f32
      %c = arith.cmpf uge, %m, %inf : f32
      %r = arith.ori %q, %c : i1
      linalg.yield %r : i1
    } -> tensor<i1>
    amprt.yield %n, %b : tensor<i64>, tensor<i1>
  } -> tensor<i64>, tensor<i1>
  return %0#0, %0#1 : tensor<i64>, tensor<i1>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>

// Columns: 3 blocks of 256 columns (the last is half empty: its threads read the last
// vector and drop it) times 8 slices of rows; 8 lines of 32 threads, combined through
// shared memory; the second kernel adds the slices in order.
// CHECK-LABEL: func.func @columns(
// CHECK:         amprt.launch @kernels::@columns_column_0 blocks 24 threads 256
// CHECK:         amprt.launch @kernels::@columns_column_0_combine blocks 5 threads 128
// CHECK-LABEL: gpu.func @columns_column_0(
// CHECK-SAME:    workgroup(%[[S:[^:]+]] : memref<8x256xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK:         arith.cmpi ult, %{{.+}}, %c80
// CHECK:         arith.minui %{{.+}}, %c79
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c8 iter_args({{.*}}) -> (vector<8xf32>)
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<512x640xf16>, vector<8xf16>
// CHECK:         vector.store %{{.+}}, %[[S]]
// CHECK:         gpu.barrier
// CHECK-COUNT-7: vector.load %[[S]]
// CHECK:         vector.store %{{.+}} {alignment = 16 : i64} : memref<8x640xf32>, vector<8xf32>
// CHECK-LABEL: gpu.func @columns_column_0_combine(
// CHECK:         scf.for %{{.+}} = %c0 to %c8 step %c1
func.func @columns(%x: tensor<512x640xf16>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %0 = amprt.kernel <column> ins(%x : tensor<512x640xf16>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: tensor<512x640xf16>, %o: tensor<640xf32>):
    %zero = arith.constant 0.0 : f32
    %s0 = linalg.fill ins(%zero : f32) outs(%o : tensor<640xf32>) -> tensor<640xf32>
    %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
        ins(%a : tensor<512x640xf16>) outs(%s0 : tensor<640xf32>) {
    ^bb1(%p: f16, %q: f32):
      %w = arith.extf %p : f16 to f32
      %r = arith.addf %q, %w fastmath<reassoc,contract> : f32
      linalg.yield %r : f32
    } -> tensor<640xf32>
    amprt.yield %s : tensor<640xf32>
  } -> tensor<640xf32>
  return %0 : tensor<640xf32>
}

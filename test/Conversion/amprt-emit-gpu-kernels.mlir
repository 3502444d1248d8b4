// RUN: amp-opt %s -split-input-file -amprt-plan-memory -amprt-emit-gpu-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// Identity maps only: one dimension of 32768, a vector of 8 a thread, two
// accesses of 16 bytes each way; the two kernels are equal and share their function.
// CHECK-LABEL: func.func @line(
// CHECK:         %[[X:.+]] = amprt.view %{{.+}} at 0 : memref<256x128xf32> to memref<32768xf32>
// CHECK:         amprt.launch @kernels::@line_elementwise_0 blocks 32 threads 128(%[[X]], %{{.+}}) : memref<32768xf32>, memref<32768xf32>
// CHECK:         amprt.launch @kernels::@line_elementwise_0 blocks 32 threads 128
// CHECK:       gpu.module @kernels
// CHECK:       gpu.func @line_elementwise_0(
// CHECK-SAME:    %[[IN:[^:]+]]: memref<32768xf32> {llvm.dereferenceable = 131072 : i64, llvm.noalias}, %[[OUT:[^:]+]]: memref<32768xf32> {llvm.dereferenceable = 131072 : i64, llvm.noalias})
// CHECK-SAME:    kernel attributes {known_block_size = array<i32: 128, 1, 1>, nvvm.minctasm = 4 : i32}
// CHECK-DAG:     %[[T:.+]] = gpu.thread_id x
// CHECK-DAG:     %[[B:.+]] = gpu.block_id x
// CHECK:         %[[N:.+]] = arith.addi %{{.+}}, %[[T]]
// CHECK-NEXT:    %[[I:.+]] = arith.muli %[[N]], %c8
// CHECK-NEXT:    %[[V0:.+]] = vector.load %[[IN]][%[[I]]] {alignment = 16 : i64} : memref<32768xf32>, vector<8xf32>
// CHECK-NEXT:    %[[V1:.+]] = arith.negf %[[V0]] : vector<8xf32>
// CHECK-NEXT:    vector.store %[[V1]], %[[OUT]][%[[I]]] {alignment = 16 : i64}
// CHECK-NEXT:    gpu.return
// CHECK-NOT:   gpu.func
func.func @line(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %e = tensor.empty() : tensor<256x128xf32>
  %0 = amprt.kernel <elementwise> ins(%x : tensor<256x128xf32>) outs(%e : tensor<256x128xf32>) {
  ^bb0(%a: tensor<256x128xf32>, %o: tensor<256x128xf32>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<256x128xf32>) outs(%o : tensor<256x128xf32>) {
    ^bb1(%p: f32, %r: f32):
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    } -> tensor<256x128xf32>
    amprt.yield %g : tensor<256x128xf32>
  } -> tensor<256x128xf32>
  %1 = amprt.kernel <elementwise> ins(%0 : tensor<256x128xf32>) outs(%e : tensor<256x128xf32>) {
  ^bb0(%a: tensor<256x128xf32>, %o: tensor<256x128xf32>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<256x128xf32>) outs(%o : tensor<256x128xf32>) {
    ^bb1(%p: f32, %r: f32):
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    } -> tensor<256x128xf32>
    amprt.yield %g : tensor<256x128xf32>
  } -> tensor<256x128xf32>
  return %1 : tensor<256x128xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// Broadcasts and a transposed operand: the row's value is one scalar for all lanes,
// the column's a vector, the transposed one's elements are read one by one. f16
// arithmetic is widened and rounded after every op; rows of 12 leave 4 lanes, and rows
// of 24 bytes are aligned to 8.
// CHECK-LABEL: gpu.func @broadcast_elementwise_0(
// CHECK-SAME:    %[[X:[^:]+]]: memref<64x12xf16>{{.*}}, %[[R:[^:]+]]: memref<64xf16>{{.*}}, %[[C:[^:]+]]: memref<12xf16>{{.*}}, %[[T:[^:]+]]: memref<12x64xf16>
// CHECK:         %[[XV:.+]] = vector.load %[[X]][%{{.+}}, %{{.+}}] {alignment = 8 : i64} : memref<64x12xf16>, vector<4xf16>
// CHECK:         %[[RS:.+]] = memref.load %[[R]][%{{.+}}] : memref<64xf16>
// CHECK:         %[[RV:.+]] = vector.broadcast %[[RS]] : f16 to vector<4xf16>
// CHECK:         vector.load %[[C]][%{{.+}}] {alignment = 8 : i64}
// CHECK-COUNT-4: memref.load %[[T]]
// CHECK-NOT:     memref.load
// CHECK:         vector.from_elements
// CHECK:         %[[XW:.+]] = arith.extf %[[XV]] : vector<4xf16> to vector<4xf32>
// CHECK-NEXT:    %[[RW:.+]] = arith.extf %[[RV]]
// CHECK-NEXT:    %[[S:.+]] = arith.addf %[[XW]], %[[RW]] : vector<4xf32>
// CHECK-NEXT:    %[[N:.+]] = arith.truncf %[[S]] : vector<4xf32> to vector<4xf16>
// CHECK-NEXT:    arith.extf %[[N]]
func.func @broadcast(%x: tensor<64x12xf16>, %r: tensor<64xf16>, %c: tensor<12xf16>, %t: tensor<12x64xf16>) -> tensor<64x12xf16> {
  %e = tensor.empty() : tensor<64x12xf16>
  %0 = amprt.kernel <elementwise> ins(%x, %r, %c, %t : tensor<64x12xf16>, tensor<64xf16>, tensor<12xf16>, tensor<12x64xf16>) outs(%e : tensor<64x12xf16>) {
  ^bb0(%a: tensor<64x12xf16>, %b: tensor<64xf16>, %d: tensor<12xf16>, %f: tensor<12x64xf16>, %o: tensor<64x12xf16>):
    %g = linalg.generic {indexing_maps = [#id, #row, #col, #t, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a, %b, %d, %f : tensor<64x12xf16>, tensor<64xf16>, tensor<12xf16>, tensor<12x64xf16>) outs(%o : tensor<64x12xf16>) {
    ^bb1(%p: f16, %q: f16, %s: f16, %u: f16, %z: f16):
      %0 = arith.addf %p, %q : f16
      %1 = arith.mulf %0, %s : f16
      %2 = arith.subf %1, %u : f16
      linalg.yield %2 : f16
    } -> tensor<64x12xf16>
    amprt.yield %g : tensor<64x12xf16>
  } -> tensor<64x12xf16>
  return %0 : tensor<64x12xf16>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A length that is no multiple of 8: one thread has the rest, element by element. An i1
// is a byte in memory.
// CHECK-LABEL: func.func @rest(
// CHECK:         amprt.launch @kernels::@rest_elementwise_0 blocks 2 threads 128(%{{.+}}) : memref<1030xf32>, memref<1030xi8>
// CHECK-LABEL: gpu.func @rest_elementwise_0(
// CHECK-SAME:    %[[IN:[^:]+]]: memref<1030xf32>{{.*}}, %[[OUT:[^:]+]]: memref<1030xi8>
// CHECK:         %[[IN_RANGE:.+]] = arith.cmpi ult, %[[N:.+]], %c129
// CHECK-NEXT:    scf.if %[[IN_RANGE]] {
// CHECK-NEXT:      %[[I:.+]] = arith.muli %[[N]], %c8
// CHECK-NEXT:      %[[WHOLE:.+]] = arith.cmpi ult, %[[I]], %c1023
// CHECK-NEXT:      scf.if %[[WHOLE]] {
// CHECK:             %[[B:.+]] = arith.cmpf une, %{{.+}} : vector<8xf32>
// CHECK-NEXT:        %[[E:.+]] = arith.extui %[[B]] : vector<8xi1> to vector<8xi8>
// CHECK-NEXT:        vector.store %[[E]], %[[OUT]][%[[I]]] {alignment = 8 : i64}
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.for %[[J:.+]] = %[[I]] to %c1030 step %c1
// CHECK-NEXT:          memref.load %[[IN]][%[[J]]]
func.func @rest(%x: tensor<1030xf32>) -> tensor<1030xi1> {
  %e = tensor.empty() : tensor<1030xi1>
  %0 = amprt.kernel <elementwise> ins(%x : tensor<1030xf32>) outs(%e : tensor<1030xi1>) {
  ^bb0(%a: tensor<1030xf32>, %o: tensor<1030xi1>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<1030xf32>) outs(%o : tensor<1030xi1>) {
    ^bb1(%p: f32, %z: i1):
      %zero = arith.constant 0.0 : f32
      %b = arith.cmpf une, %p, %zero : f32
      linalg.yield %b : i1
    } -> tensor<1030xi1>
    amprt.yield %g : tensor<1030xi1>
  } -> tensor<1030xi1>
  return %0 : tensor<1030xi1>
}

// -----

// A constant of several values is host memory: a kernel writes it behind the arena from a
// global of the kernels' module, and the host's global is gone.
// CHECK-NOT:   memref.global
// CHECK-LABEL: func.func @constant(
// CHECK-SAME:    %[[ARENA:[^:]+]]: memref<256xi8> {amprt.arena}
// CHECK-SAME:    amprt.arena_bytes = 256
// CHECK:         %[[PLACE:.+]] = amprt.view %[[ARENA]] at 0 : memref<256xi8> to memref<3xi1>
// CHECK:         %[[BYTES:.+]] = amprt.view %[[PLACE]] at 0 : memref<3xi1> to memref<3xi8>
// CHECK:         amprt.launch @kernels::@constant_constant_0 blocks 1 threads 32(%[[BYTES]])
// CHECK:       gpu.module @kernels
// CHECK:         memref.global "private" constant @constant_constant_0_values : memref<3xi8> = dense<[1, 0, 1]> {alignment = 16 : i64}
// CHECK:       gpu.func @constant_constant_0(
#id = affine_map<(d0) -> (d0)>
func.func @constant() -> tensor<3xi1> {
  %c = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %e = tensor.empty() : tensor<3xi1>
  %0 = amprt.kernel <elementwise> ins(%c : tensor<3xi1>) outs(%e : tensor<3xi1>) {
  ^bb0(%a: tensor<3xi1>, %o: tensor<3xi1>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<3xi1>) outs(%o : tensor<3xi1>) {
    ^bb1(%p: i1, %z: i1):
      linalg.yield %p : i1
    } -> tensor<3xi1>
    amprt.yield %g : tensor<3xi1>
  } -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// -----

// Kernels are called by what PTX takes as an identifier, and no two functions share one.
// CHECK-LABEL: func.func @"1-a.b"(
// CHECK:         amprt.launch @kernels::@_1_a_b_elementwise_0 blocks
// CHECK-LABEL: func.func @"1 a b"(
// CHECK:         amprt.launch @kernels::@_1_a_b__elementwise_0 blocks
// CHECK:       gpu.func @_1_a_b_elementwise_0(
// CHECK:       gpu.func @_1_a_b__elementwise_0(
#id = affine_map<(d0) -> (d0)>
func.func @"1-a.b"(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = amprt.kernel <elementwise> ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb1(%p: f32, %z: f32):
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    amprt.yield %g : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @"1 a b"(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = amprt.kernel <elementwise> ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb1(%p: f32, %z: f32):
      %n = arith.addf %p, %p : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    amprt.yield %g : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// RUN: amp-opt %s -split-input-file -amprt-plan-memory -amprt-emit-cpu-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// Identity maps only: one loop over all elements, in pieces for threads; the two
// kernels are equal and share their function.
// CHECK-DAG:     #[[V:.+]] = #llvm.loop_vectorize<disable = false, width = 16 : i32>
// CHECK-DAG:     #[[A:.+]] = #llvm.loop_annotation<vectorize = #[[V]], interleave = #{{.+}}>
// CHECK-LABEL: func.func @line(
// CHECK:         %[[X:.+]] = amprt.view %{{.+}} at 0 : memref<256x128xf32> to memref<32768xf32>
// CHECK:         amprt.parallel_call @kernel_elementwise(%[[X]], %{{.+}}) range 32768 grain 16384
// CHECK:         amprt.parallel_call @kernel_elementwise(
// CHECK:       func.func private @kernel_elementwise(
// CHECK-SAME:    %[[IN:[^:]+]]: memref<32768xf32> {llvm.noalias}, %[[OUT:[^:]+]]: memref<32768xf32> {llvm.noalias},
// CHECK-SAME:    %[[B:[^:]+]]: index, %[[E:[^:]+]]: index)
// CHECK:         scf.for %[[I:.+]] = %[[B]] to %[[E]] step
// CHECK-NEXT:      %[[V0:.+]] = memref.load %[[IN]][%[[I]]]
// CHECK-NEXT:      %[[V1:.+]] = arith.negf %[[V0]] : f32
// CHECK-NEXT:      memref.store %[[V1]], %[[OUT]][%[[I]]]
// CHECK-NEXT:    } {loop_annotation = #[[A]]}
// CHECK-NOT:   func.func private @kernel_elementwise_
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

// Two passes over a row; exp is kept in a row of scratch memory, the sum is an
// iteration argument, only its combiner may be reassociated. A row of 10 isn't
// worth vectorising.
// CHECK-LABEL: func.func private @kernel_row(
// CHECK-SAME:    %[[X:[^:]+]]: memref<64x10xf32> {llvm.noalias}, %[[Y:[^:]+]]: memref<64x10xf32> {llvm.noalias},
// CHECK:         %[[ROW:.+]] = memref.alloca() {alignment = 64 : i64} : memref<10xf32>
// CHECK:         scf.for %[[R:.+]] =
// CHECK:           %[[SUM:.+]] = scf.for %[[C:.+]] = {{.*}} iter_args(%[[ACC:.+]] = %{{.+}}) -> (f32) {
// CHECK-NEXT:        %[[V:.+]] = memref.load %[[X]][%[[R]], %[[C]]]
// CHECK-NEXT:        %[[E:.+]] = math.exp %[[V]] : f32
// CHECK-NEXT:        memref.store %[[E]], %[[ROW]][%[[C]]]
// CHECK-NEXT:        %[[N:.+]] = arith.addf %[[ACC]], %[[E]] fastmath<reassoc,contract> : f32
// CHECK-NEXT:        scf.yield %[[N]] : f32
// CHECK-NEXT:      }
// CHECK-NOT:       loop_annotation
// CHECK:           scf.for %[[D:.+]] =
// CHECK-NEXT:        %[[K:.+]] = memref.load %[[ROW]][%[[D]]]
// CHECK-NEXT:        %[[Q:.+]] = arith.divf %[[K]], %[[SUM]] : f32
// CHECK-NEXT:        memref.store %[[Q]], %[[Y]][%[[R]], %[[D]]]
func.func @row(%x: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %e = tensor.empty() : tensor<64x10xf32>
  %0 = amprt.kernel <row> ins(%x : tensor<64x10xf32>) outs(%e : tensor<64x10xf32>) {
  ^bb0(%a: tensor<64x10xf32>, %o: tensor<64x10xf32>):
    %zero = arith.constant 0.0 : f32
    %t = tensor.empty() : tensor<64x10xf32>
    %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x10xf32>) outs(%t : tensor<64x10xf32>) {
    ^bb1(%p: f32, %r: f32):
      %n = math.exp %p : f32
      linalg.yield %n : f32
    } -> tensor<64x10xf32>
    %u = tensor.empty() : tensor<64xf32>
    %i = linalg.fill ins(%zero : f32) outs(%u : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%exp : tensor<64x10xf32>) outs(%i : tensor<64xf32>) {
    ^bb1(%p: f32, %r: f32):
      %n = arith.addf %r, %p fastmath<reassoc, contract> : f32
      linalg.yield %n : f32
    } -> tensor<64xf32>
    %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%exp, %sum : tensor<64x10xf32>, tensor<64xf32>) outs(%o : tensor<64x10xf32>) {
    ^bb1(%p: f32, %s: f32, %r: f32):
      %n = arith.divf %p, %s : f32
      linalg.yield %n : f32
    } -> tensor<64x10xf32>
    amprt.yield %q : tensor<64x10xf32>
  } -> tensor<64x10xf32>
  return %0 : tensor<64x10xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

// A sum over a flat buffer: partial sums over fixed blocks on all threads, then
// one function adds them in order.
// CHECK-LABEL: func.func @flat(
// CHECK:         %[[P:.+]] = memref.alloca() {alignment = 64 : i64} : memref<7xf32>
// CHECK:         amprt.parallel_call @kernel_flat(%[[X:.+]], %[[O:.+]], %[[P]]) range 7 grain 1
// CHECK:         call @kernel_flat_combine(%[[X]], %[[O]], %[[P]])
// CHECK:       func.func private @kernel_flat(
// CHECK:         scf.for %[[B:.+]] =
// CHECK:           %[[S:.+]] = scf.for
// CHECK:             loop_annotation
// CHECK:           memref.store %[[S]], %{{.+}}[%[[B]]] : memref<7xf32>
// CHECK:       func.func private @kernel_flat_combine(
// CHECK:         scf.for {{.*}} iter_args
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      arith.addf %{{.+}}, %{{.+}} : f32
func.func @flat(%x: tensor<100000xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %0 = amprt.kernel <flat> ins(%x : tensor<100000xf32>) outs(%e : tensor<f32>) {
  ^bb0(%a: tensor<100000xf32>, %o: tensor<f32>):
    %zero = arith.constant 0.0 : f32
    %i = linalg.fill ins(%zero : f32) outs(%o : tensor<f32>) -> tensor<f32>
    %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
        ins(%a : tensor<100000xf32>) outs(%i : tensor<f32>) {
    ^bb1(%p: f32, %r: f32):
      %n = arith.addf %r, %p fastmath<reassoc, contract> : f32
      linalg.yield %n : f32
    } -> tensor<f32>
    amprt.yield %sum : tensor<f32>
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>

// Columns in blocks of 256, rows outside, accumulators in scratch memory; what
// lies on the whole domain is stored in the same pass.
// CHECK-LABEL: func.func @column(
// CHECK:         amprt.parallel_call @kernel_column(%{{.+}}, %{{.+}}, %{{.+}}) range 2 grain 1
// CHECK-LABEL: func.func private @kernel_column(
// CHECK:         %[[ACC:.+]] = memref.alloca() {alignment = 64 : i64} : memref<256xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             memref.store %{{.+}}, %[[ACC]]
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               memref.load %[[ACC]]
// CHECK:               arith.extf {{.*}} : f16 to f32
// CHECK:               memref.store %{{.+}}, %[[ACC]]
// CHECK:               memref.store {{.*}} memref<64x512xf16>
// CHECK:           scf.for
// CHECK:             memref.load %[[ACC]]
func.func @column(%x: tensor<64x512xf16>) -> (tensor<64x512xf16>, tensor<512xf32>) {
  %e = tensor.empty() : tensor<64x512xf16>
  %f = tensor.empty() : tensor<512xf32>
  %0:2 = amprt.kernel <column> ins(%x : tensor<64x512xf16>) outs(%e, %f : tensor<64x512xf16>, tensor<512xf32>) {
  ^bb0(%a: tensor<64x512xf16>, %o: tensor<64x512xf16>, %s: tensor<512xf32>):
    %zero = arith.constant 0.0 : f32
    // Arithmetic on f16 is done in f32 and rounded back.
    %neg = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x512xf16>) outs(%o : tensor<64x512xf16>) {
    ^bb1(%p: f16, %r: f16):
      %n = arith.negf %p : f16
      linalg.yield %n : f16
    } -> tensor<64x512xf16>
    %i = linalg.fill ins(%zero : f32) outs(%s : tensor<512xf32>) -> tensor<512xf32>
    %sum = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
        ins(%neg : tensor<64x512xf16>) outs(%i : tensor<512xf32>) {
    ^bb1(%p: f16, %r: f32):
      %w = arith.extf %p : f16 to f32
      %n = arith.addf %r, %w : f32
      linalg.yield %n : f32
    } -> tensor<512xf32>
    amprt.yield %neg, %sum : tensor<64x512xf16>, tensor<512xf32>
  } -> tensor<64x512xf16>, tensor<512xf32>
  return %0#0, %0#1 : tensor<64x512xf16>, tensor<512xf32>
}

// RUN: not amp-opt %s -amp-build-train-step="lr=-1" 2>&1 | FileCheck %s --check-prefix=LR
// RUN: not amp-opt %s -amp-build-train-step="beta1=1" 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not amp-opt %s -amp-build-train-step="nesterov=true" 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: not amp-opt %s -amp-build-train-step="optimizer=lion" 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not amp-opt %s -amp-build-train-step="lr=1e60" 2>&1 | FileCheck %s --check-prefix=FINITE
// RUN: not amp-opt %s -amp-build-train-step="momentum=0.9 dampening=nan" 2>&1 | FileCheck %s --check-prefix=DAMPENING
// RUN: not amp-opt %s -amp-compile="batch=2147483648" 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not amp-opt %s -amp-specialize-shapes="batch=2147483648" 2>&1 | FileCheck %s --check-prefix=SPECIALIZE
// RUN: not amp-opt %s -amp-compile="=f32" 2>&1 | FileCheck %s --check-prefix=KEY

// LR: error: expects 'lr' of at least 0, but got -1
// BETA: error: expects 'beta1' in [0, 1), but got 1
// NESTEROV: error: expects 'momentum' above 0 and no 'dampening' with 'nesterov'
// FINITE: error: expects 'lr' finite in f32, but got 1.000000e+60
// DAMPENING: error: expects 'dampening' finite in f32, but got nan
// BATCH: error: expects a batch in [0, 2147483647], but got '2147483648'
// SPECIALIZE: error: expects 'batch' in [0, 2147483647], but got 2147483648
// KEY: error: expects options of the form key=value, but got '=f32'
// OPTIMIZER: Cannot find option named 'lion'
module {
}

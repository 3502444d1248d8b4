// RUN: not amp-opt %s -amp-build-train-step="lr=-1" 2>&1 | FileCheck %s --check-prefix=LR
// RUN: not amp-opt %s -amp-build-train-step="beta1=1" 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not amp-opt %s -amp-build-train-step="nesterov=true" 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: not amp-opt %s -amp-build-train-step="optimizer=lion" 2>&1 | FileCheck %s --check-prefix=OPTIMIZER

// LR: error: expects 'lr' of at least 0, but got -1
// BETA: error: expects 'beta1' in [0, 1), but got 1
// NESTEROV: error: expects 'momentum' above 0 and no 'dampening' with 'nesterov'
// OPTIMIZER: Cannot find option named 'lion'
module {
}

// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="optimizer=sgd momentum=0.9 dampening=0.25 weight-decay=0.5 window=single" | FileCheck %s --check-prefix=SGD
// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="optimizer=sgd momentum=0.5 nesterov=true window=single" | FileCheck %s --check-prefix=NESTEROV
// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="optimizer=adam beta1=0.75 beta2=0.5 eps=0.25 weight-decay=0.125 window=single" | FileCheck %s --check-prefix=ADAM
// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="optimizer=adamw beta1=0.25 weight-decay=0.125 window=single" | FileCheck %s --check-prefix=ADAMW

// d = g + decay * p; b = first ? d : momentum * b + (1 - dampening) * d; p += -lr * b.
// SGD: arith.negf
// SGD: %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %{{.+}} : tensor<i64>
// SGD: amp.guarded_update {{.*}} scalars(%{{.+}}, %[[FIRST]])
// SGD: ^bb0(%[[P:[^:]+]]: f32, %[[B:[^:]+]]: f32, %[[G:[^:]+]]: f32, %[[LR:[^:]+]]: f32, %[[ISFIRST:[^:]+]]: i1):
// SGD: %[[DECAY:.+]] = arith.mulf %{{.+}}, %[[P]]
// SGD: %[[D:.+]] = arith.addf %[[G]], %[[DECAY]]
// SGD: %[[OLD:.+]] = arith.mulf %[[B]], %{{.+}}
// SGD: arith.constant 7.500000e-01
// SGD: %[[DAMPED:.+]] = arith.mulf %{{.+}}, %[[D]]
// SGD: %[[LATER:.+]] = arith.addf %[[OLD]], %[[DAMPED]]
// SGD: %[[NEW:.+]] = arith.select %[[ISFIRST]], %[[D]], %[[LATER]]
// SGD: %[[STEP:.+]] = arith.mulf %[[LR]], %[[NEW]]
// SGD: %[[UPDATED:.+]] = arith.addf %[[P]], %[[STEP]]
// SGD: amp.yield %[[UPDATED]], %[[NEW]]

// NESTEROV: %[[NEW:.+]] = arith.select %{{.+}}, %[[G:.+]], %{{.+}} : f32
// NESTEROV: %[[AHEAD:.+]] = arith.mulf %{{.+}}, %[[NEW]]
// NESTEROV: %[[D:.+]] = arith.addf %[[G]], %[[AHEAD]]
// NESTEROV: arith.mulf %{{.+}}, %[[D]]

// Corrections come from the step count in f64 and are rounded once.
// ADAM: %[[T:.+]] = arith.sitofp %{{.+}} : tensor<i64> to tensor<f64>
// ADAM: %[[POWER1:.+]] = math.powf %{{.+}}, %[[T]] : tensor<f64>
// ADAM: %[[C1:.+]] = arith.subf %{{.+}}, %[[POWER1]] : tensor<f64>
// ADAM: %[[POWER2:.+]] = math.powf %{{.+}}, %[[T]] : tensor<f64>
// ADAM: %[[C2:.+]] = arith.subf %{{.+}}, %[[POWER2]] : tensor<f64>
// ADAM: %[[RATE:.+]] = arith.extf %{{.+}} : tensor<f32> to tensor<f64>
// ADAM: %[[SIZE:.+]] = arith.divf %[[RATE]], %[[C1]]
// ADAM: arith.negf %[[SIZE]]
// ADAM: math.sqrt %[[C2]] : tensor<f64>
// ADAM-COUNT-2: arith.truncf %{{.+}} : tensor<f64> to tensor<f32>
// ADAM: ^bb0(%[[P:[^:]+]]: f32, %[[M:[^:]+]]: f32, %[[V:[^:]+]]: f32, %[[G0:[^:]+]]: f32, %[[NEG:[^:]+]]: f32, %[[ROOT:[^:]+]]: f32):
// ADAM: %[[G:.+]] = arith.addf %[[G0]], %{{.+}}
// ADAM: %[[DIFF:.+]] = arith.subf %[[G]], %[[M]]
// ADAM: %[[MOVE:.+]] = arith.mulf %{{.+}}, %[[DIFF]]
// ADAM: %[[M1:.+]] = arith.addf %[[M]], %[[MOVE]]
// ADAM: %[[V1:.+]] = arith.addf
// ADAM: %[[SQRT:.+]] = math.sqrt %[[V1]]
// ADAM: %[[HAT:.+]] = arith.divf %[[SQRT]], %[[ROOT]]
// ADAM: %[[DEN:.+]] = arith.addf %[[HAT]], %{{.+}}
// ADAM: %[[NUM:.+]] = arith.mulf %[[NEG]], %[[M1]]
// ADAM: %[[CHANGE:.+]] = arith.divf %[[NUM]], %[[DEN]]
// ADAM: arith.addf %[[P]], %[[CHANGE]]

// Decoupled decay multiplies the parameter first; with a weight of at least one half
// the first moment moves from the gradient's end.
// ADAMW: ^bb0(%[[P:[^:]+]]: f32, %[[M:[^:]+]]: f32, %{{.+}}: f32, %[[G:[^:]+]]: f32, %{{.+}}: f32, %{{.+}}: f32, %[[KEEP:[^:]+]]: f32):
// ADAMW: %[[SHRUNK:.+]] = arith.mulf %[[P]], %[[KEEP]]
// ADAMW: %[[DIFF:.+]] = arith.subf %[[G]], %[[M]]
// ADAMW: %[[BACK:.+]] = arith.mulf %[[DIFF]], %{{.+}}
// ADAMW: arith.subf %[[G]], %[[BACK]]
// ADAMW: arith.addf %[[SHRUNK]]
func.func @main(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = nn.mse_loss %0, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// RUN: amp-opt %s -nn-autodiff="function=f wrt=b,arg2" | FileCheck %s
// RUN: not amp-opt %s -nn-autodiff="function=f wrt=c" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not amp-opt %s -nn-autodiff="function=f wrt=arg3" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not amp-opt %s -nn-autodiff="function=g" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not amp-opt %s -nn-autodiff="function=h" 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: amp-opt %s -nn-autodiff="function=f" -mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// Chosen arguments, by name or position; the parameter `a` is not among them.
// CHECK: func.func private @f.vjp
// CHECK-SAME: -> (tensor<f32> {amp.role = #amp.role<loss>}, tensor<f32> {amp.name = "b", amp.role = #amp.role<gradient>}, tensor<f32> {amp.name = "arg2", amp.role = #amp.role<gradient>})

// NAME: 'func.func' op expects an argument named 'c' to differentiate by, but has none
// TYPE: 'func.func' op expects argument 'arg3' to be a floating-point tensor to differentiate by it, but got 'tensor<i32>'
// FUNCTION: expects a function '@g' to differentiate, but the module has none
// BODY: 'func.func' op expects a body to differentiate

// A backward op tells which op it is the derivative of, and where that is.
// LOC: func.func private @f.vjp
// LOC: nn.neg %{{.*}} loc(#[[BACKWARD:.+]])
// LOC-NEXT: return
// LOC: #[[FORWARD:.+]] = loc({{.*}}:[[LINE:[0-9]+]]:8)
// LOC: #[[BACKWARD]] = loc(fused<#amp.decision<rule = "vjp", source = "nn.sub">>[#
func.func @f(%a: tensor<f32> {amp.role = #amp.role<parameter>, amp.name = "a"}, %b: tensor<f32> {amp.name = "b"},
             %c: tensor<f32>, %i: tensor<i32>) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.add %c, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = nn.sub %0, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

func.func private @h(tensor<f32>) -> tensor<f32>

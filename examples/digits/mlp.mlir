// A 64-128-128-10 perceptron on the digits: what `./dev demo` trains.
func.func @main(
    %w1: tensor<128x64xf32> {amp.name = "fc1.weight", amp.role = #amp.role<parameter>},
    %b1: tensor<128xf32> {amp.name = "fc1.bias", amp.role = #amp.role<parameter>},
    %w2: tensor<128x128xf32> {amp.name = "fc2.weight", amp.role = #amp.role<parameter>},
    %b2: tensor<128xf32> {amp.name = "fc2.bias", amp.role = #amp.role<parameter>},
    %w3: tensor<10x128xf32> {amp.name = "fc3.weight", amp.role = #amp.role<parameter>},
    %b3: tensor<10xf32> {amp.name = "fc3.bias", amp.role = #amp.role<parameter>},
    %x: tensor<?x64xf32> {amp.name = "x", amp.role = #amp.role<input>},
    %y: tensor<?xi64> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>},
        tensor<?x10xf32> {amp.role = #amp.role<logits>}) {
  %z1 = nn.linear %x, %w1, %b1 : (tensor<?x64xf32>, tensor<128x64xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %a1 = nn.relu %z1 : (tensor<?x128xf32>) -> tensor<?x128xf32>
  %z2 = nn.linear %a1, %w2, %b2 : (tensor<?x128xf32>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %a2 = nn.relu %z2 : (tensor<?x128xf32>) -> tensor<?x128xf32>
  %z3 = nn.linear %a2, %w3, %b3 : (tensor<?x128xf32>, tensor<10x128xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %loss = nn.cross_entropy %z3, %y : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
  return %loss, %z3 : tensor<f32>, tensor<?x10xf32>
}

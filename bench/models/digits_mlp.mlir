// The digits classifier: 64-128-128-10 with relu and cross entropy.
func.func @main(%w1: tensor<128x64xf32> {amp.name = "fc1.weight", amp.role = #amp.role<parameter>},
                %b1: tensor<128xf32> {amp.name = "fc1.bias", amp.role = #amp.role<parameter>},
                %w2: tensor<128x128xf32> {amp.name = "fc2.weight", amp.role = #amp.role<parameter>},
                %b2: tensor<128xf32> {amp.name = "fc2.bias", amp.role = #amp.role<parameter>},
                %w3: tensor<10x128xf32> {amp.name = "fc3.weight", amp.role = #amp.role<parameter>},
                %b3: tensor<10xf32> {amp.name = "fc3.bias", amp.role = #amp.role<parameter>},
                %x: tensor<?x64xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?xi64> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>},
        tensor<?x10xf32> {amp.role = #amp.role<logits>}) {
  %0 = nn.linear %x, %w1, %b1 : (tensor<?x64xf32>, tensor<128x64xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %1 = nn.relu %0 : (tensor<?x128xf32>) -> tensor<?x128xf32>
  %2 = nn.linear %1, %w2, %b2 : (tensor<?x128xf32>, tensor<128x128xf32>, tensor<128xf32>) -> tensor<?x128xf32>
  %3 = nn.relu %2 : (tensor<?x128xf32>) -> tensor<?x128xf32>
  %4 = nn.linear %3, %w3, %b3 : (tensor<?x128xf32>, tensor<10x128xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %5 = nn.cross_entropy %4, %y {reduction = #nn.reduction<mean>} : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
  return %5, %4 : tensor<f32>, tensor<?x10xf32>
}

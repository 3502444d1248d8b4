func.func @main(%w1: tensor<7x5xf32> {amp.name = "fc1.weight", amp.role = #amp.role<parameter>},
                %b1: tensor<7xf32> {amp.name = "fc1.bias", amp.role = #amp.role<parameter>},
                %w2: tensor<4x7xf32> {amp.name = "fc2.weight", amp.role = #amp.role<parameter>},
                %b2: tensor<4xf32> {amp.name = "fc2.bias", amp.role = #amp.role<parameter>},
                %x: tensor<?x5xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?xi64> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>},
        tensor<?x4xf32> {amp.role = #amp.role<logits>}) {
  %0 = nn.linear %x, %w1, %b1 : (tensor<?x5xf32>, tensor<7x5xf32>, tensor<7xf32>) -> tensor<?x7xf32>
  %1 = nn.relu %0 : (tensor<?x7xf32>) -> tensor<?x7xf32>
  %2 = nn.linear %1, %w2, %b2 : (tensor<?x7xf32>, tensor<4x7xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %3 = nn.cross_entropy %2, %y {ignore_index = -100 : i64, label_smoothing = 0.1 : f64, reduction = #nn.reduction<mean>} : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<?x4xf32>
}

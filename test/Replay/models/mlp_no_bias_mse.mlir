func.func @main(%w1: tensor<7x5xf32> {amp.name = "fc1.weight", amp.role = #amp.role<parameter>},
                %w2: tensor<3x7xf32> {amp.name = "fc2.weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x5xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x3xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>},
        tensor<?x3xf32> {amp.role = #amp.role<logits>}) {
  %0 = nn.linear %x, %w1 : (tensor<?x5xf32>, tensor<7x5xf32>) -> tensor<?x7xf32>
  %1 = nn.tanh %0 : (tensor<?x7xf32>) -> tensor<?x7xf32>
  %2 = nn.linear %1, %w2 : (tensor<?x7xf32>, tensor<3x7xf32>) -> tensor<?x3xf32>
  %3 = nn.mse_loss %2, %y {reduction = #nn.reduction<mean>} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<?x3xf32>
}

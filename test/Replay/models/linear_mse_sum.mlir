func.func @main(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %b: tensor<2xf32> {amp.name = "bias", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>},
        tensor<?x2xf32> {amp.role = #amp.role<logits>}) {
  %0 = nn.linear %x, %w, %b : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %1 = nn.mse_loss %0, %y {reduction = #nn.reduction<sum>} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  return %1, %0 : tensor<f32>, tensor<?x2xf32>
}

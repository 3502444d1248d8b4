// Four layers of 1024 with relu between them, against targets by mean squared error.
func.func @main(%w1: tensor<1024x1024xf32> {amp.name = "fc1.weight", amp.role = #amp.role<parameter>},
                %b1: tensor<1024xf32> {amp.name = "fc1.bias", amp.role = #amp.role<parameter>},
                %w2: tensor<1024x1024xf32> {amp.name = "fc2.weight", amp.role = #amp.role<parameter>},
                %b2: tensor<1024xf32> {amp.name = "fc2.bias", amp.role = #amp.role<parameter>},
                %w3: tensor<1024x1024xf32> {amp.name = "fc3.weight", amp.role = #amp.role<parameter>},
                %b3: tensor<1024xf32> {amp.name = "fc3.bias", amp.role = #amp.role<parameter>},
                %w4: tensor<1024x1024xf32> {amp.name = "fc4.weight", amp.role = #amp.role<parameter>},
                %b4: tensor<1024xf32> {amp.name = "fc4.bias", amp.role = #amp.role<parameter>},
                %x: tensor<?x1024xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x1024xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w1, %b1 : (tensor<?x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
  %1 = nn.relu %0 : (tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %2 = nn.linear %1, %w2, %b2 : (tensor<?x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
  %3 = nn.relu %2 : (tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %4 = nn.linear %3, %w3, %b3 : (tensor<?x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
  %5 = nn.relu %4 : (tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %6 = nn.linear %5, %w4, %b4 : (tensor<?x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
  %7 = nn.mse_loss %6, %y {reduction = #nn.reduction<mean>} : (tensor<?x1024xf32>, tensor<?x1024xf32>) -> tensor<f32>
  return %7 : tensor<f32>
}

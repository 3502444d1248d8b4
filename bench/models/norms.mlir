// A classifier with what the benchmarks' models lack: layer norm from its parts, both
// forms of gelu, attention over the rows' parts, softmax and label smoothing.
func.func @main(%w1: tensor<512x256xf32> {amp.name = "fc1.weight", amp.role = #amp.role<parameter>},
                %b1: tensor<512xf32> {amp.name = "fc1.bias", amp.role = #amp.role<parameter>},
                %g: tensor<512xf32> {amp.name = "norm.weight", amp.role = #amp.role<parameter>},
                %h: tensor<512xf32> {amp.name = "norm.bias", amp.role = #amp.role<parameter>},
                %w2: tensor<512x512xf32> {amp.name = "fc2.weight", amp.role = #amp.role<parameter>},
                %w3: tensor<100x512xf32> {amp.name = "head.weight", amp.role = #amp.role<parameter>},
                %b3: tensor<100xf32> {amp.name = "head.bias", amp.role = #amp.role<parameter>},
                %x: tensor<?x256xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?xi64> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>},
        tensor<?x100xf32> {amp.role = #amp.role<logits>}) {
  %0 = nn.linear %x, %w1, %b1 : (tensor<?x256xf32>, tensor<512x256xf32>, tensor<512xf32>) -> tensor<?x512xf32>
  %1 = nn.gelu %0 : (tensor<?x512xf32>) -> tensor<?x512xf32>
  // Layer norm.
  %mean = nn.reduce_mean %1 {dims = array<i64: 1>, keepdims} : (tensor<?x512xf32>) -> tensor<?x1xf32>
  %means = nn.broadcast %mean, %1 {dims = array<i64: 0, 1>} : (tensor<?x1xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %centred = nn.sub %1, %means : (tensor<?x512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %square = nn.mul %centred, %centred : (tensor<?x512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %variance = nn.reduce_mean %square {dims = array<i64: 1>, keepdims} : (tensor<?x512xf32>) -> tensor<?x1xf32>
  %epsilon = nn.constant dense<1.0e-5> : tensor<1x1xf32>
  %epsilons = nn.broadcast %epsilon, %variance {dims = array<i64: 0, 1>} : (tensor<1x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %shifted = nn.add %variance, %epsilons : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %rstd = nn.rsqrt %shifted : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %rstds = nn.broadcast %rstd, %1 {dims = array<i64: 0, 1>} : (tensor<?x1xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %normal = nn.mul %centred, %rstds : (tensor<?x512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %gs = nn.broadcast %g, %1 {dims = array<i64: 1>} : (tensor<512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %hs = nn.broadcast %h, %1 {dims = array<i64: 1>} : (tensor<512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %scaled = nn.mul %normal, %gs : (tensor<?x512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %norm = nn.add %scaled, %hs : (tensor<?x512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  // Attention of each row's 8 parts to each other, without projections.
  %parts = nn.reshape %norm : (tensor<?x512xf32>) -> tensor<?x8x64xf32>
  %scores = nn.matmul %parts, %parts {transpose_rhs} : (tensor<?x8x64xf32>, tensor<?x8x64xf32>) -> tensor<?x8x8xf32>
  %weights = nn.softmax %scores {dim = 2 : i64} : (tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
  %mixed = nn.matmul %weights, %parts : (tensor<?x8x8xf32>, tensor<?x8x64xf32>) -> tensor<?x8x64xf32>
  %flat = nn.reshape %mixed : (tensor<?x8x64xf32>) -> tensor<?x512xf32>
  %2 = nn.linear %flat, %w2 : (tensor<?x512xf32>, tensor<512x512xf32>) -> tensor<?x512xf32>
  %3 = nn.gelu %2 {approximate = #nn.gelu<tanh>} : (tensor<?x512xf32>) -> tensor<?x512xf32>
  %4 = nn.sigmoid %3 : (tensor<?x512xf32>) -> tensor<?x512xf32>
  %5 = nn.add %4, %norm : (tensor<?x512xf32>, tensor<?x512xf32>) -> tensor<?x512xf32>
  %logits = nn.linear %5, %w3, %b3 : (tensor<?x512xf32>, tensor<100x512xf32>, tensor<100xf32>) -> tensor<?x100xf32>
  %loss = nn.cross_entropy %logits, %y {label_smoothing = 0.1} : (tensor<?x100xf32>, tensor<?xi64>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<?x100xf32>
}

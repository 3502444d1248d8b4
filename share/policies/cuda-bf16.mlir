// Autocast on CUDA with bf16 as the low type: PyTorch's op lists. `nn` ops are the
// ones of this dialect, `aten` ops are the names the lists state; those that do
// not exist here never match, and say what the policy will do with them.
amp.policy @"cuda-bf16" low = bf16 {
  amp.rule lower_precision_fp [
    "nn.matmul", "nn.linear", "aten._convolution.deprecated", "aten._convolution", "aten.conv1d",
    "aten.conv2d", "aten.conv3d", "aten.conv_tbc", "aten.conv_transpose1d",
    "aten.conv_transpose2d.input", "aten.conv_transpose3d.input", "aten.convolution", "aten.prelu",
    "aten.addmm", "aten.addmv", "aten.addr", "aten.matmul", "aten.einsum", "aten.mm", "aten.mv",
    "aten.linalg_vecdot", "aten.linear", "aten.addbmm", "aten.baddbmm", "aten.bmm",
    "aten.chain_matmul", "aten.linalg_multi_dot", "aten._thnn_fused_lstm_cell",
    "aten._thnn_fused_gru_cell", "aten.lstm_cell", "aten.gru_cell", "aten.rnn_tanh_cell",
    "aten.rnn_relu_cell", "aten._scaled_dot_product_flash_attention",
    "aten.scaled_dot_product_attention", "aten.cudnn_convolution",
    "aten.cudnn_convolution_transpose"]
  // Operands are not pre-cast; the result is f32. Cross entropy is log_softmax
  // and nll_loss, so it belongs here: logits come as they are, the loss is f32.
  amp.rule fp32_output [
    "nn.cross_entropy", "nn.softmax", "nn.log_softmax", "nn.reduce_sum", "aten.prod",
    "aten.prod.dim_int", "aten.prod.dim_Dimname", "aten.softmax.int", "aten.softmax.Dimname",
    "aten.log_softmax.int", "aten.log_softmax.Dimname", "aten.cumprod", "aten.cumprod.dimname",
    "aten.cumsum", "aten.cumsum.dimname", "aten.linalg_vector_norm", "aten.linalg_matrix_norm",
    "aten.linalg_matrix_norm.str_ord", "aten.sum", "aten.sum.dim_IntList",
    "aten.sum.dim_DimnameList", "aten.norm.Scalar", "aten.norm.ScalarOpt_dim",
    "aten.norm.names_ScalarOpt_dim"]
  amp.rule fp32 [
    "nn.exp", "nn.log", "nn.rsqrt", "nn.mse_loss", "aten.acos", "aten.asin", "aten.cosh",
    "aten.erfinv", "aten.exp", "aten.expm1", "aten.log", "aten.log10", "aten.log2", "aten.log1p",
    "aten.reciprocal", "aten.rsqrt", "aten.sinh", "aten.tan", "aten.pow.Tensor_Scalar",
    "aten.pow.Tensor_Tensor", "aten.pow.Scalar", "aten.softplus", "aten.layer_norm",
    "aten.native_layer_norm", "aten.rms_norm", "aten.group_norm", "aten.frobenius_norm.dim",
    "aten.nuclear_norm", "aten.nuclear_norm.dim", "aten.cosine_similarity",
    "aten.poisson_nll_loss", "aten.cosine_embedding_loss", "aten.nll_loss", "aten.nll_loss2d",
    "aten.hinge_embedding_loss", "aten.kl_div", "aten.l1_loss", "aten.smooth_l1_loss",
    "aten.huber_loss", "aten.mse_loss", "aten.margin_ranking_loss", "aten.multilabel_margin_loss",
    "aten.soft_margin_loss", "aten.triplet_margin_loss", "aten.multi_margin_loss",
    "aten.binary_cross_entropy_with_logits", "aten.dist", "aten.pdist", "aten.cdist",
    "aten.renorm", "aten.logsumexp", "aten.upsample_nearest1d", "aten._upsample_nearest_exact1d",
    "aten.upsample_nearest2d", "aten._upsample_nearest_exact2d", "aten.upsample_nearest3d",
    "aten._upsample_nearest_exact3d", "aten.upsample_linear1d", "aten.upsample_bilinear2d",
    "aten._upsample_bilinear2d_aa", "aten.upsample_trilinear3d", "aten.upsample_bicubic2d",
    "aten._upsample_bicubic2d_aa"]
  amp.rule promote [
    "aten.addcdiv", "aten.addcmul", "aten.atan2", "aten.bilinear", "aten.cross", "aten.dot",
    "aten.vdot", "aten.grid_sampler", "aten.index_put", "aten.tensordot", "aten.scatter_add"]
  amp.rule banned ["nn.binary_cross_entropy", "aten.binary_cross_entropy"] {
    advice = "binary_cross_entropy and its sigmoid are unsafe in low precision; use binary_cross_entropy_with_logits, which takes the logits"}
}

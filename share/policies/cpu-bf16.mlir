// Autocast on the CPU with bf16 as the low type: PyTorch's op lists. They name no
// softmax, exp or sum: with f16 this is weaker than the CUDA policy. `nn` ops are
// the ones of this dialect, `aten` ops are the names the lists state.
amp.policy @"cpu-bf16" low = bf16 {
  amp.rule lower_precision_fp [
    "nn.linear", "nn.matmul", "aten.conv1d", "aten.conv1d.padding", "aten.conv2d",
    "aten.conv2d.padding", "aten.conv3d", "aten.conv3d.padding", "aten.bmm", "aten.mm",
    "aten.linalg_vecdot", "aten.baddbmm", "aten.addmm", "aten._addmm_activation", "aten.addbmm",
    "aten.linear", "aten._convolution.deprecated", "aten.matmul", "aten.conv_tbc",
    "aten.mkldnn_rnn_layer", "aten.conv_transpose1d", "aten.conv_transpose2d.input",
    "aten.conv_transpose3d.input", "aten.prelu", "aten.scaled_dot_product_attention",
    "aten._native_multi_head_attention"]
  amp.rule fp32 [
    "nn.mse_loss", "nn.cross_entropy", "aten.avg_pool3d", "aten.binary_cross_entropy",
    "aten.grid_sampler", "aten.polar", "aten.prod", "aten.prod.dim_int", "aten.prod.dim_Dimname",
    "aten.quantile", "aten.quantile.scalar", "aten.nanquantile", "aten.nanquantile.scalar",
    "aten.stft", "aten.stft.center", "aten.cdist", "aten.grid_sampler_2d",
    "aten._grid_sampler_2d_cpu_fallback", "aten.grid_sampler_3d", "aten.trace",
    "aten.view_as_complex", "aten.cholesky", "aten.cholesky_inverse", "aten.cholesky_solve",
    "aten.inverse", "aten.lu_solve", "aten.orgqr", "aten.ormqr", "aten.pinverse",
    "aten.max_pool3d", "aten.max_unpool2d", "aten.max_unpool3d", "aten.adaptive_avg_pool3d",
    "aten.reflection_pad1d", "aten.reflection_pad2d", "aten.replication_pad1d",
    "aten.replication_pad2d", "aten.replication_pad3d", "aten.mse_loss",
    "aten.cosine_embedding_loss", "aten.nll_loss", "aten.nll_loss2d", "aten.hinge_embedding_loss",
    "aten.poisson_nll_loss", "aten.smooth_l1_loss", "aten.cross_entropy_loss", "aten.l1_loss",
    "aten.huber_loss", "aten.margin_ranking_loss", "aten.soft_margin_loss",
    "aten.triplet_margin_loss", "aten.multi_margin_loss", "aten.ctc_loss.IntList",
    "aten.ctc_loss.Tensor", "aten.kl_div", "aten.multilabel_margin_loss",
    "aten.binary_cross_entropy_with_logits", "aten.fft_fft", "aten.fft_ifft", "aten.fft_fft2",
    "aten.fft_ifft2", "aten.fft_fftn", "aten.fft_ifftn", "aten.fft_rfft", "aten.fft_irfft",
    "aten.fft_rfft2", "aten.fft_irfft2", "aten.fft_rfftn", "aten.fft_irfftn", "aten.fft_hfft",
    "aten.fft_ihfft", "aten.linalg_cond", "aten.linalg_cond.p_str", "aten.linalg_matrix_rank",
    "aten.linalg_matrix_rank.tol_tensor", "aten.linalg_matrix_rank.atol_rtol_tensor",
    "aten.linalg_matrix_rank.atol_rtol_float", "aten.linalg_solve", "aten.linalg_cholesky",
    "aten.linalg_svdvals", "aten.linalg_eigvals", "aten.linalg_eigvalsh", "aten.linalg_inv",
    "aten.linalg_householder_product", "aten.linalg_tensorinv", "aten.linalg_tensorsolve",
    "aten.fake_quantize_per_tensor_affine", "aten.geqrf", "aten._lu_with_info", "aten.qr",
    "aten.svd", "aten.triangular_solve", "aten.fractional_max_pool2d",
    "aten.fractional_max_pool3d", "aten.adaptive_max_pool3d",
    "aten.multilabel_margin_loss_forward", "aten.linalg_qr", "aten.linalg_cholesky_ex",
    "aten.linalg_svd", "aten.linalg_eig", "aten.linalg_eigh", "aten.linalg_lstsq",
    "aten.linalg_inv_ex"]
  amp.rule promote [
    "aten.stack", "aten.cat", "aten.index_copy", "aten.index_copy.dimname"]
}

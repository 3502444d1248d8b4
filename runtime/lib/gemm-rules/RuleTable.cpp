//===- RuleTable.cpp - The GEMM rules -------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three tables: rules, types and scale modes. L1 to L18 have the numbers that
// they have where they were gathered; A, T, N, E and S are architecture, types,
// numerics, epilogues and scales. Rules are tested in the order in which they
// stand here, and the first that does not hold is reported.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

namespace amp_rt {

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static constexpr int32_t NONE = AMP_RT_DTYPE_NONE, F32 = AMP_RT_DTYPE_F32,
                         F16 = AMP_RT_DTYPE_F16, BF16 = AMP_RT_DTYPE_BF16,
                         E4M3 = AMP_RT_DTYPE_E4M3FN, E5M2 = AMP_RT_DTYPE_E5M2;

static constexpr uint32_t bit(int32_t value) { return uint32_t(1) << value; }

static constexpr Set kAllTypes{~0u, "all"};
static constexpr Set kF8{bit(E4M3) | bit(E5M2), "f8"};
static constexpr Set kNotF8{~(bit(E4M3) | bit(E5M2)), "not f8"};

static constexpr Set kAllEpilogues{~0u, "all"};
static constexpr Set kRelu{bit(AMP_RT_EPILOGUE_RELU) |
                               bit(AMP_RT_EPILOGUE_BIAS_RELU) |
                               bit(AMP_RT_EPILOGUE_RELU_AUX),
                           "relu"};
static constexpr Set kReluAux{bit(AMP_RT_EPILOGUE_RELU_AUX) |
                                  bit(AMP_RT_EPILOGUE_DRELU) |
                                  bit(AMP_RT_EPILOGUE_DRELU_BGRAD),
                              "relu with aux"};
static constexpr Set kGelu{
    bit(AMP_RT_EPILOGUE_GELU_TANH) | bit(AMP_RT_EPILOGUE_GELU_AUX) |
        bit(AMP_RT_EPILOGUE_DGELU) | bit(AMP_RT_EPILOGUE_DGELU_BGRAD),
    "gelu"};
static constexpr Set kGeluAux{bit(AMP_RT_EPILOGUE_GELU_AUX) |
                                  bit(AMP_RT_EPILOGUE_DGELU) |
                                  bit(AMP_RT_EPILOGUE_DGELU_BGRAD),
                              "gelu with aux"};
static constexpr Set kBiasGrad{
    bit(AMP_RT_EPILOGUE_BIAS_GRAD_LHS) | bit(AMP_RT_EPILOGUE_BIAS_GRAD_RHS) |
        bit(AMP_RT_EPILOGUE_DRELU_BGRAD) | bit(AMP_RT_EPILOGUE_DGELU_BGRAD),
    "bias gradient"};
/// With one scale per tensor, and with blocks (L10).
static constexpr Set kF8Epilogues{
    bit(AMP_RT_EPILOGUE_NONE) | bit(AMP_RT_EPILOGUE_BIAS) |
        bit(AMP_RT_EPILOGUE_RELU) | bit(AMP_RT_EPILOGUE_BIAS_RELU) |
        bit(AMP_RT_EPILOGUE_GELU_TANH) | bit(AMP_RT_EPILOGUE_GELU_AUX) |
        bit(AMP_RT_EPILOGUE_DGELU) | bit(AMP_RT_EPILOGUE_DGELU_BGRAD) |
        bit(AMP_RT_EPILOGUE_BIAS_GRAD_LHS),
    ""};
static constexpr Set kBlockEpilogues{bit(AMP_RT_EPILOGUE_NONE) |
                                         bit(AMP_RT_EPILOGUE_BIAS) |
                                         bit(AMP_RT_EPILOGUE_DGELU),
                                     ""};

static constexpr int32_t kMax = INT32_MAX;
static constexpr Archs kAllArchs{0, kMax, 0, kMax, "all"};
static constexpr Archs kTNOnly{0, 99, 120, 129, "below sm_100, sm_12x"};
static constexpr Archs kHopper{90, 90, 90, 90, "sm_90"};
static constexpr Archs kBlackwell{100, 119, 100, 119, "sm_100 to sm_11x"};
static constexpr Archs kFromAda{89, kMax, 89, kMax, "sm_89 and newer"};

//===----------------------------------------------------------------------===//
// Types and scales
//===----------------------------------------------------------------------===//

static constexpr Set kF32{bit(F32), "f32"};
static constexpr Set kF16{bit(F16), "f16"};
static constexpr Set kBF16{bit(BF16), "bf16"};
static constexpr Set kBF16OrF32{bit(BF16) | bit(F32), "bf16, f32"};
static constexpr Set kBF16OrF16{bit(BF16) | bit(F16), "bf16, f16"};

static constexpr int32_t kDoc = AMP_RT_RULE_DOCUMENTED,
                         kObs = AMP_RT_RULE_OBSERVED,
                         kAsm = AMP_RT_RULE_ASSUMED;

// f8 with an f8 result: the aux values of gelu are 16 bits wide (L11), and
// there is no bias gradient of 8 bits.
const TypeRow gemmTypes[] = {
    {F32, F32, F32, kF32, kF32, kF32, kDoc},
    {F16, F16, F16, kF16, kF16, kF16, kDoc},
    {F16, F16, F32, kF32, kF32, kF32, kDoc},
    {BF16, BF16, BF16, kBF16, kBF16, kBF16, kDoc},
    {BF16, BF16, F32, kBF16OrF32, kF32, kF32, kDoc},
    {E4M3, E4M3, BF16, kBF16, kBF16, kBF16, kDoc},
    {E4M3, E4M3, F16, kF16, kF16, kF16, kDoc},
    {E4M3, E4M3, F32, kBF16, kF32, kBF16, kDoc},
    {E4M3, E4M3, E4M3, kBF16OrF16, kBF16OrF16, kBF16OrF16, kDoc},
    {E4M3, E5M2, BF16, kBF16, kBF16, kBF16, kDoc},
    {E4M3, E5M2, F16, kF16, kF16, kF16, kDoc},
    {E4M3, E5M2, F32, kBF16, kF32, kBF16, kDoc},
    {E4M3, E5M2, E4M3, kBF16OrF16, kBF16OrF16, kBF16OrF16, kDoc},
    {E4M3, E5M2, E5M2, kBF16OrF16, kBF16OrF16, kBF16OrF16, kDoc},
    {E5M2, E4M3, BF16, kBF16, kBF16, kBF16, kDoc},
    {E5M2, E4M3, F16, kF16, kF16, kF16, kDoc},
    {E5M2, E4M3, F32, kBF16, kF32, kBF16, kDoc},
    {E5M2, E4M3, E4M3, kBF16OrF16, kBF16OrF16, kBF16OrF16, kDoc},
    {E5M2, E4M3, E5M2, kBF16OrF16, kBF16OrF16, kBF16OrF16, kDoc},
};
const size_t numGemmTypes = sizeof(gemmTypes) / sizeof(gemmTypes[0]);

const ScaleRow gemmScales[] = {
    {AMP_RT_SCALE_TENSOR, "tensor", "SCALAR_32F", kFromAda, "any with f8",
     kDoc},
    {AMP_RT_SCALE_ROW, "row", "OUTER_VEC_32F", kHopper, "12.9", kDoc},
    {AMP_RT_SCALE_BLOCK32, "block32", "VEC32_UE8M0", kBlackwell, "12.8", kDoc},
};
const size_t numGemmScales = sizeof(gemmScales) / sizeof(gemmScales[0]);

const TypeRow *findTypes(const amp_rt_gemm_desc &d) {
  for (const TypeRow &row : gemmTypes)
    if (row.lhs == d.lhs_type && row.rhs == d.rhs_type && row.out == d.out_type)
      return &row;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

/// For the last line of a predicate: false, with what was got.
#define GOT(...) (got.refuse(1, __VA_ARGS__), false)

static bool fromAmpere(const Problem &p, const Message &got) {
  return p.arch >= 80 || GOT("sm_%d", p.arch);
}

static bool hasF8Units(const Problem &p, const Message &got) {
  return p.arch >= 89 || GOT("sm_%d", p.arch);
}

static bool typesInTable(const Problem &p, const Message &got) {
  const amp_rt_gemm_desc &d = p.desc;
  return findTypes(d) || GOT("%s x %s -> %s", typeName(d.lhs_type),
                             typeName(d.rhs_type), typeName(d.out_type));
}

static bool biasInTable(const Problem &p, const Message &got) {
  const TypeRow *row = findTypes(p.desc);
  return !hasBias(p.desc) || row->bias.contains(p.desc.bias_type) ||
         GOT("%s instead of %s", typeName(p.desc.bias_type), row->bias.text);
}

static bool auxInTable(const Problem &p, const Message &got) {
  const TypeRow *row = findTypes(p.desc);
  return row->aux.contains(p.desc.aux_type) ||
         GOT("%s instead of %s", typeName(p.desc.aux_type), row->aux.text);
}

static bool biasGradInTable(const Problem &p, const Message &got) {
  const TypeRow *row = findTypes(p.desc);
  return row->biasGrad.contains(p.desc.bias_grad_type) ||
         GOT("%s instead of %s", typeName(p.desc.bias_grad_type),
             row->biasGrad.text);
}

static bool accumulatesInF32(const Problem &p, const Message &got) {
  int32_t type = p.desc.accumulate_type;
  return type == NONE || type == F32 || GOT("%s", typeName(type));
}

static bool orderIsFree(const Problem &p, const Message &got) {
  return p.desc.order == AMP_RT_ORDER_ANY ||
         GOT("order = %s",
             p.desc.order == AMP_RT_ORDER_BLOCKED ? "blocked" : "sequential");
}

static bool subnormalsAreFree(const Problem &p, const Message &got) {
  return p.desc.subnormals == AMP_RT_SUBNORMALS_ANY ||
         GOT("subnormals = %s", p.desc.subnormals == AMP_RT_SUBNORMALS_FLUSH
                                    ? "flush"
                                    : "preserve");
}

/// The multiplier takes the storage type, or tf32 for two f32 operands. A
/// narrower one that is only allowed (excess) may be ignored.
static bool multipliesAsStated(const Problem &p, const Message &got) {
  const amp_rt_gemm_desc &d = p.desc;
  if (usesTF32(d) || d.excess == AMP_RT_EXCESS_ALLOW)
    return true;
  if (d.lhs_compute != NONE && !embeds(d.lhs_type, d.lhs_compute))
    return GOT("a lhs of %s at %s and a rhs at %s", typeName(d.lhs_type),
               typeName(d.lhs_compute),
               typeName(d.rhs_compute ? d.rhs_compute : d.rhs_type));
  if (d.rhs_compute != NONE && !embeds(d.rhs_type, d.rhs_compute))
    return GOT("a rhs of %s at %s and a lhs at %s", typeName(d.rhs_type),
               typeName(d.rhs_compute),
               typeName(d.lhs_compute ? d.lhs_compute : d.lhs_type));
  return true;
}

static bool isTN(const Problem &p, const Message &got) {
  const amp_rt_gemm_desc &d = p.desc;
  return (!d.transpose_lhs && d.transpose_rhs) ||
         GOT("transpose_lhs = %d and transpose_rhs = %d", d.transpose_lhs,
             d.transpose_rhs);
}

static bool f8SizesAreMultiples(const Problem &p, const Message &got) {
  const amp_rt_gemm_desc &d = p.desc;
  int64_t outBytes = int64_t(typeSize(d.out_type));
  struct {
    const char *name;
    int64_t value, unit;
  } sizes[] = {{"k", d.k, 16},
               {"n", d.n, 16 / outBytes},
               {"lhs_ld", d.lhs_ld, 16},
               {"rhs_ld", d.rhs_ld, 16},
               {"out_ld", d.out_ld, 16 / outBytes},
               {"lhs_batch_stride", d.batch > 1 ? d.lhs_batch_stride : 0, 16},
               {"rhs_batch_stride", d.batch > 1 ? d.rhs_batch_stride : 0, 16},
               {"out_batch_stride", d.batch > 1 ? d.out_batch_stride : 0,
                16 / outBytes}};
  for (const auto &s : sizes)
    if (s.value % s.unit != 0)
      return GOT("%s = %lld, which is no multiple of %lld", s.name,
                 (long long)s.value, (long long)s.unit);
  return true;
}

static bool scaleModesExist(const Problem &p, const Message &got) {
  const amp_rt_gemm_desc &d = p.desc;
  if (d.lhs_scale_mode != d.rhs_scale_mode && d.lhs_scale_mode &&
      d.rhs_scale_mode)
    return GOT("mode %d for lhs and %d for rhs", d.lhs_scale_mode,
               d.rhs_scale_mode);
  if (d.out_scale_mode > AMP_RT_SCALE_TENSOR)
    return GOT("mode %d for out", d.out_scale_mode);
  for (const ScaleRow &row : gemmScales)
    if ((d.lhs_scale_mode == row.mode || d.rhs_scale_mode == row.mode) &&
        !row.archs.contains(p.arch))
      return GOT("mode %s, which exists on %s, on sm_%d", row.name,
                 row.archs.text, p.arch);
  if (d.lhs_scale_mode > AMP_RT_SCALE_TENSOR ||
      d.rhs_scale_mode > AMP_RT_SCALE_TENSOR)
    if (d.lhs_scale_mode != d.rhs_scale_mode)
      return GOT("mode %d for lhs and %d for rhs", d.lhs_scale_mode,
                 d.rhs_scale_mode);
  return true;
}

static bool noScales(const Problem &p, const Message &got) {
  const amp_rt_gemm_desc &d = p.desc;
  return (!d.lhs_scale_mode && !d.rhs_scale_mode) ||
         GOT("a scale of %s", d.lhs_scale_mode ? "lhs" : "rhs");
}

static bool outScalesOnF8(const Problem &p, const Message &got) {
  const amp_rt_gemm_desc &d = p.desc;
  return isF8(d.out_type) || (!d.out_scale_mode && !d.out_amax) ||
         GOT("%s with out_type %s", d.out_amax ? "out_amax" : "out_scale",
             typeName(d.out_type));
}

static bool noAccumulationIntoF8(const Problem &p, const Message &got) {
  return !isF8(p.desc.out_type) || p.desc.beta == 0.0f ||
         GOT("beta = %g with out_type %s", double(p.desc.beta),
             typeName(p.desc.out_type));
}

static bool biasIsNarrow(const Problem &p, const Message &got) {
  return !hasBias(p.desc) || p.desc.bias_type != F32 || GOT("f32");
}

static bool f8Epilogue(const Problem &p, const Message &got) {
  bool blocks = p.desc.lhs_scale_mode == AMP_RT_SCALE_BLOCK32;
  const Set &set = blocks ? kBlockEpilogues : kF8Epilogues;
  return set.contains(p.desc.epilogue) ||
         GOT("%s%s", epilogueName(p.desc.epilogue),
             blocks ? " with block scales" : "");
}

static bool auxIsNotF8(const Problem &p, const Message &got) {
  return !isF8(p.desc.aux_type) || GOT("%s", typeName(p.desc.aux_type));
}

static bool blockScaledSizes(const Problem &p, const Message &got) {
  const amp_rt_gemm_desc &d = p.desc;
  return d.lhs_scale_mode != AMP_RT_SCALE_BLOCK32 || d.k % 32 == 0 ||
         GOT("k = %lld", (long long)d.k);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

const Rule gemmRules[] = {
    {"A1", kDoc, kAllTypes, kAllArchs, kAllEpilogues,
     "an architecture from sm_80 on, which has bf16 and tf32",
     "compile for sm_80 or newer, or for the CPU", "CUDA programming guide",
     fromAmpere},
    {"L17", kDoc, kF8, kAllArchs, kAllEpilogues,
     "sm_89 or newer, which has f8 units",
     "choose a policy of f16 or bf16 for this architecture", "ScaledBlas",
     hasF8Units},
    {"T1", kDoc, kAllTypes, kAllArchs, kAllEpilogues,
     "types of the table: equal operand types with a result of that type or "
     "f32, or two f8 operands that are not both e5m2",
     "cast both operands to one type before the product, and the result after "
     "it",
     "cublasLtMatmul", typesInTable},
    {"T4", kDoc, kAllTypes, kAllArchs, kAllEpilogues, "accumulation in f32",
     "write accumulate = f32, which refines the narrower types",
     "cublasLtMatmul", accumulatesInF32},
    {"N1", kDoc, kAllTypes, kAllArchs, kAllEpilogues,
     "order = any: the library chooses how products are summed",
     "write order = any, or run this product on the CPU", "cublasLtMatmul",
     orderIsFree},
    {"N2", kAsm, kAllTypes, kAllArchs, kAllEpilogues,
     "subnormals = any: the library promises neither to keep nor to flush them",
     "write subnormals = any, or run this product on the CPU", "no promise",
     subnormalsAreFree},
    {"N3", kDoc, kAllTypes, kAllArchs, kAllEpilogues,
     "operands that enter the multiplier as they are stored, or both as tf32",
     "cast the operand to the narrower type before the product, or write "
     "excess = allow",
     "cublasComputeType_t", multipliesAsStated},
    {"L7", kObs, kF8, kAllArchs, kAllEpilogues, "no bias of f32",
     "keep the bias in bf16 (f16 for a result of f16)", "ScaledBlas",
     biasIsNarrow},
    {"T2", kDoc, kAllTypes, kAllArchs, kAllEpilogues,
     "a bias of a type that the table has for these operands and this result",
     "cast the bias", "cublasLtMatmul", biasInTable},
    {"L11", kObs, kAllTypes, kAllArchs, kGeluAux, "an aux that is not f8",
     "keep aux in bf16 or f16", "Transformer Engine", auxIsNotF8},
    {"T3", kDoc, kAllTypes, kAllArchs, kGeluAux,
     "an aux of the result's type, or of 16 bits with a result of f8",
     "leave aux_type 0, or compute gelu in a kernel of its own", "cublasLt.h",
     auxInTable},
    {"T5", kDoc, kAllTypes, kAllArchs, kBiasGrad,
     "a bias gradient of the result's type",
     "leave bias_grad_type 0, or sum the gradient in a kernel of its own",
     "cublasLt.h", biasGradInTable},
    {"L1", kDoc, kF8, kTNOnly, kAllEpilogues,
     "both operands contiguous along k (transpose_lhs = 0, transpose_rhs = 1)",
     "store a transposed f8 copy of the operand that is not",
     "Transformer Engine; cublasLtMatmul", isTN},
    {"L2", kDoc, kF8, kAllArchs, kAllEpilogues,
     "multiples of 16 bytes for k, the leading dimensions, the batch strides "
     "and the rows of the result",
     "pad these sizes to multiples of 16",
     "Transformer Engine; XLA; ScaledBlas", f8SizesAreMultiples},
    {"L3", kDoc, kAllTypes, kAllArchs, kAllEpilogues,
     "pointers aligned to 16 bytes, the workspace's to 256",
     "use memory of amp_rt_alloc", "Transformer Engine", nullptr},
    {"L4", kObs, kF8, kAllArchs, kAllEpilogues,
     "scales of lhs and rhs that multiply what is stored (the inverse of what "
     "the quantisation multiplied by); absent ones are 1",
     "pass 1 / scale", "Transformer Engine", nullptr},
    {"S1", kDoc, kNotF8, kAllArchs, kAllEpilogues,
     "no scales of lhs and rhs: only f8 has them",
     "multiply by the scale in alpha, or in a kernel of its own", "cublasLt.h",
     noScales},
    {"S2", kDoc, kF8, kAllArchs, kAllEpilogues,
     "one scale mode for lhs and rhs that exists on the architecture, and one "
     "scale for the whole result",
     "use one scale per tensor", "cublasLtMatmulMatrixScale_t",
     scaleModesExist},
    {"L5", kDoc, kAllTypes, kAllArchs, kAllEpilogues,
     "out_scale and out_amax only with a result of f8",
     "take the maximum in a kernel of its own, or make the result f8",
     "Transformer Engine", outScalesOnF8},
    {"L5b", kAsm, kF8, kAllArchs, kAllEpilogues,
     "out_amax of the values before out_scale multiplies them",
     "compare on the device", "cuBLAS documentation, not checked again",
     nullptr},
    {"L6", kObs, kF8, kAllArchs, kAllEpilogues, "beta = 0 with a result of f8",
     "accumulate into f32 or bf16 and quantise after it", "Transformer Engine",
     noAccumulationIntoF8},
    {"L8", kObs, kF8, kAllArchs, kAllEpilogues,
     "a matrix C that is not f8 (the runtime gives the type of the bias)", "",
     "XLA", nullptr},
    {"L9", kDoc, kF8, kAllArchs, kAllEpilogues,
     "FAST_ACCUM only with f8; the runtime leaves it 0, so that the "
     "accumulator is that of f32",
     "", "Transformer Engine", nullptr},
    {"L10", kObs, kF8, kAllArchs, kAllEpilogues,
     "an epilogue that is in use with f8: none, bias, relu, bias_relu, "
     "gelu_tanh, gelu_aux, dgelu, dgelu_bgrad or bias_grad_lhs; none, bias or "
     "dgelu with block scales",
     "compute the epilogue in a kernel of its own", "Transformer Engine; XLA",
     f8Epilogue},
    {"L12", kObs, kAllTypes, kAllArchs, kAllEpilogues,
     "a matrix added after the epilogue is no beta * out: only none and bias "
     "commute with it",
     "", "XLA", nullptr},
    {"L13", kObs, kF8, kHopper, kAllEpilogues,
     "no 128x128 blocks on both operands (the descriptor has no such mode)", "",
     "Transformer Engine", nullptr},
    {"L14", kObs, kF8, kAllArchs, kAllEpilogues,
     "at most 65535 matrices in a batch: a limit of XLA, not of cuBLASLt", "",
     "XLA", nullptr},
    {"L15", kObs, kF8, kBlackwell, kAllEpilogues,
     "block scales in tiles of 32x4x4 and a k that is a multiple of 32",
     "pad k to a multiple of 32", "ScaledBlas; Transformer Engine",
     blockScaledSizes},
    {"L16", kObs, kF8, kHopper, kAllEpilogues,
     "layouts of scales of 1x128 and 128x128 (the descriptor has no such mode)",
     "", "ScaledBlas", nullptr},
    {"L18", kObs, kAllTypes, kAllArchs, kAllEpilogues,
     "k of at least 1: the runtime multiplies zeros instead", "",
     "Transformer Engine", nullptr},
    {"E1", kDoc, kAllTypes, kAllArchs, kReluAux,
     "a mask in rows of a multiple of 128 bits", "", "cublasLt.h", nullptr},
    {"E2", kAsm, kAllTypes, kAllArchs, kReluAux,
     "a mask whose bit is 1 where the value is above 0", "", "no promise",
     nullptr},
    {"E3", kAsm, kAllTypes, kAllArchs, kRelu, "a relu that keeps NaN", "",
     "no promise", nullptr},
    {"E4", kObs, kAllTypes, kAllArchs, kGelu,
     "the tanh form of gelu: erf has no epilogue", "", "Transformer Engine",
     nullptr},
    {"E5", kAsm, kAllTypes, kAllArchs, kGelu,
     "a gelu and a slope of it within 2^-10 of their argument", "",
     "no promise", nullptr},
};
const size_t numGemmRules = sizeof(gemmRules) / sizeof(gemmRules[0]);

} // namespace amp_rt

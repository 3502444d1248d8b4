//===- DeviceFunctions.cpp - Host versions of device intrinsics -----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table. Approximate device functions (ex2.approx) are computed as exactly
// as the host's library does; directed rounding is the hardware's.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "SmallFloat.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cfenv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <immintrin.h>
#endif

using namespace amp::emulator;

//===----------------------------------------------------------------------===//
// Directed rounding
//===----------------------------------------------------------------------===//

namespace {

enum Rounding { kNearest, kDown, kUp, kZero };

/// Sets the rounding direction for the lifetime of the object.
class RoundingScope {
public:
#ifdef __SSE2__
  explicit RoundingScope(Rounding mode) : saved(_mm_getcsr()) {
    static const unsigned bits[] = {0x0000, 0x2000, 0x4000, 0x6000};
    _mm_setcsr((saved & ~0x6000u) | bits[mode]);
  }
  ~RoundingScope() { _mm_setcsr(saved); }

private:
  unsigned saved;
#else
  explicit RoundingScope(Rounding mode) : saved(fegetround()) {
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD,
                                FE_TOWARDZERO};
    fesetround(modes[mode]);
  }
  ~RoundingScope() { fesetround(saved); }

private:
  int saved;
#endif
};

} // namespace

/// Keeps the compiler from moving or folding an operand across a change of the
/// rounding direction.
template <typename T> static T opaque(T value) {
  asm volatile("" : "+m"(value)::"memory");
  return value;
}

template <typename T, Rounding R> static T add(T a, T b) {
  RoundingScope scope(R);
  return opaque(opaque(a) + opaque(b));
}
template <typename T, Rounding R> static T sub(T a, T b) {
  RoundingScope scope(R);
  return opaque(opaque(a) - opaque(b));
}
template <typename T, Rounding R> static T mul(T a, T b) {
  RoundingScope scope(R);
  return opaque(opaque(a) * opaque(b));
}
template <typename T, Rounding R> static T divide(T a, T b) {
  RoundingScope scope(R);
  return opaque(opaque(a) / opaque(b));
}
template <typename T, Rounding R> static T reciprocal(T a) {
  return divide<T, R>(1, a);
}
template <typename T, Rounding R> static T root(T a) {
  RoundingScope scope(R);
  return opaque(std::sqrt(opaque(a)));
}
template <typename T, Rounding R> static T fma(T a, T b, T c) {
  RoundingScope scope(R);
  return opaque(std::fma(opaque(a), opaque(b), opaque(c)));
}
template <typename To, typename From, Rounding R> static To convert(From a) {
  RoundingScope scope(R);
  return opaque(static_cast<To>(opaque(a)));
}

template <typename T, Rounding R> static T roundIntegral(T a) {
  switch (R) {
  case kNearest:
    return std::nearbyint(a);
  case kDown:
    return std::floor(a);
  case kUp:
    return std::ceil(a);
  default:
    return std::trunc(a);
  }
}

/// Float to integer: rounds, saturates, NaN is 0 (as cvt does for 32 bits).
template <typename I, typename F, Rounding R> static I toInteger(F a) {
  if (std::isnan(a))
    return 0;
  F rounded = roundIntegral<F, R>(a);
  const F low = static_cast<F>(std::numeric_limits<I>::min());
  const F high =
      -2 * (static_cast<F>(std::numeric_limits<I>::max() / 2 + 1) * F(-1));
  if (rounded <= low)
    return std::numeric_limits<I>::min();
  if (rounded >= high)
    return std::numeric_limits<I>::max();
  return static_cast<I>(rounded);
}

//===----------------------------------------------------------------------===//
// Single functions
//===----------------------------------------------------------------------===//

/// Flushes a subnormal number to zero of its sign.
static float flush(float a) {
  return std::fabs(a) < 1.17549435e-38f ? std::copysign(0.0f, a) : a;
}

static float saturate(float a) {
  return a > 0 ? std::min(a, 1.0f) : 0.0f; // NaN: 0
}
static float fmaxF(float a, float b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
}
static float fminF(float a, float b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b);
}
static float fmaxNan(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}
static float fminNan(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}
static double fmaxD(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
}
static double fminD(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b);
}
static float exp2Approx(float a) { return flush(::exp2f(flush(a))); }
static float log2Approx(float a) { return ::log2f(a); }
static float sinApprox(float a) { return ::sinf(a); }
static float cosApprox(float a) { return ::cosf(a); }
static float tanhApprox(float a) { return ::tanhf(a); }
static float divideF(float a, float b) { return a / b; }
static float rcpApprox(float a) { return flush(1.0f / flush(a)); }
static double rcpApproxD(double a) { return 1.0 / a; }
static float sqrtApprox(float a) { return std::sqrt(a); }
static float rsqrtApprox(float a) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
}
static double rsqrtApproxD(double a) { return 1.0 / std::sqrt(a); }

static uint32_t doubleHigh(double a) {
  uint64_t bits;
  memcpy(&bits, &a, 8);
  return bits >> 32;
}
static uint32_t doubleLow(double a) {
  uint64_t bits;
  memcpy(&bits, &a, 8);
  return static_cast<uint32_t>(bits);
}
static double makeDouble(uint32_t low, uint32_t high) {
  uint64_t bits = uint64_t(high) << 32 | low;
  double a;
  memcpy(&a, &bits, 8);
  return a;
}
static int32_t mulHighS(int32_t a, int32_t b) { return int64_t(a) * b >> 32; }
static uint32_t mulHighU(uint32_t a, uint32_t b) {
  return uint64_t(a) * b >> 32;
}
static int64_t mulHighS64(int64_t a, int64_t b) {
  return static_cast<__int128>(a) * b >> 64;
}
static uint64_t mulHighU64(uint64_t a, uint64_t b) {
  return static_cast<unsigned __int128>(a) * b >> 64;
}
static uint32_t bfindShift(uint32_t a) {
  return a ? __builtin_clz(a) : 0xffffffffu;
}
static uint32_t sadS(int32_t a, int32_t b, uint32_t c) {
  return c + static_cast<uint32_t>(std::llabs(int64_t(a) - b));
}
static uint32_t sadU(uint32_t a, uint32_t b, uint32_t c) {
  return c + (a > b ? a - b : b - a);
}
/// prmt: each nibble of `selector` picks a byte, or its sign, of {b, a}.
static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t source = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i != 4; ++i) {
    uint32_t nibble = selector >> (4 * i) & 15;
    uint8_t byte = source >> (8 * (nibble & 7));
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= uint32_t(byte) << (8 * i);
  }
  return result;
}
static uint64_t clockNow() {
#ifdef __x86_64__
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

//===----------------------------------------------------------------------===//
// Narrow formats
//===----------------------------------------------------------------------===//

static float relu(float a) { return a > 0 ? a : std::isnan(a) ? a : 0.0f; }

/// The first operand goes to the high half, as in the instruction.
template <uint16_t (*Encode)(float), bool Relu>
static uint32_t pairToHalves(float high, float low) {
  if (Relu) {
    high = relu(high);
    low = relu(low);
  }
  return uint32_t(Encode(high)) << 16 | Encode(low);
}
template <uint8_t (*Encode)(float), bool Relu>
static uint16_t pairToBytes(float high, float low) {
  if (Relu) {
    high = relu(high);
    low = relu(low);
  }
  return uint16_t(Encode(high) << 8 | Encode(low));
}
template <uint8_t (*Encode)(float)> static uint16_t halvesToBytes(uint32_t a) {
  return uint16_t(Encode(decodeF16(a >> 16)) << 8 |
                  Encode(decodeF16(a & 0xffff)));
}
template <float (*Decode)(uint8_t)> static uint32_t bytesToHalves(uint16_t a) {
  return uint32_t(encodeF16(Decode(a >> 8))) << 16 |
         encodeF16(Decode(a & 0xff));
}
static uint32_t roundTf32(float a) { return encodeTf32(a); }
static uint16_t truncBF16(float a) {
  uint32_t bits;
  memcpy(&bits, &a, 4);
  return std::isnan(a) ? 0x7fff : bits >> 16;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

using Table = llvm::StringMap<void *>;

template <typename F>
static void put(Table &table, const std::string &name, F *f) {
  table["llvm.nvvm." + name] = reinterpret_cast<void *>(f);
}

template <Rounding R> static void addRounded(Table &t, const std::string &r) {
  // The .ftz forms differ for subnormal numbers only; what is flushed there is
  // below every tolerance.
  for (const char *ftz : {"", ".ftz"}) {
    std::string s = r + ftz;
    put(t, "add." + s + ".f", add<float, R>);
    put(t, "sub." + s + ".f", sub<float, R>);
    put(t, "mul." + s + ".f", mul<float, R>);
    put(t, "div." + s + ".f", divide<float, R>);
    put(t, "rcp." + s + ".f", reciprocal<float, R>);
    put(t, "sqrt." + s + ".f", root<float, R>);
    put(t, "fma." + s + ".f", fma<float, R>);
    put(t, "d2f." + s, convert<float, double, R>);
    put(t, "f2i." + s, toInteger<int32_t, float, R>);
    put(t, "f2ui." + s, toInteger<uint32_t, float, R>);
    put(t, "f2ll." + s, toInteger<int64_t, float, R>);
    put(t, "f2ull." + s, toInteger<uint64_t, float, R>);
  }
  put(t, "add." + r + ".d", add<double, R>);
  put(t, "sub." + r + ".d", sub<double, R>);
  put(t, "mul." + r + ".d", mul<double, R>);
  put(t, "div." + r + ".d", divide<double, R>);
  put(t, "rcp." + r + ".d", reciprocal<double, R>);
  put(t, "sqrt." + r + ".d", root<double, R>);
  put(t, "fma." + r + ".d", fma<double, R>);
  put(t, "d2i." + r, toInteger<int32_t, double, R>);
  put(t, "d2ui." + r, toInteger<uint32_t, double, R>);
  put(t, "d2ll." + r, toInteger<int64_t, double, R>);
  put(t, "d2ull." + r, toInteger<uint64_t, double, R>);
  put(t, "i2f." + r, convert<float, int32_t, R>);
  put(t, "ui2f." + r, convert<float, uint32_t, R>);
  put(t, "ll2f." + r, convert<float, int64_t, R>);
  put(t, "ull2f." + r, convert<float, uint64_t, R>);
  put(t, "i2d." + r, convert<double, int32_t, R>);
  put(t, "ui2d." + r, convert<double, uint32_t, R>);
  put(t, "ll2d." + r, convert<double, int64_t, R>);
  put(t, "ull2d." + r, convert<double, uint64_t, R>);
}

static void addNarrow(Table &t) {
  put(t, "ff2bf16x2.rn", pairToHalves<encodeBF16, false>);
  put(t, "ff2bf16x2.rn.relu", pairToHalves<encodeBF16, true>);
  put(t, "ff2bf16x2.rz", pairToHalves<truncBF16, false>);
  put(t, "ff2f16x2.rn", pairToHalves<encodeF16, false>);
  put(t, "ff2f16x2.rn.relu", pairToHalves<encodeF16, true>);
  put(t, "f2bf16.rn", encodeBF16);
  put(t, "f2bf16.rz", truncBF16);
  put(t, "f2f16.rn", encodeF16);
  put(t, "f2h.rn", encodeF16);
  put(t, "f2tf32.rn", roundTf32);
  put(t, "ff.to.e4m3x2.rn", pairToBytes<encodeE4M3, false>);
  put(t, "ff.to.e4m3x2.rn.relu", pairToBytes<encodeE4M3, true>);
  put(t, "ff.to.e5m2x2.rn", pairToBytes<encodeE5M2, false>);
  put(t, "ff.to.e5m2x2.rn.relu", pairToBytes<encodeE5M2, true>);
  put(t, "f16x2.to.e4m3x2.rn", halvesToBytes<encodeE4M3>);
  put(t, "f16x2.to.e5m2x2.rn", halvesToBytes<encodeE5M2>);
  put(t, "e4m3x2.to.f16x2.rn", bytesToHalves<decodeE4M3>);
  put(t, "e5m2x2.to.f16x2.rn", bytesToHalves<decodeE5M2>);
}

static Table makeTable() {
  Table t;
  addRounded<kNearest>(t, "rn");
  addRounded<kDown>(t, "rm");
  addRounded<kUp>(t, "rp");
  addRounded<kZero>(t, "rz");
  addNarrow(t);
  for (const char *ftz : {"", ".ftz"}) {
    std::string s = ftz;
    put(t, "saturate" + s + ".f", saturate);
    put(t, "ex2.approx" + s + ".f32", exp2Approx);
    put(t, "ex2.approx" + s + ".f", exp2Approx);
    put(t, "lg2.approx" + s + ".f", log2Approx);
    put(t, "sin.approx" + s + ".f", sinApprox);
    put(t, "cos.approx" + s + ".f", cosApprox);
    put(t, "div.approx" + s + ".f", divideF);
    put(t, "div.full" + s, divideF);
    put(t, "rcp.approx" + s + ".f", rcpApprox);
    put(t, "sqrt.approx" + s + ".f", sqrtApprox);
    put(t, "rsqrt.approx" + s + ".f", rsqrtApprox);
    put(t, "fmax" + s + ".f", fmaxF);
    put(t, "fmin" + s + ".f", fminF);
    put(t, "fmax" + s + ".nan.f", fmaxNan);
    put(t, "fmin" + s + ".nan.f", fminNan);
    put(t, "floor" + s + ".f", ::floorf);
    put(t, "ceil" + s + ".f", ::ceilf);
    put(t, "trunc" + s + ".f", ::truncf);
    put(t, "round" + s + ".f", ::nearbyintf);
    put(t, "fabs" + s + ".f32", ::fabsf);
    put(t, "fabs" + s + ".f", ::fabsf);
  }
  put(t, "tanh.approx.f", tanhApprox);
  put(t, "rcp.approx.ftz.d", rcpApproxD);
  put(t, "rsqrt.approx.d", rsqrtApproxD);
  put(t, "rsqrt.approx.ftz.d", rsqrtApproxD);
  put(t, "fmax.d", fmaxD);
  put(t, "fmin.d", fminD);
  put(t, "floor.d", static_cast<double (*)(double)>(::floor));
  put(t, "ceil.d", static_cast<double (*)(double)>(::ceil));
  put(t, "trunc.d", static_cast<double (*)(double)>(::trunc));
  put(t, "round.d", static_cast<double (*)(double)>(::nearbyint));
  put(t, "fabs.f64", static_cast<double (*)(double)>(::fabs));
  put(t, "fabs.d", static_cast<double (*)(double)>(::fabs));
  put(t, "d2i.hi", doubleHigh);
  put(t, "d2i.lo", doubleLow);
  put(t, "lohi.i2d", makeDouble);
  put(t, "mulhi.i", mulHighS);
  put(t, "mulhi.ui", mulHighU);
  put(t, "mulhi.ll", mulHighS64);
  put(t, "mulhi.ull", mulHighU64);
  put(t, "prmt", permute);
  put(t, "sad.i", sadS);
  put(t, "sad.ui", sadU);
  put(t, "bfind.shiftamt", bfindShift);
  put(t, "read.ptx.sreg.clock", clockNow);
  put(t, "read.ptx.sreg.clock64", clockNow);
  put(t, "read.ptx.sreg.globaltimer", clockNow);
  return t;
}

void *amp::emulator::findDeviceFunction(llvm::StringRef intrinsic) {
  static const Table table = makeTable();
  return table.lookup(intrinsic);
}

llvm::StringRef amp::emulator::intrinsicOfAsm(llvm::StringRef text) {
  // As libdevice and MLIR write them; white space between operands varies.
  static const std::pair<const char *, const char *> known[] = {
      {"rcp.approx.ftz.f32$0,$1;", "llvm.nvvm.rcp.approx.ftz.f"},
      {"rsqrt.approx.ftz.f64$0,$1;", "llvm.nvvm.rsqrt.approx.ftz.d"},
      {"tanh.approx.f32$0,$1;", "llvm.nvvm.tanh.approx.f"},
      {"ex2.approx.ftz.f32$0,$1;", "llvm.nvvm.ex2.approx.ftz.f"},
      {"ex2.approx.f32$0,$1;", "llvm.nvvm.ex2.approx.f"},
      {"lg2.approx.f32$0,$1;", "llvm.nvvm.lg2.approx.f"},
      {"rsqrt.approx.f32$0,$1;", "llvm.nvvm.rsqrt.approx.f"},
      {"bfind.shiftamt.u32$0,$1;", "llvm.nvvm.bfind.shiftamt"},
      {"sub.rn.f32$0,$1,$2;", "llvm.nvvm.sub.rn.f"},
      {"sub.rn.ftz.f32$0,$1,$2;", "llvm.nvvm.sub.rn.ftz.f"},
      {"sub.rm.f32$0,$1,$2;", "llvm.nvvm.sub.rm.f"},
      {"sub.rp.f32$0,$1,$2;", "llvm.nvvm.sub.rp.f"},
      {"sub.rz.f32$0,$1,$2;", "llvm.nvvm.sub.rz.f"},
      {"sub.rn.f64$0,$1,$2;", "llvm.nvvm.sub.rn.d"},
      {"sub.rm.f64$0,$1,$2;", "llvm.nvvm.sub.rm.d"},
      {"sub.rp.f64$0,$1,$2;", "llvm.nvvm.sub.rp.d"},
      {"sub.rz.f64$0,$1,$2;", "llvm.nvvm.sub.rz.d"},
      {"cvt.rn.satfinite.e4m3x2.f32$0,$1,$2;", "llvm.nvvm.ff.to.e4m3x2.rn"},
      {"cvt.rn.satfinite.e5m2x2.f32$0,$1,$2;", "llvm.nvvm.ff.to.e5m2x2.rn"},
      {"cvt.rn.bf16x2.f32$0,$1,$2;", "llvm.nvvm.ff2bf16x2.rn"},
      {"cvt.rn.f16x2.f32$0,$1,$2;", "llvm.nvvm.ff2f16x2.rn"},
  };
  std::string squeezed;
  for (char c : text)
    if (!isspace(static_cast<unsigned char>(c)))
      squeezed += c;
  for (auto &[asmText, name] : known)
    if (squeezed == asmText)
      return name;
  return "";
}

//===----------------------------------------------------------------------===//
// Calls of the host's code generator
//===----------------------------------------------------------------------===//

// 16-bit floats travel in the low bits of a vector register, which on x86-64 is
// where a float is.
static float asFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
static uint16_t lowBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits & 0xffff;
}
static float truncsfbf2(float a) { return asFloat(encodeBF16(a)); }
static float truncsfhf2(float a) { return asFloat(encodeF16(a)); }
static float truncdfbf2(double a) { return asFloat(encodeBF16(roundToOdd(a))); }
static float truncdfhf2(double a) { return asFloat(encodeF16(roundToOdd(a))); }
static float extendhfsf2(float a) { return decodeF16(lowBits(a)); }

std::vector<std::pair<const char *, void *>>
amp::emulator::conversionLibrary() {
  auto pointer = [](auto *function) {
    return reinterpret_cast<void *>(function);
  };
  return {{"__truncsfbf2", pointer(truncsfbf2)},
          {"__truncsfhf2", pointer(truncsfhf2)},
          {"__truncdfbf2", pointer(truncdfbf2)},
          {"__truncdfhf2", pointer(truncdfhf2)},
          {"__extendhfsf2", pointer(extendhfsf2)}};
}

// This has the loops of the predefined operations, and their table by kind of element. It is
// compiled once a level (src/CMakeLists.txt): no function may be shared with another file, or
// instructions of a higher level leak into common code. So it uses no inline functions of headers.
#include "datatype/kernels.hpp"

#ifdef __F16C__
#include <immintrin.h>
#endif

#ifndef BATON_KERNEL_LEVEL
#define BATON_KERNEL_LEVEL baseline
#define BATON_KERNEL_BASELINE true
#else
#define BATON_KERNEL_BASELINE false
#endif

namespace baton::datatype::BATON_KERNEL_LEVEL {

namespace {

// Loops that vector instructions do not speed up exist in the baseline only.
constexpr bool is_baseline = BATON_KERNEL_BASELINE;

using float16 = _Float16;
using float128 = __float128;
using int128 = __int128;
using uint128 = unsigned __int128;

// Arithmetic on a type is done in this type: for halves in float, which rounds only once, equally
// with or without instructions for halves; for short integers in a type that does not overflow.
template <class T>
struct Arithmetic {
  using Type = T;
};
template <>
struct Arithmetic<float16> {
  using Type = float;
};
template <>
struct Arithmetic<std::uint8_t> {
  using Type = std::uint32_t;
};
template <>
struct Arithmetic<std::uint16_t> {
  using Type = std::uint32_t;
};
template <class T>
using Wide = typename Arithmetic<T>::Type;

template <class Value, class Index>
struct ValueIndex {
  Value value;
  Index index;
};

struct Sum {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Product {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
// When either value is not a number, the right one stays.
struct Maximum {
  template <class T>
  static auto takes_left(T a, T b) {
    return a > b;
  }
};
struct Minimum {
  template <class T>
  static auto takes_left(T a, T b) {
    return a < b;
  }
};
// Any value but 0 is true; the result is 0 or 1, also of Fortran's logicals.
struct LogicalAnd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) & (b != 0));
  }
};
struct LogicalOr {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a | b) != 0);
  }
};
struct LogicalXor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) ^ (b != 0));
  }
};
struct BitAnd {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct BitOr {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct BitXor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
// Among equal values the lower index wins, whichever side it comes from.
struct MaximumLocation {
  template <class T>
  static bool takes_left(const T& a, const T& b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index);
  }
};
struct MinimumLocation {
  template <class T>
  static bool takes_left(const T& a, const T& b) {
    return a.value < b.value || (a.value == b.value && a.index < b.index);
  }
};

// These load and store elements wherever they lie: buffers need not be aligned.
template <class T>
struct __attribute__((packed, may_alias)) Loose {
  T value;
};

template <class Op, class T>
void run(const void* in, void* inout, std::int64_t count) {
  auto* a = static_cast<const Loose<T>*>(in);
  auto* b = static_cast<Loose<T>*>(inout);
#pragma GCC ivdep
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < count; ++i)
    b[i].value =
        static_cast<T>(Op::template apply<Wide<T>>(Wide<T>{a[i].value}, Wide<T>{b[i].value}));
}

template <class Op, class T>
void run_ordered(const void* in, void* inout, std::int64_t count) {
  auto* a = static_cast<const Loose<T>*>(in);
  auto* b = static_cast<Loose<T>*>(inout);
#pragma GCC ivdep
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < count; ++i) {
    T left = a[i].value, right = b[i].value;
    b[i].value = Op::takes_left(Wide<T>{left}, Wide<T>{right}) ? left : right;
  }
}

// Halves are converted eight at a time where the CPU can, elsewhere one by one by the compiler.
#ifdef __F16C__
template <class Op>
__m128i eight_halves(__m128i a, __m128i b) {
  __m256 left = _mm256_cvtph_ps(a), right = _mm256_cvtph_ps(b);
  if constexpr (requires { Op::takes_left(left, right); }) {
    auto mask = reinterpret_cast<__m256i>(Op::takes_left(left, right));
    __m128i narrow =
        _mm_packs_epi32(_mm256_castsi256_si128(mask), _mm256_extracti128_si256(mask, 1));
    return _mm_blendv_epi8(b, a, narrow);
  } else {
    return _mm256_cvtps_ph(Op::template apply<__m256>(left, right),
                           _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
}
#endif

template <class Op>
void run_halves(const void* in, void* inout, std::int64_t count) {
#ifdef __F16C__
  auto* a = static_cast<const char*>(in);
  auto* b = static_cast<char*>(inout);
  for (; count >= 8; count -= 8, a += 16, b += 16) {
    auto* place = reinterpret_cast<__m128i*>(b);
    __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
    _mm_storeu_si128(place, eight_halves<Op>(left, _mm_loadu_si128(place)));
  }
  in = a;
  inout = b;
#endif
  if constexpr (requires { Op::takes_left(0.f, 0.f); })
    run_ordered<Op, float16>(in, inout, count);
  else
    run<Op, float16>(in, inout, count);
}

template <class Part>
void sum_complex(const void* in, void* inout, std::int64_t count) {
  if constexpr (sizeof(Part) == 2)
    run_halves<Sum>(in, inout, 2 * count);
  else
    run<Sum, Part>(in, inout, 2 * count);
}

template <class Part>
void multiply_one_by_one(const void* in, void* inout, std::int64_t count) {
  auto* a = static_cast<const Loose<Part>*>(in);
  auto* b = static_cast<Loose<Part>*>(inout);
  for (std::int64_t i = 0; i < count; ++i) {
    Wide<Part> a0 = a[2 * i].value, a1 = a[2 * i + 1].value;
    Wide<Part> b0 = b[2 * i].value, b1 = b[2 * i + 1].value;
    b[2 * i].value = static_cast<Part>(a0 * b0 - a1 * b1);
    b[2 * i + 1].value = static_cast<Part>(a0 * b1 + a1 * b0);
  }
}

// This multiplies several complex numbers at once: the compiler's own vectors would fuse multiply
// and add (GCC 12 does, whatever -ffp-contract says).
template <class Part, class Lane>
void multiply_complex(const void* in, void* inout, std::int64_t count) {
#if defined __AVX512F__
  constexpr int bytes = 64;
#elif defined __AVX__
  constexpr int bytes = 32;
#else
  constexpr int bytes = 16;
#endif
  constexpr int lanes = bytes / static_cast<int>(sizeof(Part));
  typedef Part Numbers __attribute__((vector_size(bytes)));
  typedef Lane Places __attribute__((vector_size(bytes)));
  Places real{}, imaginary{}, swapped{}, merged{};
  for (int i = 0; i < lanes; ++i) {
    real[i] = i & ~1;
    imaginary[i] = i | 1;
    swapped[i] = i ^ 1;
    merged[i] = i & 1 ? i + lanes : i;
  }
  auto multiply = [&](Numbers left, Numbers right) {
    Numbers straight = __builtin_shuffle(left, real) * right;
    Numbers crossed = __builtin_shuffle(left, imaginary) * __builtin_shuffle(right, swapped);
    return __builtin_shuffle(straight - crossed, straight + crossed, merged);
  };
  auto* a = static_cast<const char*>(in);
  auto* b = static_cast<char*>(inout);
  Numbers left, right;
  for (; count >= lanes / 2; count -= lanes / 2, a += bytes, b += bytes) {
    __builtin_memcpy(&left, a, bytes);
    __builtin_memcpy(&right, b, bytes);
    right = multiply(left, right);
    __builtin_memcpy(b, &right, bytes);
  }
  if (count == 0) return;
  left = right = Numbers{};
  auto rest = static_cast<std::size_t>(count) * 2 * sizeof(Part);
  __builtin_memcpy(&left, a, rest);
  __builtin_memcpy(&right, b, rest);
  right = multiply(left, right);
  __builtin_memcpy(b, &right, rest);
}

// This copies value and index, never the gap between them.
template <class Op, class Value, class Index>
void run_pairs(const void* in, void* inout, std::int64_t count) {
  using Pair = ValueIndex<Value, Index>;
  auto* a = static_cast<const char*>(in);
  auto* b = static_cast<char*>(inout);
  constexpr std::size_t index_at = __builtin_offsetof(Pair, index);
  for (std::int64_t i = 0; i < count; ++i, a += sizeof(Pair), b += sizeof(Pair)) {
    Pair left, right;
    __builtin_memcpy(&left, a, sizeof left);
    __builtin_memcpy(&right, b, sizeof right);
    if (!Op::takes_left(left, right)) continue;
    __builtin_memcpy(b, &left.value, sizeof left.value);
    __builtin_memcpy(b + index_at, &left.index, sizeof left.index);
  }
}

// Where signed and unsigned make no difference, loops use unsigned integers, which may overflow.
template <class Op>
Kernel for_unsigned(Element element) {
  switch (element) {
    case Element::int8:
    case Element::uint8:
    case Element::byte:
    case Element::bool8:
    case Element::logical8:
      return run<Op, std::uint8_t>;
    case Element::int16:
    case Element::uint16:
    case Element::logical16:
      return run<Op, std::uint16_t>;
    case Element::int32:
    case Element::uint32:
    case Element::logical32:
      return run<Op, std::uint32_t>;
    case Element::int64:
    case Element::uint64:
    case Element::logical64:
      return run<Op, std::uint64_t>;
    case Element::int128:
    case Element::logical128:
      if constexpr (is_baseline) return run<Op, uint128>;
      return nullptr;
    default:
      return nullptr;
  }
}

template <class Op>
Kernel for_order(Element element) {
  switch (without_plain(element)) {
    case Element::int8:
      return run_ordered<Op, std::int8_t>;
    case Element::int16:
      return run_ordered<Op, std::int16_t>;
    case Element::int32:
      return run_ordered<Op, std::int32_t>;
    case Element::int64:
      return run_ordered<Op, std::int64_t>;
    case Element::uint8:
      return run_ordered<Op, std::uint8_t>;
    case Element::uint16:
      return run_ordered<Op, std::uint16_t>;
    case Element::uint32:
      return run_ordered<Op, std::uint32_t>;
    case Element::uint64:
      return run_ordered<Op, std::uint64_t>;
    case Element::int128:
      if constexpr (is_baseline) return run_ordered<Op, int128>;
      return nullptr;
    case Element::float16:
      return run_halves<Op>;
    case Element::float32:
      return run_ordered<Op, float>;
    case Element::float64:
      return run_ordered<Op, double>;
    case Element::long_double:
      if constexpr (is_baseline) return run_ordered<Op, long double>;
      return nullptr;
    case Element::float128:
      if constexpr (is_baseline) return run_ordered<Op, float128>;
      return nullptr;
    default:
      return nullptr;
  }
}

template <class Op>
Kernel for_floats(Element element) {
  switch (element) {
    case Element::float16:
      return run_halves<Op>;
    case Element::float32:
      return run<Op, float>;
    case Element::float64:
      return run<Op, double>;
    case Element::long_double:
      if constexpr (is_baseline) return run<Op, long double>;
      return nullptr;
    case Element::float128:
      if constexpr (is_baseline) return run<Op, float128>;
      return nullptr;
    default:
      return nullptr;
  }
}

Kernel for_complex(bool sum, Element element) {
  switch (element) {
    case Element::complex_half:
      return sum ? sum_complex<float16> : multiply_one_by_one<float16>;
    case Element::complex32:
      return sum ? sum_complex<float> : multiply_complex<float, std::int32_t>;
    case Element::complex64:
      return sum ? sum_complex<double> : multiply_complex<double, std::int64_t>;
    case Element::complex_long_double:
      if constexpr (is_baseline)
        return sum ? sum_complex<long double> : multiply_one_by_one<long double>;
      return nullptr;
    case Element::complex128:
      if constexpr (is_baseline) return sum ? sum_complex<float128> : multiply_one_by_one<float128>;
      return nullptr;
    default:
      return nullptr;
  }
}

template <class Op, class Value>
Kernel for_index(int index) {
  switch (static_cast<Element>(index + static_cast<int>(Element::int8))) {
    case Element::int8:
      return run_pairs<Op, Value, std::int8_t>;
    case Element::int16:
      return run_pairs<Op, Value, std::int16_t>;
    case Element::int32:
      return run_pairs<Op, Value, std::int32_t>;
    case Element::int64:
      return run_pairs<Op, Value, std::int64_t>;
    case Element::uint8:
      return run_pairs<Op, Value, std::uint8_t>;
    case Element::uint16:
      return run_pairs<Op, Value, std::uint16_t>;
    case Element::uint32:
      return run_pairs<Op, Value, std::uint32_t>;
    default:
      return run_pairs<Op, Value, std::uint64_t>;
  }
}

template <class Op>
Kernel for_value(int value, int index) {
  switch (static_cast<Element>(value + static_cast<int>(Element::int8))) {
    case Element::int8:
      return for_index<Op, std::int8_t>(index);
    case Element::int16:
      return for_index<Op, std::int16_t>(index);
    case Element::int32:
      return for_index<Op, std::int32_t>(index);
    case Element::int64:
      return for_index<Op, std::int64_t>(index);
    case Element::uint8:
      return for_index<Op, std::uint8_t>(index);
    case Element::uint16:
      return for_index<Op, std::uint16_t>(index);
    case Element::uint32:
      return for_index<Op, std::uint32_t>(index);
    case Element::uint64:
      return for_index<Op, std::uint64_t>(index);
    case Element::int128:
      return for_index<Op, int128>(index);
    case Element::float16:
      return for_index<Op, float16>(index);
    case Element::float32:
      return for_index<Op, float>(index);
    case Element::float64:
      return for_index<Op, double>(index);
    case Element::long_double:
      return for_index<Op, long double>(index);
    default:
      return for_index<Op, float128>(index);
  }
}

template <class Op>
Kernel for_pairs(Element element) {
  if constexpr (is_baseline) {
    if (element == Element::pair_float_float) return run_pairs<Op, float, float>;
    if (element == Element::pair_double_double) return run_pairs<Op, double, double>;
    int code = static_cast<int>(element) - static_cast<int>(Element::first_pair);
    if (code >= 0 && static_cast<int>(element) < element_count)
      return for_value<Op>(code / 8, code % 8);
  }
  return nullptr;
}

bool is_number(Element element) {
  return element >= Element::int8 && element <= Element::plain_int64;
}

template <class Op>
Kernel for_arithmetic(Element element) {
  Kernel kernel = is_number(element) ? for_unsigned<Op>(without_plain(element)) : nullptr;
  if (!kernel) kernel = for_floats<Op>(element);
  return kernel ? kernel : for_complex(__is_same(Op, Sum), element);
}

// This is for C's integers and the logicals, not for Fortran's integers.
template <class Op>
Kernel for_truth(Element element) {
  bool of_c = element >= Element::int8 && element <= Element::uint64;
  bool logical = element >= Element::bool8 && element <= Element::logical128;
  return of_c || logical ? for_unsigned<Op>(element) : nullptr;
}

template <class Op>
Kernel for_bits(Element element) {
  bool defined = is_number(element) || element == Element::byte;
  return defined ? for_unsigned<Op>(without_plain(element)) : nullptr;
}

}  // namespace

Kernel find_kernel(MPI_Op operation, Element element) {
  if (operation == MPI_SUM) return for_arithmetic<Sum>(element);
  if (operation == MPI_PROD) return for_arithmetic<Product>(element);
  if (operation == MPI_MAX) return for_order<Maximum>(element);
  if (operation == MPI_MIN) return for_order<Minimum>(element);
  if (operation == MPI_LAND) return for_truth<LogicalAnd>(element);
  if (operation == MPI_LOR) return for_truth<LogicalOr>(element);
  if (operation == MPI_LXOR) return for_truth<LogicalXor>(element);
  if (operation == MPI_BAND) return for_bits<BitAnd>(element);
  if (operation == MPI_BOR) return for_bits<BitOr>(element);
  if (operation == MPI_BXOR) return for_bits<BitXor>(element);
  if (operation == MPI_MAXLOC) return for_pairs<MaximumLocation>(element);
  if (operation == MPI_MINLOC) return for_pairs<MinimumLocation>(element);
  return nullptr;
}

}  // namespace baton::datatype::BATON_KERNEL_LEVEL

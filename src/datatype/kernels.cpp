// Kernels of the predefined operations (MPI 5.0, "Predefined Reduction Operations"): which
// operation is defined on which kind of element, and the loops.
#include <cstdint>

#include "datatype/operation.hpp"

namespace baton::datatype {

namespace {

using float16 = _Float16;
using float128 = __float128;
using int128 = __int128;

// Complex numbers of any part type, with what sums and products need.
template <class Part>
struct Complex {
  Part real, imaginary;
  Complex operator+(const Complex& b) const {
    return {static_cast<Part>(real + b.real), static_cast<Part>(imaginary + b.imaginary)};
  }
  Complex operator*(const Complex& b) const {
    return {static_cast<Part>(real * b.real - imaginary * b.imaginary),
            static_cast<Part>(real * b.imaginary + imaginary * b.real)};
  }
};

template <class Value, class Index>
struct ValueIndex {
  Value value;
  Index index;
};

struct Sum {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Product {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a * b);
  }
};
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct LogicalAnd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a && b);
  }
};
struct LogicalOr {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a || b);
  }
};
struct LogicalXor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(!a != !b);
  }
};
struct BitAnd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
// Of equal values the lower index wins, whichever side it comes from.
struct MaximumLocation {
  template <class T>
  static T apply(T a, T b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};
struct MinimumLocation {
  template <class T>
  static T apply(T a, T b) {
    return a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

template <class Op, class T>
void run(const void* in, void* inout, std::int64_t count) {
  auto* a = static_cast<const T*>(in);
  auto* b = static_cast<T*>(inout);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) b[i] = Op::template apply<T>(a[i], b[i]);
}

template <class Op>
Kernel for_integers(Element element) {
  switch (element) {
    case Element::int8:
      return run<Op, std::int8_t>;
    case Element::int16:
      return run<Op, std::int16_t>;
    case Element::int32:
      return run<Op, std::int32_t>;
    case Element::int64:
      return run<Op, std::int64_t>;
    case Element::uint8:
      return run<Op, std::uint8_t>;
    case Element::uint16:
      return run<Op, std::uint16_t>;
    case Element::uint32:
      return run<Op, std::uint32_t>;
    case Element::uint64:
      return run<Op, std::uint64_t>;
    case Element::int128:
      return run<Op, int128>;
    default:
      return nullptr;
  }
}

template <class Op>
Kernel for_floats(Element element) {
  switch (element) {
    case Element::float16:
      return run<Op, float16>;
    case Element::float32:
      return run<Op, float>;
    case Element::float64:
      return run<Op, double>;
    case Element::long_double:
      return run<Op, long double>;
    case Element::float128:
      return run<Op, float128>;
    default:
      return nullptr;
  }
}

template <class Op>
Kernel for_complex(Element element) {
  switch (element) {
    case Element::complex_half:
      return run<Op, Complex<float16>>;
    case Element::complex32:
      return run<Op, Complex<float>>;
    case Element::complex64:
      return run<Op, Complex<double>>;
    case Element::complex_long_double:
      return run<Op, Complex<long double>>;
    case Element::complex128:
      return run<Op, Complex<float128>>;
    default:
      return nullptr;
  }
}

template <class Op>
Kernel for_logicals(Element element) {
  switch (element) {
    case Element::bool8:
      return run<Op, bool>;
    case Element::logical8:
      return run<Op, std::int8_t>;
    case Element::logical16:
      return run<Op, std::int16_t>;
    case Element::logical32:
      return run<Op, std::int32_t>;
    case Element::logical64:
      return run<Op, std::int64_t>;
    case Element::logical128:
      return run<Op, int128>;
    default:
      return nullptr;
  }
}

template <class Op>
Kernel for_pairs(Element element) {
  switch (element) {
    case Element::pair_float_int:
      return run<Op, ValueIndex<float, int>>;
    case Element::pair_double_int:
      return run<Op, ValueIndex<double, int>>;
    case Element::pair_long_int:
      return run<Op, ValueIndex<long, int>>;
    case Element::pair_int_int:
      return run<Op, ValueIndex<int, int>>;
    case Element::pair_short_int:
      return run<Op, ValueIndex<short, int>>;
    case Element::pair_long_double_int:
      return run<Op, ValueIndex<long double, int>>;
    case Element::pair_float_float:
      return run<Op, ValueIndex<float, float>>;
    case Element::pair_double_double:
      return run<Op, ValueIndex<double, double>>;
    default:
      return nullptr;
  }
}

template <class Op>
Kernel for_numbers(Element element) {
  if (Kernel kernel = for_integers<Op>(element)) return kernel;
  return for_floats<Op>(element);
}

template <class Op>
Kernel for_arithmetic(Element element) {
  if (Kernel kernel = for_numbers<Op>(element)) return kernel;
  return for_complex<Op>(element);
}

template <class Op>
Kernel for_truth(Element element) {
  if (Kernel kernel = for_integers<Op>(element)) return kernel;
  return for_logicals<Op>(element);
}

template <class Op>
Kernel for_bits(Element element) {
  if (element == Element::byte) return run<Op, std::uint8_t>;
  return for_integers<Op>(element);
}

}  // namespace

Kernel find_kernel(MPI_Op operation, Element element) {
  if (operation == MPI_SUM) return for_arithmetic<Sum>(element);
  if (operation == MPI_PROD) return for_arithmetic<Product>(element);
  if (operation == MPI_MAX) return for_numbers<Maximum>(element);
  if (operation == MPI_MIN) return for_numbers<Minimum>(element);
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

}  // namespace baton::datatype

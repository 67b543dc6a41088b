// This is arithmetic on sizes and displacements that knows when 64 bits do not hold the result,
// since sizes are products of a program's arguments. It is used while a datatype is made.
#pragma once

#include <cstdint>

namespace baton::datatype {

class Exact {
 public:
  constexpr Exact(std::int64_t number) : value_(number) {}

  friend constexpr Exact operator+(Exact a, Exact b) {
    Exact sum = 0;
    sum.lost_ = __builtin_add_overflow(a.value_, b.value_, &sum.value_) | a.lost_ | b.lost_;
    return sum;
  }
  friend constexpr Exact operator-(Exact a, Exact b) {
    Exact difference = 0;
    difference.lost_ =
        __builtin_sub_overflow(a.value_, b.value_, &difference.value_) | a.lost_ | b.lost_;
    return difference;
  }
  friend constexpr Exact operator*(Exact a, Exact b) {
    Exact product = 0;
    product.lost_ = __builtin_mul_overflow(a.value_, b.value_, &product.value_) | a.lost_ | b.lost_;
    return product;
  }
  // A lost number stays lost with whatever it is compared.
  friend constexpr Exact least(Exact a, Exact b) {
    Exact less = a.value_ < b.value_ ? a : b;
    less.lost_ = a.lost_ | b.lost_;
    return less;
  }
  friend constexpr Exact greatest(Exact a, Exact b) {
    Exact more = a.value_ > b.value_ ? a : b;
    more.lost_ = a.lost_ | b.lost_;
    return more;
  }

  constexpr bool fits() const { return !lost_ && value_ == static_cast<std::int64_t>(value_); }
  // This is the number only where fits() holds; else it is arbitrary.
  constexpr std::int64_t value() const { return static_cast<std::int64_t>(value_); }

 private:
  // The value is twice as wide, so that sums and products which come back into range are not called
  // lost.
  __int128 value_;
  bool lost_ = false;
};

}  // namespace baton::datatype

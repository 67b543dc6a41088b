// A reduction by a device, as plain data: inout[i] = in[i] op inout[i]. datatype/device_reduce.hpp
// makes it of an operation and a datatype; drivers carry it out (ptx.hpp has the code for
// NVIDIA's). Results have the same bits as those of the processor (datatype/kernels.hpp), but for
// which NaN.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

enum class DeviceOperation : std::uint8_t {
  sum,
  product,
  maximum,  // as minimum: when either value is not a number, the right one stays
  minimum,
  logical_and,  // as the other two: the result is 0 or 1
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor,
  maximum_location,  // as minimum_location: among equal values the lower index wins
  minimum_location
};
inline constexpr const char* device_operation_names[] = {
    "sum",         "product", "maximum", "minimum", "logical_and",      "logical_or",
    "logical_xor", "bit_and", "bit_or",  "bit_xor", "maximum_location", "minimum_location"};

enum class DeviceNumber : std::uint8_t {
  none,
  s8,
  s16,
  s32,
  s64,
  u8,
  u16,
  u32,
  u64,
  f16,
  f32,
  f64
};
inline constexpr const char* device_number_names[] = {"",    "s8",  "s16", "s32", "s64", "u8",
                                                      "u16", "u32", "u64", "f16", "f32", "f64"};
inline constexpr std::uint8_t device_number_bytes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};

// An element has one part, or two, as a C struct lays them out: the parts of a complex number in a
// product, else a value and its index.
struct DeviceElement {
  DeviceNumber first = DeviceNumber::none;
  DeviceNumber second = DeviceNumber::none;

  bool operator==(const DeviceElement&) const = default;
  constexpr std::size_t first_bytes() const { return device_number_bytes[static_cast<int>(first)]; }
  constexpr std::size_t second_bytes() const {
    return device_number_bytes[static_cast<int>(second)];
  }
  constexpr std::size_t alignment() const {
    return first_bytes() > second_bytes() ? first_bytes() : second_bytes();
  }
  // Where the second part lies.
  constexpr std::size_t second_at() const {
    return second_bytes() > first_bytes() ? second_bytes() : first_bytes();
  }
  constexpr std::size_t bytes() const {
    if (second == DeviceNumber::none) return first_bytes();
    return (second_at() + second_bytes() + alignment() - 1) / alignment() * alignment();
  }
};

struct DeviceReduction {
  DeviceOperation operation = DeviceOperation::sum;
  DeviceElement element;
  const void* in = nullptr;
  void* inout = nullptr;
  std::int64_t count = 0;
};

// Returns whether devices have the operation on this element.
constexpr bool is_defined(DeviceOperation operation, const DeviceElement& element) {
  const bool is_real = element.first >= DeviceNumber::f16;
  const bool is_pair = element.second != DeviceNumber::none;
  if (element.first == DeviceNumber::none) return false;
  if (operation >= DeviceOperation::maximum_location)
    return is_pair && element.second != DeviceNumber::f16;
  if (is_pair)
    return operation == DeviceOperation::product && element.first == element.second &&
           element.first >= DeviceNumber::f32;
  return !is_real || operation <= DeviceOperation::minimum;
}

}  // namespace baton::platform

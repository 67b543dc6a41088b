#include "datatype/device_reduce.hpp"

#include <optional>

#include "base/settings.hpp"
#include "datatype/host_copy.hpp"
#include "platform/device/device_reduce.hpp"

namespace baton::datatype {

namespace {

using platform::DeviceElement;
using platform::DeviceNumber;
using platform::DeviceOperation;

// Returns the number that is a kind of element; none: devices have no such number, or it is none.
DeviceNumber number_of(Element element) {
  switch (without_plain(element)) {
    case Element::int8:
      return DeviceNumber::s8;
    case Element::int16:
      return DeviceNumber::s16;
    case Element::int32:
      return DeviceNumber::s32;
    case Element::int64:
      return DeviceNumber::s64;
    case Element::uint8:
    case Element::bool8:
    case Element::logical8:
    case Element::byte:
      return DeviceNumber::u8;
    case Element::uint16:
    case Element::logical16:
      return DeviceNumber::u16;
    case Element::uint32:
    case Element::logical32:
      return DeviceNumber::u32;
    case Element::uint64:
    case Element::logical64:
      return DeviceNumber::u64;
    case Element::text8:
      return char(-1) < 0 ? DeviceNumber::s8 : DeviceNumber::u8;
    case Element::float16:
      return DeviceNumber::f16;
    case Element::float32:
      return DeviceNumber::f32;
    case Element::float64:
      return DeviceNumber::f64;
    default:
      return DeviceNumber::none;
  }
}

std::optional<DeviceOperation> operation_of(MPI_Op handle) {
  const struct {
    MPI_Op handle;
    DeviceOperation operation;
  } rows[] = {{MPI_SUM, DeviceOperation::sum},
              {MPI_PROD, DeviceOperation::product},
              {MPI_MAX, DeviceOperation::maximum},
              {MPI_MIN, DeviceOperation::minimum},
              {MPI_LAND, DeviceOperation::logical_and},
              {MPI_LOR, DeviceOperation::logical_or},
              {MPI_LXOR, DeviceOperation::logical_xor},
              {MPI_BAND, DeviceOperation::bit_and},
              {MPI_BOR, DeviceOperation::bit_or},
              {MPI_BXOR, DeviceOperation::bit_xor},
              {MPI_MAXLOC, DeviceOperation::maximum_location},
              {MPI_MINLOC, DeviceOperation::minimum_location}};
  for (const auto& row : rows)
    if (row.handle == handle) return row.operation;
  return std::nullopt;
}

// Returns a number whose parts pairs and complex numbers have.
DeviceElement pair_of_numbers(Element first, Element second) {
  return {number_of(first), number_of(second)};
}

DeviceElement element_of(Element element) {
  switch (element) {
    case Element::complex_half:
      return pair_of_numbers(Element::float16, Element::float16);
    case Element::complex32:
    case Element::pair_float_float:
      return pair_of_numbers(Element::float32, Element::float32);
    case Element::complex64:
    case Element::pair_double_double:
      return pair_of_numbers(Element::float64, Element::float64);
    default:
      break;
  }
  if (!is_pair(element)) return {number_of(element), DeviceNumber::none};
  const int code = static_cast<int>(element) - static_cast<int>(Element::first_pair);
  const int first = static_cast<int>(Element::int8);
  return pair_of_numbers(static_cast<Element>(first + code / 8),
                         static_cast<Element>(first + code % 8));
}

// Finds the reduction by a device that does what the operation does on `count` elements of the
// type.
bool find_reduction(const Operation& operation, const Datatype& type, std::int64_t count,
                    platform::DeviceReduction& reduction) {
  if (!operation.predefined || !type.predefined || !kernel_of(operation, type)) return false;
  const std::optional<DeviceOperation> found = operation_of(operation.handle);
  if (!found) return false;
  DeviceElement element = element_of(type.element);
  const bool is_complex = !is_pair(type.element) && element.second != DeviceNumber::none;
  // The sum of complex numbers is that of their parts.
  const bool by_parts = is_complex && *found == DeviceOperation::sum;
  if (by_parts) element.second = DeviceNumber::none;
  reduction.operation = *found;
  reduction.element = element;
  const std::int64_t parts = by_parts ? 2 : 1;
  reduction.count = parts * count;
  return is_defined(*found, element) &&
         parts * static_cast<std::int64_t>(element.bytes()) == type.extent;
}

}  // namespace

bool devices_reduce(const Operation& operation, const Datatype& type) {
  platform::DeviceReduction reduction;
  return find_reduction(operation, type, 1, reduction);
}

Error reduce_anywhere(const Operation& operation, const void* in, void* inout, std::int64_t count,
                      const Datatype& type) {
  platform::DeviceReduction reduction;
  if (BATON_UNLIKELY(platform::memory_kinds.any()) && count * type.size > 0 &&
      count * type.size >= settings.device_bytes_min &&
      find_reduction(operation, type, count, reduction)) {
    reduction.in = in;
    reduction.inout = inout;
    if (platform::reduce_on_device(reduction)) return MPI_SUCCESS;
  }
  const HostCopy given(type, in, count, true);
  HostCopy result(type, inout, count, true);
  if (!given.has_memory() || !result.has_memory())
    return fail(MPI_ERR_NO_MEM, "no memory for copies of the operands in host memory");
  reduce(operation, given.address(), result.address(), count, type);
  result.bring_back();
  return MPI_SUCCESS;
}

}  // namespace baton::datatype

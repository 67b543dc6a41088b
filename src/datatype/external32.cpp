#include "datatype/external32.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "datatype/elements.hpp"
#include "datatype/pack.hpp"

namespace baton::datatype {

namespace {

static_assert(std::endian::native == std::endian::little);

// This says how one basic type is written: `numbers` of `native` bytes each become as many of
// `external`.
struct Format {
  enum class Rule { reversed, signed_narrowed, unsigned_narrowed, widened_float };
  Rule rule;
  int numbers;
  int native;
  int external;
};

Format format_of(const Datatype& basic) {
  using Rule = Format::Rule;
  int size = static_cast<int>(basic.size);
  // These types have another size: the standard's table has 4 bytes for long and 2 for wchar_t.
  if (basic.handle == MPI_LONG) return {Rule::signed_narrowed, 1, size, 4};
  if (basic.handle == MPI_UNSIGNED_LONG) return {Rule::unsigned_narrowed, 1, size, 4};
  if (basic.handle == MPI_WCHAR) return {Rule::unsigned_narrowed, 1, size, 2};
  switch (basic.element) {
    case Element::long_double:
      return {Rule::widened_float, 1, size, 16};
    case Element::complex_long_double:
      return {Rule::widened_float, 2, size / 2, 16};
    case Element::complex32:
    case Element::complex64:
    case Element::complex128:
    case Element::complex_half:
      return {Rule::reversed, 2, size / 2, size / 2};
    default:
      return {Rule::reversed, 1, size, size};
  }
}

void reverse_bytes(const char* from, char* to, int bytes) {
  for (int i = 0; i < bytes; ++i) to[i] = from[bytes - 1 - i];
}

template <class Number, Number (*swap)(Number)>
void reverse_all(const char* from, char* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    Number number;
    std::memcpy(&number, from + i * static_cast<std::int64_t>(sizeof number), sizeof number);
    number = swap(number);
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof number), &number, sizeof number);
  }
}
std::uint16_t swap16(std::uint16_t n) {
  return __builtin_bswap16(n);
}
std::uint32_t swap32(std::uint32_t n) {
  return __builtin_bswap32(n);
}
std::uint64_t swap64(std::uint64_t n) {
  return __builtin_bswap64(n);
}

void reverse_numbers(const char* from, char* to, int size, std::int64_t count) {
  switch (size) {
    case 1:
      std::memcpy(to, from, static_cast<std::size_t>(count));
      break;
    case 2:
      return reverse_all<std::uint16_t, swap16>(from, to, count);
    case 4:
      return reverse_all<std::uint32_t, swap32>(from, to, count);
    case 8:
      return reverse_all<std::uint64_t, swap64>(from, to, count);
    default:
      for (std::int64_t i = 0; i < count; ++i) reverse_bytes(from + i * size, to + i * size, size);
  }
}

Error does_not_fit(const Datatype& basic, int bytes) {
  return fail(MPI_ERR_CONVERSION,
              "a value of %s does not fit the %d bytes that external32 has for "
              "it; use a type with more, such as MPI_INT64_T",
              basic.name, bytes);
}

// Shortens little-endian integers to big-endian ones.
Error narrow(const Datatype& basic, const Format& format, const char* from, char* to,
             std::int64_t count) {
  bool is_signed = format.rule == Format::Rule::signed_narrowed;
  for (std::int64_t i = 0; i < count; ++i) {
    const char* number = from + i * format.native;
    char filler = is_signed && number[format.external - 1] < 0 ? '\xff' : '\0';
    for (int k = format.external; k < format.native; ++k)
      if (number[k] != filler) return does_not_fit(basic, format.external);
    reverse_bytes(number, to + i * format.external, format.external);
  }
  return MPI_SUCCESS;
}

void widen(const Format& format, const char* from, char* to, std::int64_t count) {
  bool is_signed = format.rule == Format::Rule::signed_narrowed;
  for (std::int64_t i = 0; i < count; ++i) {
    const char* number = from + i * format.external;
    char* wide = to + i * format.native;
    std::memset(wide, is_signed && number[0] < 0 ? 0xff : 0,
                static_cast<std::size_t>(format.native));
    reverse_bytes(number, wide, format.external);
  }
}

// These convert the processor's long double to and from the IEEE format of 16 bytes.
void encode_long_double(const char* from, char* to) {
  long double number;
  std::memcpy(&number, from, sizeof number);
  __float128 quad = number;
  reverse_bytes(reinterpret_cast<const char*>(&quad), to, sizeof quad);
}
void decode_long_double(const char* from, char* to) {
  __float128 quad;
  reverse_bytes(from, reinterpret_cast<char*>(&quad), sizeof quad);
  auto number = static_cast<long double>(quad);
  std::memcpy(to, &number, sizeof number);
}

Error encode(const Datatype& basic, const Format& format, const char* from, char* to,
             std::int64_t elements) {
  std::int64_t count = elements * format.numbers;
  switch (format.rule) {
    case Format::Rule::reversed:
      reverse_numbers(from, to, format.native, count);
      return MPI_SUCCESS;
    case Format::Rule::widened_float:
      for (std::int64_t i = 0; i < count; ++i)
        encode_long_double(from + i * format.native, to + i * format.external);
      return MPI_SUCCESS;
    default:
      return narrow(basic, format, from, to, count);
  }
}

void decode(const Format& format, const char* from, char* to, std::int64_t elements) {
  std::int64_t count = elements * format.numbers;
  switch (format.rule) {
    case Format::Rule::reversed:
      return reverse_numbers(from, to, format.native, count);
    case Format::Rule::widened_float:
      for (std::int64_t i = 0; i < count; ++i)
        decode_long_double(from + i * format.external, to + i * format.native);
      return;
    default:
      return widen(format, from, to, count);
  }
}

// This holds the elements as this machine packs them, some at a time.
struct Bounce {
  static constexpr std::int64_t space = 4096;
  const Datatype& type;
  char* buffer;
  char* external;           // where the next element is read or written
  std::int64_t total;       // packed bytes of all elements
  std::int64_t left = 0;    // external bytes that there are, unpacking only
  std::int64_t begin = 0;   // packed bytes before this bounce
  std::int64_t used = 0;    // bytes taken out (packing) or put in (unpacking)
  std::int64_t filled = 0;  // bytes in it, packing only
  char bytes[space] = {};
};

Error encode_run(void* taker, const Datatype& basic, std::int64_t elements) {
  Bounce& bounce = *static_cast<Bounce*>(taker);
  Format format = format_of(basic);
  while (elements > 0) {
    if (bounce.filled - bounce.used < basic.size) {
      bounce.begin += bounce.used;
      bounce.used = 0;
      bounce.filled = std::min(Bounce::space, bounce.total - bounce.begin);
      pack(bounce.type, bounce.buffer, bounce.begin, bounce.bytes, bounce.filled);
    }
    std::int64_t here = std::min(elements, (bounce.filled - bounce.used) / basic.size);
    if (Error error = encode(basic, format, bounce.bytes + bounce.used, bounce.external, here))
      return error;
    bounce.used += here * basic.size;
    bounce.external += here * format.numbers * format.external;
    elements -= here;
  }
  return MPI_SUCCESS;
}

void flush(Bounce& bounce) {
  unpack(bounce.type, bounce.buffer, bounce.begin, bounce.bytes, bounce.used);
  bounce.begin += bounce.used;
  bounce.used = 0;
}

// No error: it ends the walk.
constexpr Error end_of_data = MPI_ERR_TRUNCATE;

Error decode_run(void* taker, const Datatype& basic, std::int64_t elements) {
  Bounce& bounce = *static_cast<Bounce*>(taker);
  Format format = format_of(basic);
  const std::int64_t each = std::int64_t{format.numbers} * format.external;
  while (elements > 0) {
    if (bounce.left < each) return end_of_data;
    if (Bounce::space - bounce.used < basic.size) flush(bounce);
    std::int64_t here =
        std::min({elements, (Bounce::space - bounce.used) / basic.size, bounce.left / each});
    decode(format, bounce.external, bounce.bytes + bounce.used, here);
    bounce.used += here * basic.size;
    bounce.external += here * each;
    bounce.left -= here * each;
    elements -= here;
  }
  return MPI_SUCCESS;
}

}  // namespace

std::int64_t external_size(const Datatype& type) {
  if (type.size == 0) return 0;
  if (type.basic) {
    Format format = format_of(*type.basic);
    return type.elements * format.numbers * format.external;
  }
  std::int64_t bytes = 0;
  for (std::int64_t i = 0, children = child_count(type); i < children; ++i) {
    Child child = child_at(type, i);
    bytes += child.count * external_size(*child.type);
  }
  return bytes;
}

Error pack_external(const Datatype& type, std::int64_t count, const void* buffer, void* packed) {
  Bounce bounce{type, static_cast<char*>(const_cast<void*>(buffer)), static_cast<char*>(packed),
                count * type.size};
  return for_each_run(type, count, encode_run, &bounce);
}

Error unpack_external(const Datatype& type, std::int64_t count, void* buffer, const void* packed) {
  std::int64_t taken, filled;
  return unpack_external_part(type, count, buffer, packed, INT64_MAX, &taken, &filled);
}

Error unpack_external_part(const Datatype& type, std::int64_t count, void* buffer,
                           const void* packed, std::int64_t available, std::int64_t* taken,
                           std::int64_t* filled) {
  Bounce bounce{.type = type,
                .buffer = static_cast<char*>(buffer),
                .external = static_cast<char*>(const_cast<void*>(packed)),
                .total = count * type.size,
                .left = available};
  const Error error = for_each_run(type, count, decode_run, &bounce);
  if (error && error != end_of_data) return error;
  flush(bounce);
  *taken = available - bounce.left;
  *filled = bounce.begin;
  return MPI_SUCCESS;
}

}  // namespace baton::datatype

#include "datatype/type_signature.hpp"

#include <cinttypes>
#include <cstdio>

#include "datatype/contents.hpp"
#include "datatype/elements.hpp"

namespace baton::datatype {

namespace {

constexpr std::uint64_t base = 0x9e3779b97f4a7c15u;   // odd, so that no power is 0
constexpr std::uint64_t predefined_handles = 0x1000;  // basic types below are the ABI's handles

// Returns a number whose bits depend on all bits of `value` (the finalizer of splitmix64).
std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// Returns a number that is equal in every process: the ABI's value, or the arguments of a Fortran
// kind.
std::uint64_t code_of(const Datatype& type) {
  if (!type.contents) return reinterpret_cast<std::uint64_t>(type.handle);
  auto code = static_cast<std::uint64_t>(type.contents->combiner);
  for (std::int64_t i = 0; i < type.contents->integer_count; ++i)
    code = scramble(code + static_cast<std::uint64_t>(type.contents->integers[i]));
  return code | predefined_handles;
}

}  // namespace

Signature basic_signature(const Datatype& type) {
  if (is_pair(type)) {
    PairHalves halves = pair_halves(type);
    return basic_signature(*halves.value).then(basic_signature(*halves.index));
  }
  Signature one;
  one.basic = code_of(type);
  one.hash = scramble(one.basic);
  one.power = base;
  one.elements = 1;
  one.bytes = type.size;
  one.untyped = type.handle == MPI_BYTE || type.handle == MPI_PACKED;
  return one;
}

Signature signature_of_parts(const Datatype& type) {
  Signature all;
  if (type.size == 0) return all;
  if (type.basic) return type.basic->signature.times(type.elements);
  const Contents& contents = *type.contents;
  if (contents.combiner != MPI_COMBINER_STRUCT) {
    const Datatype& old = *contents.types[0];
    return old.signature.times(type.size / old.size);
  }
  ArgumentReader read(contents);
  read.count();
  const Numbers lengths = read.counts(contents.type_count);
  for (std::int64_t i = 0; i < contents.type_count; ++i)
    all = all.then(contents.types[i]->signature.times(lengths[i]));
  return all;
}

SignatureWords::SignatureWords(const Signature& signature) {
  const Datatype* basic = signature.basic && signature.basic < predefined_handles
                              ? datatypes.find(reinterpret_cast<MPI_Datatype>(signature.basic))
                              : nullptr;
  const char* name = basic             ? basic->name
                     : signature.basic ? "elements of a Fortran kind"
                                       : "elements of several types";
  if (signature.elements == 0)
    std::snprintf(text, sizeof text, "no data");
  else
    std::snprintf(text, sizeof text, "%" PRId64 " %s (%" PRId64 " bytes)", signature.elements, name,
                  signature.bytes);
}

}  // namespace baton::datatype

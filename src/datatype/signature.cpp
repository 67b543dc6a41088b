#include "datatype/signature.hpp"

namespace baton::datatype {

Signature Signature::then(const Signature& next) const {
  if (next.elements == 0) return *this;
  if (elements == 0) return next;
  Signature both;
  both.hash = hash * next.power + next.hash;
  both.power = power * next.power;
  both.elements = elements + next.elements;
  both.bytes = bytes + next.bytes;
  both.basic = basic == next.basic ? basic : 0;
  both.untyped = untyped || next.untyped;
  return both;
}

Signature Signature::times(std::int64_t count) const {
  Signature all, doubled = *this;
  for (; count > 0; count >>= 1) {
    if (count & 1) all = all.then(doubled);
    if (count > 1) doubled = doubled.then(doubled);
  }
  return all;
}

bool Signature::matches(const Signature& other) const {
  if (bytes != other.bytes) return false;
  if (untyped || other.untyped) return true;
  return elements == other.elements && hash == other.hash;
}

}  // namespace baton::datatype

// MPI_MAXLOC and MPI_MINLOC on the pairs that have no name (MPI_Type_get_value_index): any value
// that has an order with any integer as its index, laid out as C lays out a struct of the two.
#include <cstdint>
#include <type_traits>

#include "datatype/elements.hpp"
#include "datatype/operation.hpp"

namespace baton::datatype {

namespace {

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

// Of equal values the lower index wins, whichever side it comes from.
template <class Value, class Index, bool greatest>
void locate(const void* in, void* inout, std::int64_t count) {
  auto* a = static_cast<const Pair<Value, Index>*>(in);
  auto* b = static_cast<Pair<Value, Index>*>(inout);
  for (std::int64_t i = 0; i < count; ++i) {
    bool better = greatest ? a[i].value > b[i].value : a[i].value < b[i].value;
    if (better || (a[i].value == b[i].value && a[i].index < b[i].index)) b[i] = a[i];
  }
}

// Calls `use` with the C++ type of an element; null for those without an order.
template <class Use>
Kernel with_integer(Element element, Use use) {
  switch (element) {
    case Element::int8:
      return use(std::type_identity<std::int8_t>{});
    case Element::int16:
      return use(std::type_identity<std::int16_t>{});
    case Element::int32:
      return use(std::type_identity<std::int32_t>{});
    case Element::int64:
      return use(std::type_identity<std::int64_t>{});
    case Element::uint8:
      return use(std::type_identity<std::uint8_t>{});
    case Element::uint16:
      return use(std::type_identity<std::uint16_t>{});
    case Element::uint32:
      return use(std::type_identity<std::uint32_t>{});
    case Element::uint64:
      return use(std::type_identity<std::uint64_t>{});
    case Element::int128:
      return use(std::type_identity<__int128>{});
    default:
      return nullptr;
  }
}

template <class Use>
Kernel with_value(Element element, Use use) {
  switch (element) {
    case Element::float16:
      return use(std::type_identity<_Float16>{});
    case Element::float32:
      return use(std::type_identity<float>{});
    case Element::float64:
      return use(std::type_identity<double>{});
    case Element::long_double:
      return use(std::type_identity<long double>{});
    case Element::float128:
      return use(std::type_identity<__float128>{});
    default:
      return with_integer(element, use);
  }
}

}  // namespace

Kernel find_pair_kernel(MPI_Op operation, Element value, Element index) {
  bool greatest = operation == MPI_MAXLOC;
  if (!greatest && operation != MPI_MINLOC) return nullptr;
  return with_value(value, [=]<class Value>(std::type_identity<Value>) {
    return with_integer(index, [=]<class Index>(std::type_identity<Index>) -> Kernel {
      return greatest ? locate<Value, Index, true> : locate<Value, Index, false>;
    });
  });
}

}  // namespace baton::datatype

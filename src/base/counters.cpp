#include "base/counters.hpp"

namespace baton {

std::span<const CounterRow> counter_rows() {
  static constexpr CounterRow rows[] = {
#define BATON_COUNTER_ROW(name, part, what) {#name, what, &Counters::name},
      BATON_COUNTERS(BATON_COUNTER_ROW)
#undef BATON_COUNTER_ROW
  };
  return rows;
}

}  // namespace baton

#include "launch/reports/explain_collectives.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/selection.hpp"
#include "launch/reports/size_text.hpp"
#include "lockfree/room_size.hpp"

namespace baton::launch {

namespace {

// A measured choice says where and when; a refused one says how much is left.
std::string words_of(Algorithm algorithm, ChoiceReason reason, const CollectiveCounts& sum,
                     std::uint32_t ranks) {
  std::string words = choice_rows[static_cast<int>(reason)].words;
  if (reason == ChoiceReason::pool_in_use)
    return words + fmt::format(" ({} MiB, in use by {} communicators and persistent collectives)",
                               lockfree::room_pool_bytes(ranks) >> 20, sum.rooms_in_pool);
  if (reason != ChoiceReason::measured && reason != ChoiceReason::measured_elsewhere) return words;
  for (const SelectionRow& row : default_selection())
    if (row.algorithm == algorithm && row.source == SelectionSource::measured)
      return words +
             (reason == ChoiceReason::measured       ? ": "
              : row.measured == Load::oversubscribed ? " where ranks outnumber CPUs: "
                                                     : " where ranks have a CPU each: ") +
             row.where;
  return words;
}

// Calls `act` for each combination of kind, size, algorithm and reason that occurred.
template <class Do>
void each(const CollectiveCounts& sum, Do&& act) {
  for (int kind = 0; kind < collective_kind_count; ++kind)
    for (int size = 0; size < size_class_count; ++size)
      for (int i = 0; i < algorithm_count; ++i) {
        if (static_cast<int>(algorithm_rows[i].kind) != kind) continue;
        for (int reason = 0; reason < choice_count; ++reason)
          if (std::uint64_t calls = sum.calls[i][reason][size])
            act(kind, size, static_cast<Algorithm>(i), static_cast<ChoiceReason>(reason), calls);
      }
}

}  // namespace

std::string collectives_text(const CollectiveCounts& sum, std::uint32_t ranks) {
  std::string text;
  int last_kind = -1;
  each(sum, [&](int kind, int size, Algorithm algorithm, ChoiceReason reason, std::uint64_t calls) {
    if (text.empty())
      text = "which algorithms collectives used (what a rank contributes, calls):\n";
    if (kind != last_kind) text += fmt::format("  {}:\n", collective_kind_names[kind]);
    last_kind = kind;
    fmt::format_to(std::back_inserter(text), "    {:<12} {:<28} {:>12}  {}\n", size_text(size),
                   row_of(algorithm).name, calls, words_of(algorithm, reason, sum, ranks));
  });
  return text;
}

std::string collectives_json(const CollectiveCounts& sum, std::uint32_t ranks) {
  std::string json = "[";
  each(sum, [&](int kind, int size, Algorithm algorithm, ChoiceReason reason, std::uint64_t calls) {
    if (json.back() != '[') json += ", ";
    const bool bounded = size < size_class_count - 1;
    fmt::format_to(
        std::back_inserter(json),
        R"({{"kind": "{}", "bytes_min": {}, "bytes_max": {}, "algorithm": "{}", "calls": {}, )"
        R"("reason": "{}", "words": "{}"}})",
        collective_kind_names[kind], size ? size_class_limit(size - 1) + 1 : 0,
        bounded ? std::to_string(size_class_limit(size)) : "null", row_of(algorithm).name, calls,
        choice_rows[static_cast<int>(reason)].name, words_of(algorithm, reason, sum, ranks));
  });
  return json + "]";
}

}  // namespace baton::launch

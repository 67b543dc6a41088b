// This makes the text of mpiexec --stats, and its JSON.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "launch/reports/size_text.hpp"
#include "launch/reports/stats.hpp"

namespace baton::launch {

namespace {

using nlohmann::ordered_json;
using status::PeerTotals;
using status::TimedCallRow;

constexpr std::size_t rows_shown = 12;

template <class... Values>
void line(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  text += '\n';
}

void more(std::string& text, std::size_t all) {
  if (all > rows_shown) line(text, "    and {} more (--stats=json has all)", all - rows_shown);
}

std::string head_text(const JobStats& stats, const JobTimes& times) {
  std::string text;
  line(text,
       "mpiexec: where the time went: {} ranks, {} from the first one's MPI_Init to the last "
       "one's MPI_Finalize",
       times.here().size(), seconds_text(stats.wall));
  line(text,
       "  in MPI {:.1f} % of the ranks' time: waiting for others {:.1f} %, moving data and all "
       "else {:.1f} %",
       percent(stats.mpi.seconds, stats.run), percent(stats.mpi.waiting, stats.run),
       percent(stats.mpi.seconds - stats.mpi.waiting, stats.run));
  return text;
}

std::string ranks_text(const JobTimes& times) {
  std::string text;
  line(text, "  by rank:{:>14}{:>10}{:>10}{:>10}", "run", "in MPI", "waiting", "MPI_Init");
  const std::vector<int> here = times.here();
  std::vector<std::size_t> order(here.begin(), here.end());
  const bool all = order.size() <= rows_shown;
  auto share = [&](std::size_t rank) {
    return percent(times.ranks[rank].all().seconds, times.ranks[rank].run());
  };
  if (!all) {  // only ranks with the most and the least time in MPI
    std::ranges::stable_sort(order, std::greater{}, share);
    order.erase(order.begin() + rows_shown / 2, order.end() - rows_shown / 2);
  }
  for (const std::size_t rank : order) {
    const RankTimes& of = times.ranks[rank];
    const CallTotals sum = of.all();
    line(text, "    {:<6}{:>14}{:>8.1f} %{:>8.1f} %{:>10}", rank, seconds_text(of.run()),
         percent(sum.seconds, of.run()), percent(sum.waiting, of.run()),
         seconds_text(of.initializing));
  }
  if (!all)
    line(text, "    the {} most and the {} least in MPI (--stats=json has all)", rows_shown / 2,
         rows_shown / 2);
  return text;
}

std::string calls_text(const JobStats& stats) {
  std::string text;
  line(text, "  by call:{:>33}{:>11}{:>9}{:>9}{:>11}{:>11}{:>11}", "calls", "of the run", "waiting",
       "mean", "longest", "data", "");
  for (std::size_t i = 0; i < std::min(rows_shown, stats.calls.size()); ++i) {
    const JobStats::Call& call = stats.calls[i];
    line(text, "    {:<28}{:>9}{:>9.2f} %{:>7.2f} %{:>10}{:>11}{:>11}", call.name, call.all.calls,
         percent(call.all.seconds, stats.run), percent(call.all.waiting, stats.run),
         seconds_text(call.all.seconds /
                      static_cast<double>(std::max<std::uint64_t>(call.all.calls, 1))),
         seconds_text(call.all.longest), bytes_text(static_cast<double>(call.all.bytes)));
  }
  more(text, stats.calls.size());
  return text;
}

std::string sizes_text(const JobStats& stats) {
  struct Row {
    const JobStats::Call* call;
    int size;
    const CallTotals& totals() const { return call->sizes[static_cast<std::size_t>(size)]; }
  };
  std::vector<Row> rows;
  for (const JobStats::Call& call : stats.calls)
    for (int size = 1; size < lockfree::timed_sizes; ++size)
      if (Row row{&call, size}; row.totals().calls) rows.push_back(row);
  if (rows.empty()) return "";
  std::ranges::stable_sort(rows, std::greater{},
                           [](const Row& row) { return row.totals().seconds; });
  std::string text;
  line(text, "  by size of the data:{:>25}{:>11}{:>9}{:>9}{:>11}", "calls", "of the run", "waiting",
       "mean", "data");
  for (std::size_t i = 0; i < std::min(rows_shown, rows.size()); ++i) {
    const CallTotals& totals = rows[i].totals();
    line(text, "    {:<28}{:<13}{:>9}{:>9.2f} %{:>7.2f} %{:>10}{:>11}", rows[i].call->name,
         timed_size_text(rows[i].size), totals.calls, percent(totals.seconds, stats.run),
         percent(totals.waiting, stats.run),
         seconds_text(totals.seconds / static_cast<double>(totals.calls)),
         bytes_text(static_cast<double>(totals.bytes)));
  }
  more(text, rows.size());
  return text;
}

std::string pairs_text(const JobStats& stats) {
  if (stats.pairs.empty()) return "";
  std::string text;
  line(text, "  by pair of ranks:{:>17}{:>12}   receiver waited for the sender", "messages",
       "data");
  for (std::size_t i = 0; i < std::min(rows_shown, stats.pairs.size()); ++i) {
    const JobStats::Pair& pair = stats.pairs[i];
    line(text, "    {:<18}{:>13}{:>12}   {}", fmt::format("{} -> {}", pair.from, pair.to),
         pair.messages, bytes_text(static_cast<double>(pair.bytes)), seconds_text(pair.waiting));
  }
  more(text, stats.pairs.size());
  return text;
}

std::string imbalance_text(const JobStats& stats) {
  if (stats.imbalances.empty()) return "";
  std::string text;
  line(text, "  how unevenly ranks come to collective calls (first to last):");
  for (std::size_t i = 0; i < std::min(rows_shown, stats.imbalances.size()); ++i) {
    const Imbalance& row = stats.imbalances[i];
    line(text,
         "    {:<22} on {}: {} calls, {} on average, {} at most, {:.2f} % of the run; rank {} "
         "was last in {:.0f} %",
         row.call, row.communicator, row.calls, seconds_text(row.spread_mean),
         seconds_text(row.spread_most), percent(row.lost, stats.run), row.last_rank,
         100 * row.last_share);
  }
  more(text, stats.imbalances.size());
  return text;
}

ordered_json totals_json(const CallTotals& totals) {
  return {{"calls", totals.calls},
          {"seconds", totals.seconds},
          {"waiting_seconds", totals.waiting},
          {"longest_seconds", totals.longest},
          {"bytes", totals.bytes}};
}

ordered_json sizes_json(const CallSizes& sizes) {
  ordered_json rows = ordered_json::array();
  for (int size = 0; size < lockfree::timed_sizes; ++size) {
    const CallTotals& totals = sizes[static_cast<std::size_t>(size)];
    if (totals.calls == 0) continue;
    ordered_json row = totals_json(totals);
    row["size"] = timed_size_text(size);
    rows.push_back(row);
  }
  return rows;
}

ordered_json rank_json(const RankTimes& rank, std::size_t number) {
  const CallTotals sum = rank.all();
  ordered_json object{{"rank", number},
                      {"began", rank.began},
                      {"ended", rank.ended},
                      {"begin_seconds", rank.begin},
                      {"run_seconds", rank.run()},
                      {"mpi_seconds", sum.seconds},
                      {"waiting_seconds", sum.waiting},
                      {"initializing_seconds", rank.initializing},
                      {"calls", ordered_json::array()},
                      {"peers", ordered_json::array()}};
  for (const TimedCallRow& row : rank.calls)
    object["calls"].push_back({{"name", row.name}, {"sizes", sizes_json(row.sizes)}});
  for (const PeerTotals& peer : rank.peers)
    object["peers"].push_back({{"rank", peer.peer},
                               {"sent_messages", peer.sent_messages},
                               {"sent_bytes", peer.sent_bytes},
                               {"received_messages", peer.received_messages},
                               {"received_bytes", peer.received_bytes},
                               {"waiting_seconds", peer.waiting}});
  return object;
}

}  // namespace

std::string stats_text(const JobStats& stats, const JobTimes& times) {
  std::string text = head_text(stats, times);
  if (stats.mpi.calls > 0)
    text += ranks_text(times) + calls_text(stats) + sizes_text(stats) + pairs_text(stats) +
            imbalance_text(stats);
  for (const std::string& note : stats.notes) line(text, "  note: {}", note);
  return text;
}

std::string stats_json(const JobStats& stats, const JobTimes& times) {
  ordered_json object{{"program", stats.program},
                      {"wall_seconds", stats.wall},
                      {"rank_seconds", stats.run},
                      {"mpi", totals_json(stats.mpi)},
                      {"notes", stats.notes},
                      {"calls", ordered_json::array()},
                      {"imbalances", ordered_json::array()},
                      {"ranks", ordered_json::array()}};
  for (const JobStats::Call& call : stats.calls) {
    ordered_json row{{"name", call.name}};
    row.update(totals_json(call.all));
    row["sizes"] = sizes_json(call.sizes);
    object["calls"].push_back(row);
  }
  for (const Imbalance& row : stats.imbalances)
    object["imbalances"].push_back({{"call", row.call},
                                    {"communicator", row.communicator},
                                    {"calls", row.calls},
                                    {"spread_mean_seconds", row.spread_mean},
                                    {"spread_most_seconds", row.spread_most},
                                    {"lost_rank_seconds", row.lost},
                                    {"last_rank", row.last_rank},
                                    {"last_share", row.last_share}});
  if (!stats.host.empty()) object["host"] = stats.host;
  for (const int number : times.here()) {
    const auto rank = static_cast<std::size_t>(number);
    object["ranks"].push_back(rank_json(times.ranks[rank], rank));
  }
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace baton::launch

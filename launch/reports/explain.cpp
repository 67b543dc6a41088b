#include "launch/reports/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "launch/reports/explain_collectives.hpp"
#include "launch/reports/explain_files.hpp"
#include "launch/reports/explain_windows.hpp"
#include "launch/reports/json_text.hpp"
#include "launch/reports/size_text.hpp"

namespace baton::launch {

namespace {

struct Total {
  std::uint64_t sum = 0;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  void add(std::uint64_t value) {
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

Total total_of(std::span<const RankReport> ranks, const CounterRow& counter) {
  Total total;
  for (const RankReport& rank : ranks) total.add(rank.counters.*counter.field);
  return total;
}

Tally way_of(const TrafficRecord& record, int way) {
  Tally sum;
  for (const auto& peer_class : record.tally)
    for (const Tally& tally : peer_class[way]) {
      sum.messages += tally.messages;
      sum.bytes += tally.bytes;
    }
  return sum;
}

void add(TrafficRecord& sum, const TrafficRecord& record) {
  sum.published += record.published;
  for (int peer_class = 0; peer_class < peer_class_count; ++peer_class)
    for (int size = 0; size < size_class_count; ++size) {
      for (int way = 0; way < way_count; ++way) {
        sum.tally[peer_class][way][size].messages += record.tally[peer_class][way][size].messages;
        sum.tally[peer_class][way][size].bytes += record.tally[peer_class][way][size].bytes;
      }
      sum.observed[peer_class][size].warm += record.observed[peer_class][size].warm;
      sum.observed[peer_class][size].cold += record.observed[peer_class][size].cold;
      for (int reason = 0; reason < reason_count; ++reason)
        sum.reasons.messages[peer_class][reason][size] +=
            record.reasons.messages[peer_class][reason][size];
    }
  add_counts(sum.one_sided, record.one_sided);
  if (record.probe_errno) sum.probe_errno = record.probe_errno;
  sum.collectives.rooms_in_pool =
      std::max(sum.collectives.rooms_in_pool, record.collectives.rooms_in_pool);
  for (int algorithm = 0; algorithm < algorithm_count; ++algorithm)
    for (int reason = 0; reason < choice_count; ++reason)
      for (int size = 0; size < size_class_count; ++size)
        sum.collectives.calls[algorithm][reason][size] +=
            record.collectives.calls[algorithm][reason][size];
}

TrafficRecord sum_of(std::span<const RankReport> ranks) {
  TrafficRecord sum{};
  for (const RankReport& rank : ranks) add(sum, rank.traffic);
  return sum;
}

FileSums files_of(std::span<const RankReport> ranks) {
  FileSums sum;
  for (const RankReport& rank : ranks) add_files(sum, rank.traffic.files);
  return sum;
}

std::uint64_t payload_of(const TrafficRecord& record) {
  std::uint64_t bytes = 0;
  for (int way = 0; way < way_count; ++way) bytes += way_of(record, way).bytes;
  return bytes;
}

std::uint64_t messages_of(const TrafficRecord& record, int peer_class, int size) {
  std::uint64_t messages = 0;
  for (int way = 0; way < way_count; ++way)
    messages += record.tally[peer_class][way][size].messages;
  return messages;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void replace(std::string& text, const char* name, const std::string& value) {
  if (std::size_t at = text.find(name); at != std::string::npos)
    text.replace(at, std::strlen(name), value);
}

// Returns the words of a reason, completed with values of a rank that counted it.
std::string reason_words(std::span<const RankReport> ranks, int reason) {
  auto counted = [reason](const RankReport& rank) {
    for (const auto& peer_class : rank.traffic.reasons.messages)
      for (std::uint64_t messages : peer_class[reason])
        if (messages) return true;
    return false;
  };
  std::string words = reason_rows[reason].words;
  auto rank = std::ranges::find_if(ranks, counted);
  if (rank == ranks.end()) return words;
  const TrafficRecord& facts = rank->traffic;
  const char* cause = ::strerrorname_np(facts.probe_errno);
  replace(words, "{eager_bytes_max}", bytes_text(static_cast<double>(facts.eager_bytes_max)));
  replace(words, "{cma_bytes_min}", bytes_text(static_cast<double>(facts.cma_bytes_min)));
  replace(words, "{errno}", cause ? cause : std::to_string(facts.probe_errno));
  return words;
}

const char* data_words(const Observed& seen) {
  if (seen.warm && seen.cold) return "  data warm and cold";
  if (seen.warm) return "  data warm";
  return seen.cold ? "  data cold" : "";
}

void append_size(std::string& text, std::span<const RankReport> ranks, const TrafficRecord& sum,
                 int peer_class, int size) {
  std::uint64_t payload = payload_of(sum);
  std::string label = size_text(size);
  for (int way = 0; way < way_count; ++way) {
    const Tally& tally = sum.tally[peer_class][way][size];
    if (tally.messages == 0) continue;
    fmt::format_to(std::back_inserter(text), "    {:<12} {:<18} {:>12} {:>12} {:>6.1f} %{}\n",
                   label, way_rows[way].name, tally.messages,
                   bytes_text(static_cast<double>(tally.bytes)), 100 * share(tally.bytes, payload),
                   data_words(sum.observed[peer_class][size]));
    label.clear();
  }
  for (int reason = 0; reason < reason_count; ++reason)
    if (std::uint64_t messages = sum.reasons.messages[peer_class][reason][size])
      fmt::format_to(std::back_inserter(text), "      why not {} ({} message{})\n",
                     reason_words(ranks, reason), messages, messages == 1 ? "" : "s");
}

std::string classes_text(std::span<const RankReport> ranks, const TrafficRecord& sum) {
  std::string text;
  for (int peer_class = 0; peer_class < peer_class_count; ++peer_class) {
    std::string rows;
    for (int size = 0; size < size_class_count; ++size)
      append_size(rows, ranks, sum, peer_class, size);
    if (!rows.empty()) text += fmt::format("  {}:\n{}", peer_class_rows[peer_class].words, rows);
  }
  return text;
}

std::string a_rank_text(const Total& total) {
  return fmt::format("{}-{} per rank", total.least, total.most);
}

std::string ways_text(std::span<const RankReport> ranks) {
  std::string text;
  for (int way = 0; way < way_count; ++way) {
    Total messages, bytes;
    for (const RankReport& rank : ranks) {
      messages.add(way_of(rank.traffic, way).messages);
      bytes.add(way_of(rank.traffic, way).bytes);
    }
    if (messages.sum == 0) continue;
    fmt::format_to(std::back_inserter(text), "  {:<18} {:>12} {:>12}   {:<24} {}\n",
                   way_rows[way].name, messages.sum, bytes_text(static_cast<double>(bytes.sum)),
                   a_rank_text(messages), way_rows[way].words);
  }
  return text;
}

std::string events_text(std::span<const RankReport> ranks) {
  std::string text;
  for (const CounterRow& row : counter_rows()) {
    Total total = total_of(ranks, row);
    if (total.sum == 0) continue;
    fmt::format_to(std::back_inserter(text), "  {:<18} {:>12} {:>12}   {:<24} {}\n", row.name,
                   total.sum, "", a_rank_text(total), row.what);
  }
  return text;
}

// Writes a comma before the next "key": value, unless that is the first of its object or list.
void open_next(std::string& json) {
  if (!json.empty() && json.back() != '{' && json.back() != '[') json += ", ";
}

std::string ways_json(const TrafficRecord& sum, int peer_class, int size) {
  std::string json = "[";
  std::uint64_t payload = payload_of(sum);
  std::uint64_t of_class = messages_of(sum, peer_class, size);
  for (int way = 0; way < way_count; ++way) {
    const Tally& tally = sum.tally[peer_class][way][size];
    if (tally.messages == 0) continue;
    open_next(json);
    fmt::format_to(std::back_inserter(json),
                   R"({{"way": "{}", "messages": {}, "bytes": {}, "share_of_class": {:.4f}, )"
                   R"("share_of_payload": {:.4f}}})",
                   way_rows[way].name, tally.messages, tally.bytes, share(tally.messages, of_class),
                   share(tally.bytes, payload));
  }
  return json + "]";
}

std::string reasons_json(std::span<const RankReport> ranks, const TrafficRecord& sum,
                         int peer_class, int size) {
  std::string json = "[";
  for (int reason = 0; reason < reason_count; ++reason) {
    std::uint64_t messages = sum.reasons.messages[peer_class][reason][size];
    if (messages == 0) continue;
    open_next(json);
    fmt::format_to(std::back_inserter(json), R"({{"reason": "{}", "messages": {}, "words": "{}"}})",
                   reason_rows[reason].name, messages, reason_words(ranks, reason));
  }
  return json + "]";
}

std::string traffic_json(std::span<const RankReport> ranks, const TrafficRecord& sum) {
  std::string json = "[";
  for (int peer_class = 0; peer_class < peer_class_count; ++peer_class)
    for (int size = 0; size < size_class_count; ++size) {
      std::string why = reasons_json(ranks, sum, peer_class, size);
      if (messages_of(sum, peer_class, size) == 0 && why == "[]") continue;
      std::int64_t least = size ? size_class_limit(size - 1) + 1 : 0;
      bool bounded = size < size_class_count - 1;
      const Observed& seen = sum.observed[peer_class][size];
      open_next(json);
      fmt::format_to(std::back_inserter(json),
                     R"({{"peers": "{}", "bytes_min": {}, "bytes_max": {}, "ways": {}, )"
                     R"("why_not_cheaper": {})",
                     peer_class_rows[peer_class].name, least,
                     bounded ? std::to_string(size_class_limit(size)) : "null",
                     ways_json(sum, peer_class, size), why);
      if (seen.warm || seen.cold)
        fmt::format_to(std::back_inserter(json), R"(, "data": {{"warm": {}, "cold": {}}})",
                       seen.warm, seen.cold);
      json += "}";
    }
  return json + "]";
}

std::string counters_json(std::span<const RankReport> ranks) {
  std::string json = "{";
  for (const CounterRow& row : counter_rows()) {
    Total total = total_of(ranks, row);
    open_next(json);
    fmt::format_to(std::back_inserter(json), R"("{}": {{"sum": {}, "least": {}, "most": {}}})",
                   row.name, total.sum, ranks.empty() ? 0 : total.least, total.most);
  }
  return json + "}";
}

std::string places_json(std::span<const RankReport> ranks) {
  std::string json = "[";
  for (const RankReport& rank : ranks) {
    const lockfree::RankPlace& place = rank.place;
    open_next(json);
    fmt::format_to(std::back_inserter(json),
                   R"({{"cpu": {}, "cpu_count": {}, "core": {}, "l2": {}, "l3": {}, )"
                   R"("numa_node": {}, "package": {}, "counted": {}}})",
                   place.cpu, place.cpu_count, place.core, place.l2, place.l3, place.numa_node,
                   place.package, rank.traffic.published != 0);
  }
  return json + "]";
}

// This is a text that ranks have reported, and how many of them reported it.
struct Told {
  std::string what;
  std::string version;  // of a library
  int ranks = 0;
};

// Returns a text that a rank wrote, up to its end or the array's.
template <std::size_t size>
std::string word_in(const char (&text)[size]) {
  return {text, ::strnlen(text, size)};
}

void add(std::vector<Told>& all, const std::string& what, const std::string& version) {
  if (what.empty()) return;  // the rank did not come to its end, or did not know
  auto found = std::ranges::find(all, what, &Told::what);
  if (found == all.end()) found = all.insert(found, {what, version});
  ++found->ranks;
}

std::vector<Told> libraries_of(std::span<const RankReport> ranks) {
  std::vector<Told> libraries;
  for (const RankReport& rank : ranks)
    add(libraries, word_in(rank.traffic.library), word_in(rank.traffic.version));
  return libraries;
}

std::vector<Told> networks_of(std::span<const RankReport> ranks) {
  std::vector<Told> networks;
  for (const RankReport& rank : ranks) add(networks, word_in(rank.traffic.network), "");
  return networks;
}

std::string told_text(const char* name, const std::vector<Told>& all, std::size_t ranks) {
  std::string text;
  for (const Told& told : all) {
    fmt::format_to(std::back_inserter(text), "{}: {}", name, told.what);
    if (!told.version.empty())
      fmt::format_to(std::back_inserter(text), " (Baton {})", told.version);
    if (all.size() > 1)
      fmt::format_to(std::back_inserter(text), " in {} of {} ranks", told.ranks, ranks);
    text += "\n";
  }
  return text;
}

std::string libraries_json(std::span<const RankReport> ranks) {
  std::string json = "[";
  for (const Told& library : libraries_of(ranks)) {
    open_next(json);
    fmt::format_to(std::back_inserter(json), R"({{"path": {}, "version": {}, "ranks": {}}})",
                   json_text(library.what), json_text(library.version), library.ranks);
  }
  return json + "]";
}

std::string networks_json(std::span<const RankReport> ranks) {
  std::string json = "[";
  for (const Told& network : networks_of(ranks)) {
    open_next(json);
    fmt::format_to(std::back_inserter(json), R"({{"words": {}, "ranks": {}}})",
                   json_text(network.what), network.ranks);
  }
  return json + "]";
}

// Calls `tell(row)` for each class of peers that are near each other.
template <class Tell>
void each_near(std::uint32_t near_classes, Tell tell) {
  for (int i = static_cast<int>(PeerClass::l2); i < peer_class_count; ++i)
    if (near_classes >> i & 1) tell(peer_class_rows[i]);
}

std::string near_json(std::uint32_t near_classes) {
  std::string json = "[";
  each_near(near_classes, [&json](const NameRow& row) {
    open_next(json);
    json += json_text(row.name);
  });
  return json + "]";
}

std::string part_json(const ReportedPart& part) {
  std::string json;
  if (!part.host.empty())
    json = fmt::format(R"("host": {}, "first_rank": {}, )", json_text(part.host), part.first_rank);
  if (part.job) json += fmt::format(R"("job": {}, )", part.job);
  if (part.spawned.empty()) return json;
  std::string jobs = "[";
  for (const SpawnedJob& job : part.spawned) {
    open_next(jobs);
    fmt::format_to(std::back_inserter(jobs), R"({{"job": {}, "code": {}}})", job.number, job.code);
  }
  return json + fmt::format(R"("spawned": {}], )", jobs);
}

}  // namespace

std::string near_text(std::uint32_t near_classes) {
  std::string text;
  each_near(near_classes, [&text](const NameRow& row) {
    text += (text.empty() ? "near: " : ", ") + std::string(row.words);
  });
  return text.empty() ? text : text + "\n";
}

std::string traffic_text(std::span<const RankReport> ranks) {
  TrafficRecord sum = sum_of(ranks);
  std::string ways = ways_text(ranks);
  std::string events = events_text(ranks);
  if (sum.published == 0)
    return "no message was counted: no rank came to the end of MPI_Finalize\n" +
           files_text(files_of(ranks));
  std::string text = told_text("library", libraries_of(ranks), ranks.size()) +
                     told_text("network", networks_of(ranks), ranks.size());
  if (sum.published < ranks.size())
    text += fmt::format("of {} ranks {} came to the end; the others are not counted\n",
                        ranks.size(), sum.published);
  text += ways.empty() ? "no messages were sent\n"
                       : "which protocols the messages used (messages, payload):\n" + ways +
                             "by peer and by size (messages, payload, share of all payload):\n" +
                             classes_text(ranks, sum);
  text += windows_text(sum.one_sided, sum.probe_errno);
  text += files_text(files_of(ranks));
  text += collectives_text(sum.collectives, static_cast<std::uint32_t>(ranks.size()));
  return events.empty() ? text : text + "what else happened:\n" + events;
}

std::string spawned_text(std::span<const SpawnedJob> jobs) {
  constexpr std::size_t told_max = 8;
  std::string text;
  for (const SpawnedJob& job : jobs.first(std::min(jobs.size(), told_max)))
    text += fmt::format("{} {} (code {})", text.empty() ? "jobs that were spawned:" : ",",
                        job.number, job.code);
  if (jobs.size() > told_max) text += fmt::format(" and {} more", jobs.size() - told_max);
  return text.empty() ? text : text + "\n";
}

std::string explanation_json(std::span<const RankReport> ranks, int cpus_usable,
                             const ReportedPart& part, std::uint32_t near_classes) {
  TrafficRecord sum = sum_of(ranks);
  return fmt::format(
      R"({{{}"ranks": {}, "ranks_counted": {}, "cpus_usable": {}, "places": {}, "near": {}, )"
      R"("libraries": {}, )"
      R"("networks": {}, "traffic": {}, "windows": {}, "files": {}, "collectives": {}, "counters": {}}})"
      "\n",
      part_json(part), ranks.size(), sum.published, cpus_usable, places_json(ranks),
      near_json(near_classes), libraries_json(ranks), networks_json(ranks),
      traffic_json(ranks, sum), windows_json(sum.one_sided, sum.probe_errno),
      files_json(files_of(ranks)),
      collectives_json(sum.collectives, static_cast<std::uint32_t>(ranks.size())),
      counters_json(ranks));
}

}  // namespace baton::launch

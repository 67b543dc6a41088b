#include "cli/tune/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "base/settings.hpp"
#include "cli/value_text.hpp"

namespace baton::cli::tune {

namespace {

constexpr double least_gain = 0.03;  // guess: less is not worth differing from the default

constexpr const char* ring_or_staging = "ring or staging";
constexpr const char* staged_or_pulled = "staged or pulled";
constexpr const char* pulled_or_redirected = "pulled or redirected";
constexpr const char* one_side_or_both = "one side or both";
constexpr const char* early_sizes = "early bytes";
constexpr const char* published_sizes = "published at once";
constexpr const char* never = "1099511627776";

// This is the value at which a setting begins or ends to hold, found by comparing two protocols
// size by size.
struct Threshold {
  const char* setting;
  const char* question;
  const char* shorter;  // protocol below the threshold
  const char* longer;   // protocol above it
  const char* data;     // "": both
  bool is_longest;      // it is the longest size of `shorter`; else the shortest of `longer`
};

constexpr Threshold thresholds[] = {
    {"eager_bytes_max", ring_or_staging, "ring", "staging", "", true},
    // The receiver measures by itself which protocol is quicker, so this decides only where it may
    // try to pull.
    {"cma_bytes_min", staged_or_pulled, "staged", "pulled", "warm", false},
    // Data that the receiver has not observed yet has mostly just been written, so it is cold.
    {"unseen_pull_bytes_min", staged_or_pulled, "staged", "pulled", "cold", false},
    {"push_bytes_min", pulled_or_redirected, "pulled", "redirected", "", false},
    {"shared_bytes_min", one_side_or_both, "one side", "both sides", "", false},
};

// This chooses the best of several values at all sizes.
struct BestOf {
  const char* setting;
  const char* question;
};

constexpr BestOf bests[] = {{"early_bytes_max", early_sizes},
                            {"pipeline_publish_bytes", published_sizes}};

Variant one_value(const char* setting, const char* name, const char* more) {
  return {name, {{setting, name}, {more, "0"}, {"receiver_initiated", "0"}}};
}

double quantile(std::span<const double> sorted, double share) {
  double place = share * static_cast<double>(sorted.size() - 1);
  auto low = static_cast<std::size_t>(place);
  std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (place - static_cast<double>(low));
}

// This is the logarithm of the ratio of two variants' times, and its noise.
struct Seen {
  double ratio = 0;
  double noise = 0;
  int rounds = 0;  // 0: too few to compare
};

Seen see(const std::vector<double>& first, const std::vector<double>& second) {
  const std::size_t rounds = std::min(first.size(), second.size());
  if (rounds < rounds_min) return {};
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rounds; ++i) ratios.push_back(std::log(first[i] / second[i]));
  std::ranges::sort(ratios);
  // This is twice the standard error of a median, from the distance of the quartiles.
  const double spread = quantile(ratios, 0.75) - quantile(ratios, 0.25);
  return {quantile(ratios, 0.5), 1.85 * spread / std::sqrt(static_cast<double>(rounds)),
          static_cast<int>(rounds)};
}

bool is_wanted(const profile::Cell& cell, const char* question, const char* variant,
               std::int64_t bytes, const char* data) {
  return cell.question == question && cell.variant == variant &&
         (bytes == 0 || cell.bytes == bytes) && (!*data || cell.data == data);
}

const profile::Cell* same_place(std::span<const profile::Cell> cells, const profile::Cell& one,
                                const char* variant) {
  for (const profile::Cell& cell : cells)
    if (cell.question == one.question && cell.variant == variant && cell.peers == one.peers &&
        cell.pattern == one.pattern && cell.data == one.data && cell.bytes == one.bytes &&
        cell.distance == one.distance)
      return &cell;
  return nullptr;
}

std::vector<std::int64_t> sizes_of(std::span<const profile::Cell> cells, const char* question) {
  std::vector<std::int64_t> sizes;
  for (const profile::Cell& cell : cells)
    if (cell.question == question) sizes.push_back(cell.bytes);
  std::ranges::sort(sizes);
  auto rest = std::ranges::unique(sizes);
  sizes.erase(rest.begin(), rest.end());
  return sizes;
}

std::string words(const char* variant, const char* other, std::int64_t bytes,
                  const Comparison& seen) {
  return fmt::format("at {} {} takes {:.2f} of the time of {} (noise {:.2f}, {} rounds)",
                     value_text(bytes), variant, seen.ratio, other, seen.noise, seen.rounds);
}

// Moves the threshold from the default, as long as the other protocol is better: first towards
// longer messages, then towards shorter ones.
profile::Chosen choose_threshold(std::span<const profile::Cell> cells, const Threshold& rule) {
  const SettingRow& row = *find_setting(rule.setting);
  profile::Chosen chosen{rule.setting, default_of(row), {}};
  std::vector<std::int64_t> sizes = sizes_of(cells, rule.question);
  auto at = [&](std::int64_t bytes) {
    return compare(cells, rule.question, rule.shorter, rule.longer, bytes, rule.data);
  };
  // The default uses the protocol for shorter messages at sizes[0, split).
  auto bound = rule.is_longest ? std::ranges::upper_bound(sizes, default_of(row))
                               : std::ranges::lower_bound(sizes, default_of(row));
  std::size_t begin = static_cast<std::size_t>(bound - sizes.begin()), split = begin;
  while (split < sizes.size() && at(sizes[split]).first_is_better()) ++split;
  if (split == begin)
    while (split > 0 && at(sizes[split - 1]).second_is_better()) --split;
  if (split == begin) {
    std::int64_t nearest = sizes.empty() ? 0 : sizes[std::min(begin, sizes.size() - 1)];
    chosen.reason = "the default stays: " + words(rule.shorter, rule.longer, nearest, at(nearest));
    return chosen;
  }
  bool up = split > begin;
  std::int64_t decisive = up ? sizes[split - 1] : sizes[split];
  if (rule.is_longest)
    chosen.value = split > 0 ? sizes[split - 1] : row.minimum;
  else
    chosen.value = split < sizes.size() ? sizes[split] : row.maximum;
  chosen.value = std::clamp(chosen.value, row.minimum, row.maximum);
  chosen.reason = words(rule.shorter, rule.longer, decisive, at(decisive));
  return chosen;
}

profile::Chosen choose_best(std::span<const profile::Cell> cells, const BestOf& rule,
                            const Question& question) {
  const SettingRow& row = *find_setting(rule.setting);
  profile::Chosen chosen{rule.setting, default_of(row), {}};
  std::string fallback = value_text(default_of(row));
  double best = 1;
  for (const Variant& variant : question.variants) {
    if (variant.name == fallback) continue;
    Comparison seen = compare(cells, rule.question, variant.name, fallback.c_str(), 0, "");
    bool worse_somewhere = std::ranges::any_of(question.sizes, [&](std::int64_t bytes) {
      return compare(cells, rule.question, variant.name, fallback.c_str(), bytes, "")
          .second_is_better();
    });
    if (!seen.first_is_better() || worse_somewhere || seen.ratio >= best) continue;
    best = seen.ratio;
    chosen.value = value_of_text(variant.name);
    chosen.reason = fmt::format("it takes {:.2f} of the time of {} (noise {:.2f}, {} rounds)",
                                seen.ratio, fallback, seen.noise, seen.rounds);
  }
  if (chosen.reason.empty())
    chosen.reason = "the default stays: no other value is better by more than the noise";
  return chosen;
}

// Returns the rounds of a question between the pair of CPUs that has the fewest, at the distance at
// which it has the most.
int least_rounds(std::span<const profile::Cell> cells, const char* question) {
  std::map<std::string, std::map<Distance, std::size_t>> rounds;  // of each pair
  for (const profile::Cell& cell : cells) {
    if (cell.question != question) continue;
    auto& of_pair = rounds[cell.peers];
    const auto found = of_pair.try_emplace(cell.distance, cell.medians_us.size()).first;
    found->second = std::min(found->second, cell.medians_us.size());
  }
  std::size_t least = rounds.empty() ? 0 : SIZE_MAX;
  for (const auto& [peers, of_pair] : rounds) {
    std::size_t most = 0;
    for (const auto& [distance, count] : of_pair) most = std::max(most, count);
    least = std::min(least, most);
  }
  return static_cast<int>(least);
}

}  // namespace

std::vector<Question> questions(bool cma_permitted) {
  const std::pair<const char*, std::string> no_cma{"cma", "0"}, not_seen{"observe", "0"},
      any_length{"cma_bytes_min", "1"}, not_put{"receiver_initiated", "0"};
  std::vector<Question> all = {
      {ring_or_staging,
       {"pingpong", "window"},
       {1024, 2048, 3072, 4096, 6144},
       {{"ring", {{"eager_bytes_max", "6144"}}}, {"staging", {{"eager_bytes_max", "48"}}}},
       false},
      {staged_or_pulled,
       {"pingpong"},
       {8192, 12288, 16384, 32768, 65536, 262144, 1 << 20, 2 << 20, 4 << 20},
       {{"staged", {no_cma}}, {"pulled", {not_seen, any_length, not_put}}},
       true},
      {pulled_or_redirected,
       {"pingpong"},
       {32768, 65536, 131072, 262144, 1 << 20},
       {{"pulled", {not_seen, any_length, not_put}},
        {"redirected", {not_seen, any_length, {"push_bytes_min", "1"}}}},
       true},
      {one_side_or_both,
       {"pingpong"},
       {16384, 32768, 49152, 65536, 131072},
       {{"one side", {not_seen, any_length, not_put, {"shared_bytes_min", never}}},
        {"both sides", {not_seen, any_length, not_put, {"shared_bytes_min", "1"}}}},
       true},
      {early_sizes, {"pingpong"}, {32768, 65536, 131072, 262144}, {}, false},
      {published_sizes, {"pingpong", "window"}, {8192, 32768, 131072}, {}, false},
  };
  // The values of shipped profiles are among these.
  Question &early = all[all.size() - 2], &published = all.back();
  for (const char* value : {"16k", "64k", "256k"})
    early.variants.push_back(one_value("early_bytes_max", value, "cma"));
  for (const char* value : {"1k", "4k", "16k"})
    published.variants.push_back(one_value("pipeline_publish_bytes", value, "cma"));
  if (!cma_permitted) std::erase_if(all, [](const Question& one) { return one.needs_cma; });
  return all;
}

Comparison compare(std::span<const profile::Cell> cells, const char* question, const char* first,
                   const char* second, std::int64_t bytes, const char* data) {
  double sum = 0, noise = 0;
  int places = 0;
  Comparison result;
  for (const profile::Cell& one : cells) {
    if (!is_wanted(one, question, first, bytes, data)) continue;
    const profile::Cell* other = same_place(cells, one, second);
    const Seen seen = other ? see(one.medians_us, other->medians_us) : Seen{};
    if (seen.rounds == 0) continue;
    sum += seen.ratio;
    noise += seen.noise;
    ++places;
    result.rounds = result.rounds == 0 ? seen.rounds : std::min(result.rounds, seen.rounds);
  }
  if (places == 0) return {};
  result.ratio = std::exp(sum / places);
  result.noise = std::max(least_gain, noise / places);
  return result;
}

Comparison compare_rounds(const std::vector<double>& first, const std::vector<double>& second) {
  const Seen seen = see(first, second);
  if (seen.rounds == 0) return {};
  return {std::exp(seen.ratio), std::max(least_gain, seen.noise), seen.rounds};
}

std::vector<profile::Chosen> choose(std::span<const profile::Cell> cells, bool cma_permitted) {
  std::vector<profile::Chosen> all;
  std::vector<Question> asked = questions(cma_permitted);
  auto unanswered = [&](const char* setting, const char* name) {
    const SettingRow& row = *find_setting(setting);
    bool was_asked = std::ranges::any_of(
        asked, [&](const Question& one) { return std::strcmp(one.name, name) == 0; });
    int rounds = least_rounds(cells, name);
    if (was_asked && rounds >= rounds_min) return false;
    all.push_back({setting, default_of(row),
                   !was_asked ? "the default stays: cross-memory attach is not permitted here"
                              : fmt::format("the default stays: only {} rounds were measured, {} "
                                            "are needed; --seconds gives more time",
                                            rounds, rounds_min)});
    return true;
  };
  for (const Threshold& rule : thresholds)
    if (!unanswered(rule.setting, rule.question)) all.push_back(choose_threshold(cells, rule));
  for (const BestOf& rule : bests)
    if (!unanswered(rule.setting, rule.question))
      for (const Question& question : asked)
        if (std::strcmp(question.name, rule.question) == 0)
          all.push_back(choose_best(cells, rule, question));
  return all;
}

}  // namespace baton::cli::tune

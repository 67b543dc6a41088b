#include "base/numa_policy.hpp"

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "base/nearest_name.hpp"
#include "base/report.hpp"

namespace baton {

namespace {

constexpr const char* names[] = {"none", "near", "hbm", "large", "interleave", "remote", "node"};
constexpr char valid_policies[] =
    "near, hbm, large, interleave, remote, node:N or node:N+M; a trailing ! makes it strict";
constexpr char valid_whats[] = "queues, heap, all (each as WHAT=WHERE), and huge";

std::string_view cut(std::string_view& rest, char separator) {
  std::size_t length = rest.find(separator);
  std::string_view first = rest.substr(0, length);
  rest = length == rest.npos ? std::string_view() : rest.substr(length + 1);
  return first;
}

__attribute__((format(printf, 2, 3))) bool wrong(MemoryWordError* error, const char* format, ...) {
  va_list parts;
  va_start(parts, format);
  std::vsnprintf(error->text, sizeof error->text, format, parts);
  va_end(parts);
  return false;
}

int shown(std::string_view text) {
  return static_cast<int>(text.size() < 40 ? text.size() : 40);
}

// Reports an unknown word, with the nearest of `candidates` (if any is near) and the valid words.
template <std::size_t count>
bool unknown(MemoryWordError* error, const char* kind, std::string_view text,
             const char* const (&candidates)[count], const char* valid) {
  const char* nearest = nearest_name(text, candidates);
  if (!nearest)
    return wrong(error, "unknown %s \"%.*s\". Valid: %s", kind, shown(text), text.data(), valid);
  return wrong(error, "unknown %s \"%.*s\"; did you mean \"%s\"? Valid: %s", kind, shown(text),
               text.data(), nearest, valid);
}

bool parse_node(std::string_view text, NumaPolicy* policy, MemoryWordError* error) {
  int number = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '9' || number >= numa_nodes_max)
      number = numa_nodes_max;
    else
      number = 10 * number + (digit - '0');
  }
  if (text.empty() || number >= numa_nodes_max)
    return wrong(error,
                 "\"%.*s\" is no NUMA node: node:N takes numbers from 0 to %d, node:N+M "
                 "several in the order in which they are tried",
                 shown(text), text.data(), numa_nodes_max - 1);
  for (int i = 0; i < policy->listed; ++i)
    if (policy->nodes[i] == number) return wrong(error, "node %d is named twice", number);
  if (policy->listed == NumaPolicy::listed_max)
    return wrong(error, "more than %d nodes in one list", NumaPolicy::listed_max);
  policy->nodes[policy->listed++] = static_cast<std::uint8_t>(number);
  return true;
}

// This is the former name of `hbm`; it is accepted until the next release.
constexpr std::string_view former_hbm = "fast";

void say_former() {
  static std::atomic<bool> said{false};
  // relaxed: only one thread prints the warning; no other data depends on the flag.
  if (!said.exchange(true, std::memory_order_relaxed))
    report("memory \"%s\" is called \"%s\" now; the former word goes with the next release",
           former_hbm.data(), word_name(MemoryWord::hbm));
}

// Parses one policy without `huge`.
bool parse_word(std::string_view text, NumaPolicy* policy, MemoryWordError* error) {
  if (text.ends_with('!')) {
    policy->strict = true;
    text.remove_suffix(1);
  }
  if (text.starts_with("node:")) {
    policy->word = MemoryWord::node;
    std::string_view rest = text.substr(5);
    do {
      if (!parse_node(cut(rest, '+'), policy, error)) return false;
    } while (!rest.empty());
    return !text.ends_with('+') || wrong(error, "a node's number is missing after the +");
  }
  if (text == former_hbm) {
    say_former();
    text = word_name(MemoryWord::hbm);
  }
  for (MemoryWord word : ordered_words)
    if (text == word_name(word)) {
      policy->word = word;
      return true;
    }
  if (text == "node") return wrong(error, "which node? node:N takes its number");
  static constexpr const char* candidates[] = {"near",       "hbm",    "large",
                                               "interleave", "remote", "node:0"};
  return unknown(error, "policy", text, candidates, valid_policies);
}

bool parse_item(std::string_view item, NumaPolicies* policies, MemoryWordError* error) {
  if (item == "huge") {
    policies->heap.huge = true;
    return true;
  }
  std::string_view where = item;
  std::string_view what = cut(where, '=');
  NumaPolicy* policy = what == "queues" ? &policies->queues
                       : what == "heap" ? &policies->heap
                       : what == "all"  ? &policies->all
                                        : nullptr;
  if (!policy) {
    NumaPolicy ignored;
    MemoryWordError unused;
    if (parse_word(item, &ignored, &unused))
      return wrong(error, "\"%.*s\" of what? For example queues=%.*s or all=%.*s", shown(item),
                   item.data(), shown(item), item.data(), shown(item), item.data());
    static constexpr const char* candidates[] = {"queues", "heap", "all", "huge"};
    return unknown(error, "word", what, candidates, valid_whats);
  }
  if (where == "huge")
    return wrong(error, "huge stands by itself, behind a comma, and is for the heap");
  if (policy->word != MemoryWord::none)
    return wrong(error, "%.*s is said twice", shown(what), what.data());
  return parse_word(where, policy, error);
}

}  // namespace

const char* word_name(MemoryWord word) {
  return names[static_cast<int>(word)];
}

bool parse_numa_policy(std::string_view text, NumaPolicy* policy, MemoryWordError* error) {
  *policy = {};
  if (text.empty()) return wrong(error, "it is empty. Valid: %s; and huge", valid_policies);
  bool more = true;
  while (more) {
    more = text.find(',') != text.npos;
    std::string_view item = cut(text, ',');
    if (item == "huge") {
      policy->huge = true;
      continue;
    }
    if (policy->word != MemoryWord::none)
      return wrong(error, "\"%.*s\" is a second policy; one is enough, and huge may follow it",
                   shown(item), item.data());
    if (!parse_word(item, policy, error)) return false;
  }
  return true;
}

bool parse_numa_policies(std::string_view text, NumaPolicies* policies, MemoryWordError* error) {
  *policies = {};
  if (text.empty())
    return wrong(error, "it is empty. Valid: %s; WHERE is %s", valid_whats, valid_policies);
  bool more = true;
  while (more) {
    more = text.find(',') != text.npos;
    if (!parse_item(cut(text, ','), policies, error)) return false;
  }
  bool huge = policies->heap.huge;
  if (policies->queues.word == MemoryWord::none) policies->queues = policies->all;
  if (policies->heap.word == MemoryWord::none) policies->heap = policies->all;
  policies->heap.huge = huge;
  return true;
}

NumaPolicyText policy_text(const NumaPolicy& policy) {
  NumaPolicyText text{};
  std::size_t used = 0;
  // The text has space for the longest policy: "node:" with as many nodes as can be listed.
  auto add = [&](const char* format, auto... parts) {
    int wrote = std::snprintf(text.words + used, sizeof text.words - used, format, parts...);
    if (wrote > 0) used += static_cast<std::size_t>(wrote);
  };
  if (policy.word != MemoryWord::none || !policy.huge) add("%s", word_name(policy.word));
  for (int i = 0; i < policy.listed; ++i) add("%c%d", i ? '+' : ':', policy.nodes[i]);
  if (policy.strict) add("!");
  if (policy.huge) add(policy.word == MemoryWord::none ? "huge" : ",huge");
  return text;
}

}  // namespace baton

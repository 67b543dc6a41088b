#include "base/memory_place.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "base/nearest_name.hpp"

namespace baton {

namespace {

constexpr const char* names[] = {"none", "near", "fast", "large", "interleave", "remote", "node"};
constexpr char valid_places[] =
    "near, fast, large, interleave, remote, node:N or node:N+M; a trailing ! makes it strict";
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

// An unknown word with the nearest of `candidates` (if any is near) and what is valid.
template <std::size_t count>
bool unknown(MemoryWordError* error, const char* kind, std::string_view text,
             const char* const (&candidates)[count], const char* valid) {
  const char* nearest = nearest_name(text, candidates);
  if (!nearest)
    return wrong(error, "unknown %s \"%.*s\". Valid: %s", kind, shown(text), text.data(), valid);
  return wrong(error, "unknown %s \"%.*s\"; did you mean \"%s\"? Valid: %s", kind, shown(text),
               text.data(), nearest, valid);
}

bool parse_node(std::string_view text, MemoryPlace* place, MemoryWordError* error) {
  int number = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '9' || number >= memory_nodes_max)
      number = memory_nodes_max;
    else
      number = 10 * number + (digit - '0');
  }
  if (text.empty() || number >= memory_nodes_max)
    return wrong(error,
                 "\"%.*s\" is no memory node: node:N takes numbers from 0 to %d, node:N+M "
                 "several in the order in which they are tried",
                 shown(text), text.data(), memory_nodes_max - 1);
  for (int i = 0; i < place->listed; ++i)
    if (place->nodes[i] == number) return wrong(error, "node %d is named twice", number);
  if (place->listed == MemoryPlace::listed_max)
    return wrong(error, "more than %d nodes in one list", MemoryPlace::listed_max);
  place->nodes[place->listed++] = static_cast<std::uint8_t>(number);
  return true;
}

// One place without `huge`.
bool parse_word(std::string_view text, MemoryPlace* place, MemoryWordError* error) {
  if (text.ends_with('!')) {
    place->strict = true;
    text.remove_suffix(1);
  }
  if (text.starts_with("node:")) {
    place->word = MemoryWord::node;
    std::string_view rest = text.substr(5);
    do {
      if (!parse_node(cut(rest, '+'), place, error)) return false;
    } while (!rest.empty());
    return !text.ends_with('+') || wrong(error, "a node's number is missing after the +");
  }
  for (MemoryWord word : ordered_words)
    if (text == word_name(word)) {
      place->word = word;
      return true;
    }
  if (text == "node") return wrong(error, "which node? node:N takes its number");
  static constexpr const char* candidates[] = {"near",       "fast",   "large",
                                               "interleave", "remote", "node:0"};
  return unknown(error, "place", text, candidates, valid_places);
}

bool parse_item(std::string_view item, MemoryPolicy* policy, MemoryWordError* error) {
  if (item == "huge") {
    policy->heap.huge = true;
    return true;
  }
  std::string_view where = item;
  std::string_view what = cut(where, '=');
  MemoryPlace* place = what == "queues" ? &policy->queues
                       : what == "heap" ? &policy->heap
                       : what == "all"  ? &policy->all
                                        : nullptr;
  if (!place) {
    MemoryPlace ignored;
    MemoryWordError unused;
    if (parse_word(item, &ignored, &unused))
      return wrong(error, "\"%.*s\" of what? For example queues=%.*s or all=%.*s", shown(item),
                   item.data(), shown(item), item.data(), shown(item), item.data());
    static constexpr const char* candidates[] = {"queues", "heap", "all", "huge"};
    return unknown(error, "word", what, candidates, valid_whats);
  }
  if (where == "huge")
    return wrong(error, "huge stands by itself, behind a comma, and is for the heap");
  if (place->word != MemoryWord::none)
    return wrong(error, "%.*s is said twice", shown(what), what.data());
  return parse_word(where, place, error);
}

}  // namespace

const char* word_name(MemoryWord word) {
  return names[static_cast<int>(word)];
}

bool parse_memory_place(std::string_view text, MemoryPlace* place, MemoryWordError* error) {
  *place = {};
  if (text.empty()) return wrong(error, "it is empty. Valid: %s; and huge", valid_places);
  bool more = true;
  while (more) {
    more = text.find(',') != text.npos;
    std::string_view item = cut(text, ',');
    if (item == "huge") {
      place->huge = true;
      continue;
    }
    if (place->word != MemoryWord::none)
      return wrong(error, "\"%.*s\" is a second place; one is enough, and huge may follow it",
                   shown(item), item.data());
    if (!parse_word(item, place, error)) return false;
  }
  return true;
}

bool parse_memory_policy(std::string_view text, MemoryPolicy* policy, MemoryWordError* error) {
  *policy = {};
  if (text.empty())
    return wrong(error, "it is empty. Valid: %s; WHERE is %s", valid_whats, valid_places);
  bool more = true;
  while (more) {
    more = text.find(',') != text.npos;
    if (!parse_item(cut(text, ','), policy, error)) return false;
  }
  bool huge = policy->heap.huge;
  if (policy->queues.word == MemoryWord::none) policy->queues = policy->all;
  if (policy->heap.word == MemoryWord::none) policy->heap = policy->all;
  policy->heap.huge = huge;
  return true;
}

MemoryPlaceText place_text(const MemoryPlace& place) {
  MemoryPlaceText text{};
  std::size_t used = 0;
  // The longest, "node:" with as many nodes as can be listed, has room.
  auto add = [&](const char* format, auto... parts) {
    int wrote = std::snprintf(text.words + used, sizeof text.words - used, format, parts...);
    if (wrote > 0) used += static_cast<std::size_t>(wrote);
  };
  if (place.word != MemoryWord::none || !place.huge) add("%s", word_name(place.word));
  for (int i = 0; i < place.listed; ++i) add("%c%d", i ? '+' : ':', place.nodes[i]);
  if (place.strict) add("!");
  if (place.huge) add(place.word == MemoryWord::none ? "huge" : ",huge");
  return text;
}

}  // namespace baton

#include "launch/options/family_options.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "launch/options/option_reader.hpp"
#include "launch/options/option_table.hpp"
#include "launch/options/value_text.hpp"

namespace baton::launch {

namespace {

constexpr char separator[] = "\x1f";  // words of options have no control characters

bool is_for_family(const std::string& word) {
  constexpr void (*all[])(Reader&) = {read_explain,       read_explain_file,   read_stats,
                                      read_stats_file,    read_trace,          read_trace_bytes,
                                      read_memory_report, read_check,          read_profile_name,
                                      read_continue,      read_fault_tolerance};
  const OptionRow* row = find_option(word.substr(0, word.find('=')));
  return row && std::ranges::find(all, row->read) != std::end(all);
}

}  // namespace

std::string family_options(const Options& options) {
  std::string text;
  for (const std::vector<std::string>& given : options.given) {
    if (!is_for_family(given.front())) continue;
    for (const std::string& word : given) text += (text.empty() ? "" : separator) + word;
  }
  return text;
}

std::vector<std::string> inherited_options() {
  const char* text = environment_variable("BATON_FAMILY_OPTIONS");
  return text ? parts_of(text, separator) : std::vector<std::string>();
}

}  // namespace baton::launch

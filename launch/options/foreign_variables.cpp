#include "launch/options/foreign_variables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "launch/options/command_line.hpp"
#include "launch/options/option_table.hpp"
#include "launch/options/value_text.hpp"

namespace baton::launch {

namespace {

using Words = std::vector<std::string>;
constexpr unsigned hydra = mpich | intel;

// This gives the meaning of a value here: words of the command line, perhaps none. Nothing: it has
// no equivalent.
using Meaning = std::optional<Words> (*)(const char* option, const std::string& value);

struct VariableRow {
  const char* name;  // a trailing * matches any rest
  unsigned origins;
  Meaning meaning;          // null: without effect
  const char* option;       // the option for which it stands, or the setting
  const char* text;         // for people
  const char* others = "";  // options that win over it, too, separated by spaces
};

bool is_yes(const std::string& value) {
  const std::string word = lower_case(value);
  return word == "1" || word == "yes" || word == "on" || word == "enable" || word == "true";
}

bool is_no(const std::string& value) {
  const std::string word = lower_case(value);
  return word == "0" || word == "no" || word == "off" || word == "disable" || word == "false";
}

std::optional<Words> as_it_is(const char* option, const std::string& value) {
  return Words{option, value};
}

// Reads a time in seconds; 0 or less means no limit.
std::optional<Words> seconds(const char* option, const std::string& value) {
  if (value == "0" || value.starts_with("-")) return Words{};
  return Words{option, value};
}

std::optional<Words> number(const char* option, const std::string& value) {
  if (!number_in(value, 1, 1 << 30)) return std::nullopt;  // "all", "allcores"
  return Words{option, value};
}

std::optional<Words> cpu_list(const char* option, const std::string& value) {
  if (value.find_first_not_of("0123456789,-") != std::string::npos) return std::nullopt;
  return Words{option, value};
}

std::optional<Words> none_if_off(const char* option, const std::string& value) {
  return is_no(value) ? Words{option, "none"} : Words{};
}

std::optional<Words> domain(const char* option, const std::string& value) {
  const std::string word = lower_case(value.substr(0, value.find(':')));
  for (const auto& [theirs, ours] : {std::pair{"core", "core"},
                                     {"socket", "package"},
                                     {"numa", "numa"},
                                     {"cache2", "l2"},
                                     {"cache3", "l3"}})
    if (word == theirs) return Words{option, ours};
  return std::nullopt;
}

std::optional<Words> setting(const char* name, const char* value) {
  return ::getenv(name) ? Words{} : Words{"-genv", name, value};
}

std::optional<Words> on_if_yes(const char* name, const std::string& value) {
  return is_yes(value) ? setting(name, "1") : Words{};
}

std::optional<Words> off_if_none(const char* name, const std::string& value) {
  return lower_case(value) == "none" ? setting(name, "0") : Words{};
}

constexpr VariableRow rows[] = {
    {"MPIEXEC_TIMEOUT", hydra | open_mpi, seconds, "--timeout", "seconds"},
    {"I_MPI_JOB_TIMEOUT", intel, seconds, "--timeout", "seconds"},
    {"I_MPI_MPIEXEC_TIMEOUT", intel, seconds, "--timeout", "seconds"},
    {"HYDRA_HOST_FILE", mpich, as_it_is, "-f", "a file of hosts", "-host"},
    {"I_MPI_HYDRA_HOST_FILE", intel, as_it_is, "-f", "a file of hosts", "-host"},
    {"HYDRA_PPN", intel, number, "-ppn", "ranks per node", "-N -pernode -n"},
    {"I_MPI_PERHOST", intel, number, "-ppn", "ranks per node; all, allcores: without effect",
     "-N -pernode -n"},
    {"HYDRA_BINDING", mpich, as_it_is, "--bind-to", "what ranks are bound to", "--layout --cores"},
    {"HYDRA_MAPPING", mpich, as_it_is, "--map-by", "where consecutive ranks go",
     "--layout --cores"},
    {"I_MPI_PIN", intel, none_if_off, "--bind-to", "0, no, off, disable: none", "--layout --cores"},
    {"I_MPI_PIN_PROCESSOR_LIST", intel, cpu_list, "--cores",
     "a list of CPUs; words such as allcores:grain=2: say --map-by", "--layout --bind-to --map-by"},
    {"I_MPI_PIN_DOMAIN", intel, domain, "--bind-to",
     "core, socket, numa, cache2, cache3; other domains: say --layout RANKSxTHREADS",
     "--layout --cores"},
    {"I_MPI_ASYNC_PROGRESS", intel, on_if_yes, "BATON_PROGRESS_THREAD", "1: on"},
    {"MPICH_ASYNC_PROGRESS", mpich, on_if_yes, "BATON_PROGRESS_THREAD", "1: on"},
    {"MPIR_CVAR_ASYNC_PROGRESS", mpich, on_if_yes, "BATON_PROGRESS_THREAD", "1: on"},
    {"OMPI_MCA_btl_vader_single_copy_mechanism", open_mpi, off_if_none, "BATON_CMA", "none: off"},
    {"OMPI_MCA_smsc", open_mpi, off_if_none, "BATON_CMA", "none: off"},
    {"OMPI_MCA_rmaps_base_mapping_policy", open_mpi, as_it_is, "--map-by",
     "where consecutive ranks go", "--layout --cores"},
    {"PRTE_MCA_rmaps_default_mapping_policy", open_mpi, as_it_is, "--map-by",
     "where consecutive ranks go", "--layout --cores"},
    {"OMPI_MCA_hwloc_base_binding_policy", open_mpi, as_it_is, "--bind-to",
     "what ranks are bound to", "--layout --cores"},
    {"PRTE_MCA_hwloc_default_binding_policy", open_mpi, as_it_is, "--bind-to",
     "what ranks are bound to", "--layout --cores"},
    {"I_MPI_FABRICS", intel, nullptr, "", "ways are chosen for each pair of ranks"},
    {"I_MPI_ADJUST_*", intel, nullptr, "", "`baton tune` measures which algorithms to use"},
    {"I_MPI_EAGER_THRESHOLD", intel, nullptr, "", "BATON_EAGER_BYTES_MAX"},
    {"I_MPI_SPIN_COUNT", intel, nullptr, "", "BATON_SPIN_COUNT"},
    {"I_MPI_PIN_ORDER", intel, nullptr, "", "say --map-by"},
    {"I_MPI_PIN_CELL", intel, nullptr, "", "say --use-hwthread-cpus"},
    {"I_MPI_PIN_PROCESSOR_EXCLUDE_LIST", intel, nullptr, "", "say --cores"},
    {"I_MPI_HBW_POLICY", intel, nullptr, "", "say --memory"},
    {"I_MPI_BIND_NUMA", intel, nullptr, "", "say --memory"},
    {"I_MPI_OFFLOAD", intel, nullptr, "", "memory of NVIDIA's devices needs no option here"},
    {"I_MPI_FAULT_CONTINUE", intel, nullptr, "", "a rank that fails ends the job"},
    {"I_MPI_JOB_TIMEOUT_SIGNAL", intel, nullptr, "", "jobs end by SIGTERM"},
    {"I_MPI_STATS", intel, nullptr, "", "say --stats"},
    {"MPIEXEC_TIMEOUT_SIGNAL", hydra, nullptr, "", "jobs end by SIGTERM"},
    {"HYDRA_MEMBIND", mpich, nullptr, "", "say --memory"},
    {"MPIR_CVAR_*_ALGORITHM", mpich, nullptr, "", "`baton tune` measures which algorithms to use"},
    {"MPIR_CVAR_NOLOCAL", mpich, nullptr, "", "ranks of a node share memory"},
    {"MPICH_RANK_REORDER_METHOD", mpich, nullptr, "", "say --rank-by"},
    {"MPICH_GPU_SUPPORT_ENABLED", mpich, nullptr, "",
     "memory of NVIDIA's devices needs no option here"},
    {"OMPI_MCA_coll_tuned_*", open_mpi, nullptr, "",
     "`baton tune` measures which algorithms to use"},
    {"OMPI_MCA_mpi_yield_when_idle", open_mpi, nullptr, "", "BATON_SPIN_COUNT"},
    {"OMPI_MCA_pml", open_mpi, nullptr, "", "ways are chosen for each pair of ranks"},
    {"OMPI_MCA_btl", open_mpi, nullptr, "", "ways are chosen for each pair of ranks"},
};

// Matches a pattern with at most one *.
bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) &&
         name.ends_with(pattern.substr(star + 1));
}

const VariableRow* find_row(std::string_view name) {
  const auto found = std::ranges::find_if(
      rows, [name](const VariableRow& row) { return matches(row.name, name); });
  return found == std::end(rows) ? nullptr : found;
}

// Returns whether the command line has the option itself, or one that has precedence.
bool has_said(const Options& given, const VariableRow& row) {
  std::vector<const OptionRow*> winners{find_option(row.option)};
  for (const std::string& other : parts_of(row.others, " ")) winners.push_back(find_option(other));
  return std::ranges::any_of(given.given, [&](const Words& words) {
    const OptionRow* said = find_option(words.front().substr(0, words.front().find('=')));
    return said && std::ranges::find(winners, said) != winners.end();
  });
}

// Returns the problem that the command line would have with these words.
std::string problem_of(Words words) {
  words.push_back("--dry-run");
  const auto parsed = parse_options(words);
  return parsed ? "" : parsed.error();
}

}  // namespace

ForeignVariables read_foreign_variables(const Options& given) {
  ForeignVariables found;
  auto name_it = [&found](std::string_view name, std::string_view why) {
    found.without_effect +=
        fmt::format("{}{} ({})", found.without_effect.empty() ? "" : ", ", name, why);
  };
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals + 1 == text.size()) continue;
    const VariableRow* row = find_row(text.substr(0, equals));
    if (!row) continue;
    const std::string value(text.substr(equals + 1));
    const auto words = row->meaning ? row->meaning(row->option, value) : std::nullopt;
    if (!words) {
      name_it(text.substr(0, equals), row->text);
      continue;
    }
    if (words->empty() || has_said(given, *row)) continue;
    if (const std::string problem = problem_of(*words); !problem.empty()) {
      name_it(text.substr(0, equals), problem);
      continue;
    }
    found.options.insert(found.options.end(), words->begin(), words->end());
  }
  return found;
}

std::string foreign_variables_markdown() {
  std::string out = "| variable | known from | here |\n|---|---|---|\n";
  for (const VariableRow& row : rows)
    out +=
        fmt::format("| `{}` | {} | {}{} |\n", row.name, origins_text(row.origins),
                    row.meaning ? fmt::format("as `{}`: ", row.option) : "named once: ", row.text);
  return out;
}

}  // namespace baton::launch

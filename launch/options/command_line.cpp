#include "launch/options/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "launch/options/option_reader.hpp"
#include "launch/options/option_table.hpp"
#include "launch/options/value_text.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

namespace {

// Splits --option=VALUE and calls the row's reader.
void read_option(Reader& reader) {
  std::string& option = reader.option;
  const std::size_t start = reader.next - 1;
  const std::size_t equals = option.find('=');
  if (equals != std::string::npos) {
    reader.attached = option.substr(equals + 1);
    option.resize(equals);
  }
  const OptionRow* row = find_option(option);
  if (!row)
    return reader.fail(" is not known" + nearest_option(option) +
                       "; mpiexec --help lists the options");
  row->read(reader);
  if (reader.attached) reader.fail(" takes no value");
  const auto words = reader.arguments.begin();
  reader.options.given.emplace_back(words + static_cast<std::ptrdiff_t>(start),
                                    words + static_cast<std::ptrdiff_t>(reader.next));
}

// Handles -path: the folders where the program is looked for first.
void find_program(Program& program) {
  if (program.search_path.empty() || program.arguments.empty()) return;
  std::string& name = program.arguments.front();
  if (name.find('/') != std::string::npos) return;
  for (const std::string& folder : parts_of(program.search_path, ":")) {
    const std::string path = (folder.empty() ? "." : folder) + '/' + name;
    if (::access(path.c_str(), X_OK) != 0) continue;
    // The path is relative to the rank's folder.
    char* full = program.folder.empty() ? nullptr : ::realpath(path.c_str(), nullptr);
    name = full ? full : path;
    std::free(full);
    return;
  }
}

// Handles -soft with -n: takes the largest number that was called acceptable.
void choose_ranks(Reader& reader, Program& program) {
  if (program.acceptable.empty() || program.ranks == 0) return;
  int chosen = 0;
  for (const int ranks : program.acceptable)
    if (ranks <= program.ranks) chosen = std::max(chosen, ranks);
  if (chosen == 0) {
    reader.option = "-soft";
    reader.fail(": no number of it is as small as -n " + std::to_string(program.ranks));
  }
  program.ranks = chosen;
  program.acceptable.clear();
}

void read_program(Reader& reader) {
  reader.program = {};
  while (reader.more() && reader.arguments[reader.next].starts_with("-")) {
    reader.option = reader.arguments[reader.next++];
    if (reader.option == "--") break;
    read_option(reader);
  }
  Program& program = reader.program;
  while (reader.more() && reader.arguments[reader.next] != reader.between_programs)
    program.arguments.push_back(reader.arguments[reader.next++]);
  choose_ranks(reader, program);
  find_program(program);
  reader.options.programs.push_back(std::move(program));
}

// Without -n, counts the ranks on this node from the other options.
void count_ranks(Options& options) {
  if (options.programs.size() != 1) return;
  int& ranks = options.programs.front().ranks;
  if (options.layout)
    ranks = options.layout->all_ranks();
  else if (ranks == 0 && options.per_object == 0)
    ranks = options.per_node ? options.per_node : options.slots;
}

// Returns which of all options contradict each other; empty: none.
std::string conflict(const Options& options) {
  long ranks = 0;
  for (const Program& program : options.programs) {
    if (program.arguments.empty() && !(options.dry_run && options.programs.size() == 1))
      return "no program given; mpiexec -n 4 ./program starts four ranks of it";
    if (program.ranks == 0 && options.programs.size() > 1)
      return "with several programs, each needs its own -n";
    ranks += program.ranks;
  }
  if (std::string problem = place_conflict(options, ranks); !problem.empty()) return problem;
  if (std::string problem = output_conflict(options.output); !problem.empty()) return problem;
  if (ranks > 0 && options.input >= ranks)
    return "--stdin " + std::to_string(options.input) + ": the last rank is " +
           std::to_string(ranks - 1);
  if (ranks > lockfree::ranks_max)
    return std::to_string(ranks) + " ranks are more than a job can have (" +
           std::to_string(lockfree::ranks_max) + ")";
  return {};
}

}  // namespace

std::expected<Options, std::string> parse_options(const std::vector<std::string>& arguments) {
  Reader reader{arguments};
  do {
    read_program(reader);
    if (!reader.more()) break;
    ++reader.next;  // the colon between programs
  } while (reader.error.empty());
  if (!reader.error.empty()) return std::unexpected(reader.error);
  Options& options = reader.options;
  if (options.help != HelpForm::none || options.version) return options;
  if (std::string problem = conflict(options); !problem.empty()) return std::unexpected(problem);
  count_ranks(options);
  if (!reader.ignored.empty())
    options.warnings.push_back("without effect here, and ignored: " + reader.ignored);
  return options;
}

}  // namespace baton::launch

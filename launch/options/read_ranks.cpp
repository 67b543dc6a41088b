// These read how many ranks there are and what they start with.
#include <strings.h>
#include <sys/utsname.h>

#include <algorithm>

#include "base/environment.hpp"
#include "launch/options/option_reader.hpp"
#include "launch/options/value_text.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

namespace {

constexpr const char* pair = "a name and a value";

void take_pair(Reader& reader, Variables& variables) {
  std::string name = reader.take(pair);
  std::string value = reader.take(pair);
  if (name.empty() || name.find('=') != std::string::npos)
    reader.fail(" " + name + ": not a variable's name; it takes a name and a value");
  variables.emplace_back(std::move(name), std::move(value));
}

Inheritance take_list(Reader& reader) {
  Inheritance inherits{false, parts_of(reader.take("names separated by commas"), ",")};
  for (const std::string& name : inherits.names)
    if (name.empty() || name.find('=') != std::string::npos)
      reader.fail(": \"" + name + "\" is no variable's name; it takes names separated by commas");
  return inherits;
}

// Reads FIRST[:LAST[:STEP]] of -soft.
bool add_triplet(const std::string& text, std::vector<int>& numbers) {
  std::vector<long> values;
  for (const std::string& part : parts_of(text, ":")) {
    auto value = number_in(part, 0, lockfree::ranks_max);
    if (!value) return false;
    values.push_back(*value);
  }
  if (values.size() > 3) return false;
  const long last = values.size() > 1 ? values[1] : values[0];
  const long step = values.size() > 2 ? values[2] : 1;
  if (step < 1 || last < values[0]) return false;
  for (long number = values[0]; number <= last; number += step)
    if (number > 0) numbers.push_back(static_cast<int>(number));
  return true;
}

}  // namespace

void read_ranks(Reader& reader) {
  reader.program.ranks =
      static_cast<int>(reader.number("a number of ranks", 1, lockfree::ranks_max));
}

void read_universe(Reader& reader) {
  reader.options.universe =
      static_cast<int>(reader.number("a number of processes", 1, lockfree::ranks_max));
}

void read_soft(Reader& reader) {
  const std::string text = reader.take("numbers of ranks, as in 2,4:16:4");
  std::vector<int>& numbers = reader.program.acceptable;
  numbers.clear();
  for (const std::string& part : parts_of(text, ","))
    if (!add_triplet(part, numbers)) {
      numbers.clear();
      break;
    }
  if (numbers.empty())
    reader.fail(" " + text + ": it takes numbers of ranks up to " +
                std::to_string(lockfree::ranks_max) + ", and FIRST:LAST or FIRST:LAST:STEP");
}

void read_arch(Reader& reader) {
  const std::string text = reader.take("a machine's architecture, as uname -m prints it");
  utsname here{};
  if (::uname(&here) == 0 && text != here.machine)
    reader.fail(" " + text + ": this machine is " + here.machine + "; leave it out");
}

void read_path(Reader& reader) {
  reader.program.search_path = reader.take_some("folders separated by colons");
}

void read_folder(Reader& reader) {
  reader.program.folder = reader.take("a folder");
}

// This reads the standard's name of the error handler with which ranks begin; its case does not
// matter.
void read_handler(Reader& reader) {
  static constexpr const char* names[] = {"mpi_errors_are_fatal", "mpi_errors_abort",
                                          "mpi_errors_return"};
  const char* what = "mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return";
  std::string text = reader.take(what);
  for (const char* name : names)
    if (::strcasecmp(text.c_str(), name) == 0)
      return (void)reader.program.variables.emplace_back("BATON_INITIAL_ERRHANDLER", name);
  reader.fail(" " + text + ": it takes " + what);
}

void read_env(Reader& reader) {
  take_pair(reader, reader.program.variables);
}
void read_genv(Reader& reader) {
  take_pair(reader, reader.options.variables);
}

// Reads -x NAME=VALUE, or -x NAME, which is for other hosts: here ranks inherit the environment
// anyway.
void read_export(Reader& reader) {
  std::string text = reader.take("NAME=VALUE");
  std::size_t equals = text.find('=');
  if (equals == 0) reader.fail(" " + text + ": the name is empty");
  if (equals != std::string::npos)
    reader.options.variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  else if (const char* value = environment_variable(text.c_str()))
    reader.options.variables.emplace_back(text, value);
}

void read_env_all(Reader& reader) {
  reader.program.inherits = Inheritance{};
}
void read_env_none(Reader& reader) {
  reader.program.inherits = Inheritance{false, {}};
}
void read_env_list(Reader& reader) {
  reader.program.inherits = take_list(reader);
}
void read_genv_all(Reader& reader) {
  reader.options.inherits = Inheritance{};
}
void read_genv_none(Reader& reader) {
  reader.options.inherits = Inheritance{false, {}};
}
void read_genv_list(Reader& reader) {
  reader.options.inherits = take_list(reader);
}

void read_input(Reader& reader) {
  const std::string text = reader.take("a rank, all or none");
  if (text == "all" || text == "none") {
    reader.options.input = text == "all" ? every_rank : no_rank;
    return;
  }
  auto rank = number_in(text, 0, lockfree::ranks_max - 1);
  if (!rank) return reader.fail(" " + text + ": it takes a rank, all or none");
  reader.options.input = static_cast<int>(*rank);
}

}  // namespace baton::launch

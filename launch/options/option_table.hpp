// Every option of mpiexec, once: parsing, --help, the man page, the shells' completions and the
// table in docs/launching.md are made of these rows. A new option is a new row and its reader.
// Invariant: a spelling stands in one row; one dash and two mean the same.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "launch/options/option_reader.hpp"

namespace baton::launch {

// Where people know an option from.
enum Origin : unsigned { standard = 1, mpich = 2, open_mpi = 4, intel = 8, slurm = 16, own = 32 };

enum class Group {
  ranks,
  surroundings,
  place,
  memory,
  output,
  reports,
  ends,
  files,
  ignored,
  elsewhere
};

struct OptionRow {
  Group group;
  const char* names;  // spellings, with spaces between them; the first is the one to use
  const char* value;  // "N", "NAME VALUE": so many words follow; "[=FILE]": only after =; "": none
  unsigned origins;
  const char* text;  // for people; of Group::elsewhere what to say here instead
  void (*read)(Reader&);
  const char* words = "";  // values to complete: words, or <file>, <folder>
};

std::span<const OptionRow> option_rows();          // those that do something
std::span<const OptionRow> foreign_option_rows();  // ignored, or with another name here

// The row that has this spelling; null: none.
const OptionRow* find_option(std::string_view spelling);

std::vector<std::string_view> spellings(const OptionRow& row);
// How many words behind it are its values.
int values_of(const OptionRow& row);

// "MPICH, Intel MPI"
std::string origins_text(unsigned origins);

// "did you mean ...?" where a spelling is near; empty otherwise.
std::string nearest_option(std::string_view spelling);

// --help, in its forms.
std::string help_text(HelpForm form);
std::string completion_text(HelpForm shell);

}  // namespace baton::launch

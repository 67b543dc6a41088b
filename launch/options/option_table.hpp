// These rows are all options of mpiexec: parsing, --help, the man page, the shells' completions and
// the table in docs/launching.md are made of them. A new option is a new row and its reader.
// Invariant: a spelling stands in one row; one dash and two mean the same.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "launch/options/option_reader.hpp"

namespace baton::launch {

// The origin says from which launchers people know an option.
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
  const char* names;  // spellings, separated by spaces; the first is preferred
  const char* value;  // "N", "NAME VALUE": words that follow; "[=FILE]": only after =; "": none
  unsigned origins;
  const char* text;  // for people; in Group::elsewhere the option to use here instead
  void (*read)(Reader&);
  const char* words = "";  // values to complete: words, or <file>, <folder>
};

std::span<const OptionRow> option_rows();          // those that have an effect
std::span<const OptionRow> foreign_option_rows();  // ignored, or with another name here

// Returns the row that has this spelling; null: none.
const OptionRow* find_option(std::string_view spelling);

std::vector<std::string_view> spellings(const OptionRow& row);
// Returns how many words behind the option are its values.
int values_of(const OptionRow& row);

// Returns "MPICH, Intel MPI" and the like.
std::string origins_text(unsigned origins);

// Returns "did you mean ...?" where a spelling is near; empty otherwise.
std::string nearest_option(std::string_view spelling);

// Returns --help, in one of its forms.
std::string help_text(HelpForm form);
std::string completion_text(HelpForm shell);

}  // namespace baton::launch

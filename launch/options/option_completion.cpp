// This writes the completion of mpiexec's words for bash, zsh and fish, from the table of options.
// Behind the options stands a program: its name is completed as the shell completes commands.
#include <fmt/format.h>

#include <string>

#include "launch/options/option_table.hpp"

namespace baton::launch {

namespace {

std::string joined(const OptionRow& row, const char* separator) {
  std::string text;
  for (std::string_view one : spellings(row)) {
    if (!text.empty()) text += separator;
    text += one;
  }
  return text;
}

// Returns the text up to its first clause, for a list of choices.
std::string short_text(const OptionRow& row) {
  std::string text = row.text;
  text.resize(std::min(text.find_first_of(":;("), text.size()));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

// Puts text in single quotes for a shell; in zsh's specifications a bracket and a colon would end
// it.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  return out + "'";
}

std::string bash() {
  std::string all, none, one, two, cases;
  for (std::span<const OptionRow> rows : {option_rows(), foreign_option_rows()})
    for (const OptionRow& row : rows) {
      if (row.group == Group::elsewhere) continue;
      if (row.group != Group::ignored) all += (all.empty() ? "" : " ") + joined(row, " ");
      const int values = values_of(row);
      std::string& names = values == 0 ? none : values == 1 ? one : two;
      names += (names.empty() ? "" : "|") + joined(row, "|");
      const std::string words = row.words;
      if (values == 0 || words.empty()) continue;
      const std::string how = words == "<file>"     ? "compgen -f"
                              : words == "<folder>" ? "compgen -d"
                                                    : "compgen -W " + quoted(words);
      cases += fmt::format("    {}) mapfile -t COMPREPLY < <({} -- \"$word\"); return ;;\n",
                           joined(row, "|"), how);
    }
  return fmt::format(R"(# bash completion of mpiexec (Baton); made by mpiexec --help=bash
_baton_mpiexec() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} i program=
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in
    :) program= ;;
    *) [ -n "$program" ] && continue
      case ${{COMP_WORDS[i]}} in
      {}) ((i += 1)) ;;
      {}) ((i += 2)) ;;
      -*) ;;
      *) program=$i ;;
      esac ;;
    esac
  done
  if [ -n "$program" ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
  fi
  case $before in
{}    {}|{}) return ;;
  esac
  case ${{COMP_WORDS[COMP_CWORD-2]:-}} in
    {}) return ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W {} -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word")
  fi
}}
complete -o filenames -F _baton_mpiexec mpiexec mpirun
)",
                     one, two, cases, one, two, two, quoted(all));
}

std::string zsh() {
  std::string out =
      "#compdef mpiexec mpirun\n# zsh completion of mpiexec (Baton); made by mpiexec "
      "--help=zsh\n_arguments -S \\\n";
  for (const OptionRow& row : option_rows()) {
    std::string text;
    for (const char c : short_text(row)) text += c == '[' || c == ']' ? ' ' : c;
    const std::string words = row.words;
    const std::string action = words == "<file>"     ? "_files"
                               : words == "<folder>" ? "_files -/"
                               : words.empty()       ? " "
                                                     : "(" + words + ")";
    for (std::string_view one : spellings(row)) {
      std::string specification = "*" + std::string(one) + "[" + text + "]";
      for (int value = 0; value < values_of(row); ++value)
        specification += ":value:" + (value ? " " : action);
      // A colon within a word would end the word.
      if (words.find(':') != std::string::npos)
        specification = "*" + std::string(one) + "[" + text + "]:value: ";
      out += "  " + quoted(specification) + " \\\n";
    }
  }
  return out + "  '(-)1:program:_command_names -e' '*::argument:_normal'\n";
}

std::string fish() {
  std::string out = "# fish completion of mpiexec (Baton); made by mpiexec --help=fish\n";
  for (const char* command : {"mpiexec", "mpirun"})
    for (const OptionRow& row : option_rows())
      for (std::string_view one : spellings(row)) {
        const bool two_dashes = one.starts_with("--");
        const std::string_view name = one.substr(two_dashes ? 2 : 1);
        out += fmt::format("complete -c {} -{} {}", command,
                           two_dashes         ? "l"
                           : name.size() == 1 ? "s"
                                              : "o",
                           name);
        const std::string words = row.words;
        if (values_of(row) > 0) {
          const std::string how = words.starts_with('<') ? "-r -F" : "-x";
          out += ' ' + how;
          if (!words.empty() && !words.starts_with('<')) out += " -a " + quoted(words);
        }
        if (row.text[0]) out += " -d " + quoted(short_text(row));
        out += '\n';
      }
  for (const char* command : {"mpiexec", "mpirun"})
    out += fmt::format("complete -c {} -a '(__fish_complete_subcommand)'\n", command);
  return out;
}

}  // namespace

std::string completion_text(HelpForm shell) {
  return shell == HelpForm::bash ? bash() : shell == HelpForm::zsh ? zsh() : fish();
}

}  // namespace baton::launch

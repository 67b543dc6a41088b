// This writes --help as text for a terminal, as the man page mpiexec(1), and as the table in
// docs/launching.md.
#include <fmt/format.h>

#include <iterator>
#include <string>

#include "launch/options/foreign_variables.hpp"
#include "launch/options/option_table.hpp"

namespace baton::launch {

namespace {

constexpr std::size_t text_column = 23, line_width = 112;

constexpr const char* synopsis =
    "mpiexec [options] program [arguments] [: [options] program [arguments]]...";
constexpr const char* purpose =
    "Starts the ranks of an MPI job on this node, and ends when they have ended.";
constexpr const char* ending =
    "Standard input goes to rank 0, the others read an empty one. The job ends at once when a rank "
    "dies, calls "
    "MPI_Abort, ends without MPI_Finalize, or (before MPI_Init) ends with a code other than 0, and "
    "on Ctrl-C. The exit "
    "code is that of the first rank that failed; a signal n gives 128+n. One dash or two mean the "
    "same.";

const char* title(Group group) {
  static constexpr const char* titles[] = {"Ranks",          "What they start with",
                                           "Where they run", "Memory",
                                           "Output",         "Reports",
                                           "Ends",           "Files",
                                           "Ignored",        "Elsewhere"};
  return titles[static_cast<int>(group)];
}

std::string join(const OptionRow& row, const char* separator) {
  std::string text;
  for (std::string_view one : spellings(row)) {
    if (!text.empty()) text += separator;
    text += one;
  }
  return text;
}

// Shortens "-n N, -np N" to "-n, -np N".
std::string head_of(const OptionRow& row) {
  const bool attached = row.value[0] == '[';
  return join(row, ", ") + (row.value[0] && !attached ? " " : "") + row.value;
}

void add_wrapped(std::string& out, std::string_view text, std::size_t indent) {
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + length > line_width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, length);
    column += length;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  out += '\n';
}

std::string ignored_names() {
  std::string names;
  for (const OptionRow& row : foreign_option_rows())
    if (row.group == Group::ignored) names += (names.empty() ? "" : ", ") + join(row, ", ");
  return names;
}

std::string plain() {
  std::string out = fmt::format("usage: {}\n\n{}\n", synopsis, purpose);
  const OptionRow* before = nullptr;
  for (const OptionRow& row : option_rows()) {
    if (!before || before->group != row.group) out += fmt::format("\n{}:\n", title(row.group));
    before = &row;
    const std::string head = "  " + head_of(row);
    out += head;
    if (row.text[0] == '\0') {
      out += '\n';
      continue;
    }
    out += head.size() + 2 > text_column ? '\n' + std::string(text_column, ' ')
                                         : std::string(text_column - head.size(), ' ');
    add_wrapped(out, row.text, text_column);
  }
  out += "\nOf other launchers, without effect here: ";
  add_wrapped(out, "docs/launching.md lists them; a warning names those that are used.", 41);
  out += '\n';
  add_wrapped(out, ending, 0);
  return out;
}

// Escapes text for roff: dashes stay dashes, and no line begins with a dot.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else if (c == '\'')
      out += "\\(aq";
    else
      out += c;
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string man() {
  std::string out = fmt::format(
      ".TH MPIEXEC 1 \"\" \"Baton {}\" \"User Commands\"\n.SH NAME\nmpiexec, mpirun \\- start the "
      "ranks of an MPI job\n"
      ".SH SYNOPSIS\n{}\n.SH DESCRIPTION\n{}\n.PP\n{}\n",
      BATON_VERSION, roff(synopsis), roff(purpose), roff(ending));
  const OptionRow* before = nullptr;
  for (const OptionRow& row : option_rows()) {
    if (!before || before->group != row.group)
      out += fmt::format(".SH {}\n", roff(title(row.group)));
    before = &row;
    out += fmt::format(".TP\n.B {}\n{}\n", roff(head_of(row)),
                       roff(row.text[0] ? row.text : "see above"));
  }
  out += fmt::format(
      ".SH Ignored\nOf other launchers, without effect here; a warning names them: {}.\n.SH EXIT "
      "STATUS\n0: every rank succeeded. 2: wrong usage. 124: \\-\\-timeout. 127: a program could "
      "not be started. 128+n: signal n. Otherwise the code of the first rank that failed; 1 where "
      "it ended without MPI_Finalize, or a report that was asked for could not be written.\n.SH "
      "SEE ALSO\nmpicc(1), baton(1)\n",
      roff(ignored_names()));
  return out;
}

// Escapes the text of a table's cell, so that nothing in it ends the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string code_names(const OptionRow& row) {
  std::string text;
  for (std::string_view one : spellings(row))
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", one);
  return text;
}

std::string markdown() {
  std::string out = "| option | known from | here |\n|---|---|---|\n";
  const OptionRow* before = nullptr;
  for (const OptionRow& row : option_rows()) {
    if (!before || before->group != row.group)
      out += fmt::format("| **{}** | | |\n", title(row.group));
    before = &row;
    std::string value = row.value[0] ? fmt::format(" `{}`", row.value) : "";
    out += fmt::format("| {}{} | {} | {} |\n", code_names(row), value, origins_text(row.origins),
                       cell(row.text[0] ? row.text : "see above"));
  }
  out += "| **Without effect, with a warning** | | |\n";
  for (const OptionRow& row : foreign_option_rows())
    if (row.group == Group::ignored)
      out += fmt::format("| {}{} | {} | ignored |\n", code_names(row),
                         row.value[0] ? fmt::format(" `{}`", row.value) : "",
                         origins_text(row.origins));
  out += "| **An error that names what to say** | | |\n";
  for (const OptionRow& row : foreign_option_rows())
    if (row.group == Group::elsewhere)
      out += fmt::format("| {} | {} | {} |\n", code_names(row), origins_text(row.origins),
                         cell(row.text));
  return out;
}

}  // namespace

std::string origins_text(unsigned origins) {
  static constexpr std::pair<unsigned, const char*> names[] = {
      {standard, "the standard"}, {mpich, "MPICH"}, {intel, "Intel MPI"},
      {open_mpi, "Open MPI"},     {slurm, "srun"},  {own, "Baton"}};
  std::string text;
  for (const auto& [origin, name] : names)
    if (origins & origin) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string help_text(HelpForm form) {
  switch (form) {
    case HelpForm::man:
      return man();
    case HelpForm::markdown:
      return markdown();
    case HelpForm::variables:
      return foreign_variables_markdown();
    case HelpForm::bash:
    case HelpForm::zsh:
    case HelpForm::fish:
      return completion_text(form);
    default:
      return plain();
  }
}

}  // namespace baton::launch

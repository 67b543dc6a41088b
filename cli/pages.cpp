#include "cli/pages.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace baton::cli {

namespace {

std::vector<const CLI::App*> commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Returns "--json" and so on, without the positional arguments.
std::vector<std::string> options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '-' ? "\\-" : c == '\\' ? "\\e" : c == '\'' ? "\\(aq" : std::string(1, c);
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string man(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH BATON 1 \"\" \"Baton {}\" \"User Commands\"\n.SH NAME\nbaton \\- the tool of the Baton "
      "MPI "
      "library\n.SH SYNOPSIS\nbaton COMMAND [options]\n.SH COMMANDS\n",
      BATON_VERSION);
  for (const CLI::App* command : commands(app)) {
    out += fmt::format(".SS {}\n{}\n", roff(command->get_name()), roff(command->get_description()));
    for (const CLI::Option* option : command->get_options())
      out += fmt::format(".TP\n.B {}\n{}\n", roff(option->get_name(false, true)),
                         roff(option->get_description()));
  }
  return out +
         ".SH EXIT STATUS\n0: done. 1: it failed, or what it checked has a problem. 2: wrong "
         "usage. 128+n: ended by signal n.\n.SH SEE ALSO\nmpiexec(1), mpicc(1)\n";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands(app)) names.push_back(command->get_name());
  return joined(names);
}

std::string bash(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : commands(app))
    cases +=
        fmt::format("  {}) words={} ;;\n", command->get_name(), quoted(joined(options(*command))));
  return fmt::format(R"(# bash completion of baton; made by baton --page bash
_baton() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words={}
  if ((COMP_CWORD > 1)); then
    words=
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  if ((COMP_CWORD > 1)) && [[ $word != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}}
complete -o filenames -F _baton baton
)",
                     quoted(names_of(app)), cases);
}

std::string zsh(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : commands(app))
    cases +=
        fmt::format("  {}) compadd -- {} ;;\n", command->get_name(), joined(options(*command)));
  return fmt::format(
      "#compdef baton\n# zsh completion of baton; made by baton --page zsh\n"
      "if ((CURRENT == 2)); then\n  compadd -- {}\nelif [[ $PREFIX == -* ]]; then\n"
      "  case $words[2] in\n{}  esac\nelse\n  _files\nfi\n",
      names_of(app), cases);
}

std::string fish(const CLI::App& app) {
  std::string out = "# fish completion of baton; made by baton --page fish\n";
  for (const CLI::App* command : commands(app)) {
    out += fmt::format("complete -c baton -n __fish_use_subcommand -f -a {} -d {}\n",
                       command->get_name(), quoted(command->get_description()));
    for (const std::string& name : options(*command))
      out += fmt::format("complete -c baton -n '__fish_seen_subcommand_from {}' -{} {}\n",
                         command->get_name(), name.starts_with("--") ? "l" : "s",
                         name.substr(name.starts_with("--") ? 2 : 1));
  }
  return out;
}

}  // namespace

std::string page(const CLI::App& app, const std::string& form) {
  if (form == "man") return man(app);
  if (form == "bash") return bash(app);
  if (form == "zsh") return zsh(app);
  return form == "fish" ? fish(app) : std::string();
}

}  // namespace baton::cli

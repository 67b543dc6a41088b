// This makes the tool's man page and the shells' completions of its words, from its parser.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace baton::cli {

// Returns the page in the form "man", "bash", "zsh" or "fish"; empty for another word.
std::string page(const CLI::App& app, const std::string& form);

}  // namespace baton::cli

// The tool's man page and the shells' completions of its words, from what its parser knows.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace baton::cli {

// "man", "bash", "zsh" or "fish"; empty for another word.
std::string page(const CLI::App& app, const std::string& form);

}  // namespace baton::cli

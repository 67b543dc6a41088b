// Asks the dynamic loader of a program which libraries it would load, before the program is
// started. The loader knows it exactly: run paths, LD_LIBRARY_PATH, its cache, libraries of
// libraries. The program itself does not run.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace baton::launch {

// A program as a rank would be started.
struct Asked {
  std::string file;  // seen from the folder
  std::string folder;
  std::vector<std::string> environment;
};

// A loader that was asked; it answers while we do something else.
struct LoaderQuestion {
  pid_t loader = 0;  // 0: there is nobody to ask
  int answer = -1;   // a pipe
};

struct LoadedLibrary {
  std::string name;  // as a program or library needs it, without folders
  std::string path;  // empty: not found
};

// Nobody is asked of scripts, static programs and files that cannot be read.
LoaderQuestion ask_loader(const Asked& program);

// Waits for the answer, for some seconds at most. None: not known.
std::optional<std::vector<LoadedLibrary>> answer_of(const LoaderQuestion& question);

// Asks once more: which file needs this library. Empty: not known.
std::string who_needs(const Asked& program, const std::string& library);

}  // namespace baton::launch

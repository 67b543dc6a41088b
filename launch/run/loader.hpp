// Asks the dynamic loader of a program which libraries it would load, before the program is
// started. The loader knows it exactly: run paths, LD_LIBRARY_PATH, its cache, libraries of
// libraries. The program itself does not run.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace baton::launch {

// This is a program with the environment and folder with which a rank would be started.
struct Asked {
  std::string file;  // relative to the folder
  std::string folder;
  std::vector<std::string> environment;
};

// This is a loader that was asked; it answers while we do something else.
struct LoaderQuestion {
  pid_t loader = 0;  // 0: there is no loader
  int answer = -1;   // read end of a pipe
};

struct LoadedLibrary {
  std::string name;  // as a program or library requires it, without folders
  std::string path;  // empty: not found
};

// Asks the program's loader. Scripts, static programs and files that cannot be read have none.
LoaderQuestion ask_loader(const Asked& program);

// Waits for the answer, for some seconds at most. None: it is not known.
std::optional<std::vector<LoadedLibrary>> answer_of(const LoaderQuestion& question);

// Asks once more: which file needs this library. Empty: it is not known.
std::string who_needs(const Asked& program, const std::string& library);

}  // namespace baton::launch

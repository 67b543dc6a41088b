// This checks which MPI library the ranks' programs would load. A program that was built for
// another MPI's own interface, or that insists on another library, is named before anything starts,
// since each of its ranks would be rank 0 of 1, and the job would seem to succeed.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/options/options.hpp"
#include "launch/run/loader.hpp"

namespace baton::launch {

// These are the questions to the programs' loaders, which answer while mpiexec reads the machine.
struct LibraryQuestions {
  std::vector<Asked> programs;  // programs that differ
  std::vector<LoaderQuestion> questions;
};

LibraryQuestions ask_for_libraries(const Options& options);

// Waits for the answers. The error says what a program needs, and what to do. A program that cannot
// be asked passes.
std::expected<void, std::string> check_libraries(const LibraryQuestions& asked,
                                                 const Options& options);

// Returns whose library this is, by its name: "MPICH's (...)". None: no other MPI's.
std::optional<std::string_view> foreign_library(std::string_view name);

}  // namespace baton::launch

#include "launch/run/library_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "base/search_path.hpp"
#include "launch/options/environment.hpp"
#include "launch/run/spawn.hpp"

namespace baton::launch {

namespace {

constexpr std::string_view standard_name = "libmpi_abi.so.1";
constexpr std::string_view of_mpich = "MPICH (and Intel MPI, MVAPICH, Cray MPICH)";
constexpr std::string_view of_open_mpi = "Open MPI";

bool same_file(const std::string& one, const std::string& other) {
  struct stat a {
  }, b{};
  return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

// The folder's file is a link to the one beside it, or a copy where links cannot be packed.
bool is_ours(const std::string& path, const std::string& folder) {
  return same_file(path, fmt::format("{}/{}", folder, standard_name)) ||
         same_file(path, fmt::format("{}/../{}", folder, standard_name));
}

// Returns whether the loaders of both programs would give equal answers. In some jobs many programs
// differ only in variables that do not matter to loaders.
bool same_for_loaders(const Asked& one, const Asked& other) {
  auto heeded = [](const Asked& program) {
    std::vector<std::string> variables;
    for (const std::string& entry : program.environment)
      if (entry.starts_with("LD_") || entry.starts_with("GLIBC_TUNABLES="))
        variables.push_back(entry);
    return variables;
  };
  return one.file == other.file && one.folder == other.folder && heeded(one) == heeded(other);
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string foreign_text(const Asked& program, const std::string& library, std::string_view whose) {
  const std::string needer = who_needs(program, library);
  const bool itself = needer.empty() || name_of(needer) == name_of(program.file);
  const std::string through = itself ? "" : " (through " + needer + ")";
  const std::string built = itself ? "it" : "it and " + name_of(needer);
  return fmt::format(
      "{} needs {}{}, the library of {} with an interface of its own. Baton has that of the MPI "
      "5.0 standard ABI ({}), so each rank would be rank 0 of 1. Compile {} with Baton's mpicc, or "
      "another one for the standard ABI; or start it with that library's own mpiexec",
      program.file, library, through, whose, standard_name, built);
}

std::string insisting_text(const Asked& program, const std::string& path) {
  const std::string preload = find_variable(program.environment, "LD_PRELOAD").value_or("");
  std::string words = preload;
  std::ranges::replace(words, ' ', ':');
  if (has_folder(words, path))
    return fmt::format(
        "{} would load {}, which LD_PRELOAD names, and not Baton's library: each rank would be "
        "rank 0 of 1. Take it out of LD_PRELOAD, or start the program with that library's own "
        "mpiexec",
        program.file, path);
  return fmt::format(
      "{} would load {}, and not Baton's library, although mpiexec leads it there by "
      "LD_LIBRARY_PATH: it, or a library it needs, was linked with DT_RPATH, which comes first. "
      "Each rank would be rank 0 of 1. Link it with -Wl,--enable-new-dtags, as Baton's mpicc does; "
      "or turn DT_RPATH into DT_RUNPATH with `chrpath -c FILE`; or start it with that library's "
      "own mpiexec",
      program.file, path);
}

std::optional<std::string> problem_of(const Asked& program,
                                      const std::vector<LoadedLibrary>& libraries,
                                      const std::string& folder) {
  for (const LoadedLibrary& library : libraries)
    if (auto whose = foreign_library(library.name))
      return foreign_text(program, library.name, *whose);
  if (folder.empty()) return std::nullopt;
  for (const LoadedLibrary& library : libraries)
    if (library.name == standard_name && !library.path.empty() && !is_ours(library.path, folder))
      return insisting_text(program, library.path);
  return std::nullopt;
}

}  // namespace

LibraryQuestions ask_for_libraries(const Options& options) {
  LibraryQuestions asked;
  for (const Program& program : options.programs) {
    if (program.arguments.empty() || is_launcher(program.arguments.front())) continue;
    std::vector<std::string> environment = program_environment(options, program);
    auto file = find_program(program.arguments.front(), program.folder, environment);
    if (!file) continue;  // starting the program will report it
    // Loaders search the library path for a name without a folder.
    if (file->find('/') == std::string::npos) file->insert(0, "./");
    Asked one{*file, program.folder, std::move(environment)};
    if (std::ranges::any_of(asked.programs,
                            [&](const Asked& before) { return same_for_loaders(before, one); }))
      continue;
    asked.questions.push_back(ask_loader(one));
    asked.programs.push_back(std::move(one));
  }
  return asked;
}

std::expected<void, std::string> check_libraries(const LibraryQuestions& asked,
                                                 const Options& options) {
  std::optional<std::string> first;
  for (std::size_t i = 0; i < asked.programs.size(); ++i) {
    auto libraries = answer_of(asked.questions[i]);  // read all, so that no loader is left
    if (!libraries || first) continue;
    first = problem_of(asked.programs[i], *libraries, options.library_folder);
  }
  if (first) return std::unexpected(*first);
  return {};
}

std::optional<std::string_view> foreign_library(std::string_view name) {
  const std::size_t so = name.find(".so.");
  if (so == name.npos) return std::nullopt;
  const std::string_view base = name.substr(0, so);
  const int version = std::atoi(std::string(name.substr(so + 4)).c_str());
  // MPICH and its kin agreed on version 12; Open MPI counts 0, 1, 12 (in 1.10), 20, 40.
  if (base == "libmpi") return version == 12 ? of_mpich : of_open_mpi;
  for (std::string_view start :
       {"libmpi_mpifh", "libmpi_usempi", "libmpi_cxx", "libmpi_java", "libmpi_f77", "libmpi_f90"})
    if (base.starts_with(start)) return of_open_mpi;
  for (std::string_view start :
       {"libmpich", "libmpifort", "libmpicxx", "libmpi_cray", "libmpi_gnu", "libmpi_intel",
        "libmpi_nvidia", "libmpi_amd", "libmpi_aocc", "libmpi_pgi"})
    if (base.starts_with(start) && base.find("_abi") == base.npos) return of_mpich;
  return std::nullopt;
}

}  // namespace baton::launch

#include "launch/run/loader.hpp"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <string_view>

#include "launch/options/environment.hpp"
#include "launch/run/spawn.hpp"

namespace baton::launch {

namespace {

constexpr auto patience = std::chrono::seconds(5);  // guess: libraries on a slow file system
constexpr std::size_t answer_bytes_max = std::size_t{1} << 20;  // guess: thousands of libraries

bool read_at(int file, std::uint64_t offset, void* bytes, std::size_t size) {
  return ::pread(file, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

// Returns the program's own loader, as the program names it; empty where there is none.
std::string loader_in(int file) {
  Elf64_Ehdr head;
  if (!read_at(file, 0, &head, sizeof head)) return {};
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr)) return {};
  for (int i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!read_at(file, head.e_phoff + i * sizeof part, &part, sizeof part)) return {};
    if (part.p_type != PT_INTERP) continue;
    if (part.p_filesz == 0 || part.p_filesz > PATH_MAX) return {};
    std::string name(part.p_filesz, 0);
    if (!read_at(file, part.p_offset, name.data(), name.size())) return {};
    name.resize(std::strlen(name.c_str()));
    return name;
  }
  return {};
}

std::string loader_of(const Asked& program) {
  const bool elsewhere = !program.folder.empty() && !program.file.starts_with("/");
  const std::string path = elsewhere ? program.folder + "/" + program.file : program.file;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  std::string loader = loader_in(file);
  ::close(file);
  return loader;
}

// Starts the loader as a rank would be, in the program's folder; its output goes into the pipe.
pid_t start(const std::string& loader, const Asked& program, int pipe_end) {
  RankStart question;
  question.arguments = {loader, "--list", program.file};
  question.environment = program.environment;
  question.folder = program.folder;
  question.standard_input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  question.standard_output = question.standard_error = pipe_end;
  Inherited as_we{};
  ::sigprocmask(SIG_BLOCK, nullptr, &as_we.signals);
  ::getrlimit(RLIMIT_NOFILE, &as_we.open_files);
  const auto child = start_rank(question, as_we);
  if (question.standard_input >= 0) ::close(question.standard_input);
  return child.value_or(0);
}

}  // namespace

LoaderQuestion ask_loader(const Asked& program) {
  const std::string loader = loader_of(program);
  int ends[2];
  if (loader.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = start(loader, program, ends[1]);
  ::close(ends[1]);
  if (child > 0) return {child, ends[0]};
  ::close(ends[0]);
  return {};
}

namespace {

// Returns all that the loader writes until it ends, or nothing if that takes too long.
std::optional<std::string> text_of(int pipe_end) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::string text;
  char part[4096];
  while (text.size() < answer_bytes_max) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd polled{pipe_end, POLLIN, 0};
    const int ready = left.count() > 0 ? ::poll(&polled, 1, static_cast<int>(left.count())) : 0;
    if (ready == 0) return std::nullopt;
    const ssize_t got = ready < 0 ? -1 : ::read(pipe_end, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

// Reads the loader's text and waits for its end. Its exit code tells no more than its text.
std::optional<std::string> hear(const LoaderQuestion& question) {
  if (question.loader == 0) return std::nullopt;
  std::optional<std::string> text = text_of(question.answer);
  ::close(question.answer);
  // A loader that hangs in the kernel is not waited for.
  if (!text) ::kill(question.loader, SIGKILL);
  while (::waitpid(question.loader, nullptr, text ? 0 : WNOHANG) < 0 && errno == EINTR) {
  }
  return text;
}

// Reads "./program: error while loading shared libraries: libx.so: cannot open ...".
std::optional<LoadedLibrary> missing_in(std::string_view line) {
  constexpr std::string_view words = "error while loading shared libraries: ";
  const std::size_t start = line.find(words);
  if (start == line.npos) return std::nullopt;
  line.remove_prefix(start + words.size());
  return LoadedLibrary{std::string(line.substr(0, line.find(':'))), {}};
}

// Reads "\tlibm.so.6 => /lib/libm.so.6 (0x...)", "\tlibx.so => not found", "\t/lib/ld.so (0x...)".
std::optional<LoadedLibrary> library_in(std::string_view line) {
  if (!line.starts_with('\t')) return missing_in(line);
  line.remove_prefix(1);
  constexpr std::string_view arrow = " => ";
  const std::size_t middle = line.find(arrow);
  std::string_view name = line.substr(0, middle);
  std::string_view path = middle == line.npos ? line : line.substr(middle + arrow.size());
  const std::size_t address = path.rfind(" (0x");
  if (middle == line.npos) name = path.substr(0, address);
  name.remove_prefix(name.rfind('/') + 1);
  if (address == path.npos) return LoadedLibrary{std::string(name), {}};
  return LoadedLibrary{std::string(name), std::string(path.substr(0, address))};
}

template <typename Take>
void for_each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::vector<LoadedLibrary>> answer_of(const LoaderQuestion& question) {
  const std::optional<std::string> text = hear(question);
  if (!text) return std::nullopt;
  std::vector<LoadedLibrary> libraries;
  for_each_line(*text, [&](std::string_view line) {
    if (auto library = library_in(line)) libraries.push_back(std::move(*library));
  });
  return libraries;
}

std::string who_needs(const Asked& program, const std::string& library) {
  Asked tells = program;
  std::erase_if(tells.environment,
                [](const std::string& entry) { return entry.starts_with("LD_DEBUG_OUTPUT="); });
  set_variable(tells.environment, "LD_DEBUG", "files");
  const std::string text = hear(ask_loader(tells)).value_or("");
  // The line is " 4711: file=libx.so [0]; needed by ./program [0]".
  std::string needer;
  for_each_line(text, [&](std::string_view line) {
    constexpr std::string_view words = "needed by ";
    const std::size_t start = line.find(words);
    if (!needer.empty() || start == line.npos) return;
    if (line.find("file=" + library + " ") == line.npos) return;
    line.remove_prefix(start + words.size());
    needer = line.substr(0, line.rfind(" ["));
  });
  return needer;
}

}  // namespace baton::launch

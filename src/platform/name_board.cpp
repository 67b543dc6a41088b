#include "platform/name_board.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "platform/process_life.hpp"

namespace baton::platform {

namespace {

std::string folder_name() {
  return "/dev/shm/baton-" + std::to_string(::geteuid());
}

// Opens the folder; -1 with errno set. One that another user has made is not used.
int open_folder(bool make) {
  const std::string name = folder_name();
  if (make && ::mkdir(name.c_str(), 0700) != 0 && errno != EEXIST) return -1;
  const int folder = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat facts {};
  if (folder >= 0 &&
      (::fstat(folder, &facts) != 0 || facts.st_uid != ::geteuid() || (facts.st_mode & 077) != 0)) {
    ::close(folder);
    errno = EACCES;
    return -1;
  }
  return folder;
}

// A note as it is written: process, its beginning, title and text, a line each.
struct Note {
  int process = 0;
  unsigned long long began = 0;
  std::string title, text;

  bool counts() const { return process > 0 && began_at(process) == began; }
};

bool read_note(int folder, const char* entry, Note* note) {
  const int file = ::openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  std::string content(8192, 0);
  const ssize_t bytes = ::read(file, content.data(), content.size());
  ::close(file);
  if (bytes <= 0) return false;
  content.resize(static_cast<std::size_t>(bytes));
  int title = 0;
  if (std::sscanf(content.c_str(), "%d %llu\n%n", &note->process, &note->began, &title) != 2)
    return false;
  const std::size_t end = content.rfind('\n', content.size() - 2);
  if (title == 0 || end == std::string::npos || end < static_cast<std::size_t>(title)) return false;
  note->title =
      content.substr(static_cast<std::size_t>(title), end - static_cast<std::size_t>(title));
  note->text = content.substr(end + 1, content.size() - end - 2);
  return true;
}

// Writes a note that is complete when it can be seen.
bool write_note(int folder, const char* entry, const char* title, const char* text) {
  const std::string fresh = "new." + std::to_string(::getpid()) + "." + std::to_string(::gettid());
  const int file = ::openat(folder, fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const std::string content = std::to_string(::getpid()) + " " +
                              std::to_string(began_at(::getpid())) + "\n" + title + "\n" + text +
                              "\n";
  const bool written =
      ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  ::close(file);
  const bool linked = written && ::linkat(folder, fresh.c_str(), folder, entry, 0) == 0;
  const int why = errno;
  ::unlinkat(folder, fresh.c_str(), 0);
  errno = why;
  return linked;
}

bool try_to_write(const char* entry, const char* title, const char* text) {
  const int folder = open_folder(true);
  if (folder < 0) return false;
  bool written = write_note(folder, entry, title, text);
  Note old;
  if (!written && errno == EEXIST && read_note(folder, entry, &old) && !old.counts()) {
    ::unlinkat(folder, entry, 0);
    written = write_note(folder, entry, title, text);
  }
  const int why = errno;
  ::close(folder);
  errno = why;
  return written;
}

}  // namespace

bool write_on_board(const char* entry, const char* title, const char* text) {
  // Others remove the folder with their last note, also when this process has just opened it.
  constexpr int tries_max = 1000;  // guess
  for (int tries = 0; tries < tries_max; ++tries)
    if (try_to_write(entry, title, text))
      return true;
    else if (errno != ENOENT)
      return false;
  return false;
}

bool read_on_board(const char* entry, const char* title, char* text, std::size_t size) {
  const int folder = open_folder(false);
  if (folder < 0) return false;
  Note note;
  const bool found = read_note(folder, entry, &note) && note.counts() && note.title == title;
  ::close(folder);
  if (found) std::snprintf(text, size, "%s", note.text.c_str());
  return found;
}

void remove_from_board(const char* entry) {
  const int folder = open_folder(false);
  if (folder < 0) return;
  ::unlinkat(folder, entry, 0);
  ::close(folder);
  ::rmdir(folder_name().c_str());  // fails while others have notes there
}

void tidy_board() {
  const int folder = open_folder(false);
  if (folder < 0) return;
  if (DIR* list = ::fdopendir(::dup(folder))) {
    while (const dirent* one = ::readdir(list)) {
      Note note;
      if (one->d_name[0] == '.' || std::strncmp(one->d_name, "new.", 4) == 0) continue;
      if (read_note(folder, one->d_name, &note) && !note.counts())
        ::unlinkat(folder, one->d_name, 0);
    }
    ::closedir(list);
  }
  ::close(folder);
  ::rmdir(folder_name().c_str());
}

}  // namespace baton::platform

#include "platform/unreadable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace baton::platform {

namespace {

// Below this it is rather a guard of a stack. guess
constexpr std::size_t reservation_bytes_min = 2 << 20;

// A line of /proc/PID/maps, as far as it is needed: START-END PERMISSIONS OFFSET DEVICE INODE ...
struct Line {
  char text[80];
  std::size_t length = 0;
};

const char* take_hexadecimal(const char* text, std::uintptr_t* number) {
  for (*number = 0;; ++text) {
    const char c = *text;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return text;
    *number = *number * 16 + static_cast<std::uintptr_t>(digit);
  }
}

// Returns whether it is the line of the address; then its size, if it is unreadable memory.
bool is_line_of(const Line& line, std::uintptr_t address, std::size_t* unreadable_bytes) {
  std::uintptr_t start, end;
  const char* rest = take_hexadecimal(line.text, &start);
  if (*rest != '-') return false;
  rest = take_hexadecimal(rest + 1, &end);
  if (address - start >= end - start) return false;
  if (std::strncmp(rest, " ---p ", 6) == 0) *unreadable_bytes = end - start;
  return true;
}

}  // namespace

std::size_t unreadable_reservation(const void* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::size_t bytes = 0;
  bool found = false;
  Line line;
  char part[1024];
  for (ssize_t got; !found && (got = ::read(file, part, sizeof part)) > 0;)
    for (ssize_t i = 0; i < got && !found; ++i) {
      if (part[i] != '\n') {
        if (line.length + 1 < sizeof line.text) line.text[line.length++] = part[i];
        continue;
      }
      line.text[line.length] = 0;
      line.length = 0;
      found = is_line_of(line, address, &bytes);
    }
  ::close(file);
  return bytes >= reservation_bytes_min ? bytes : 0;
}

}  // namespace baton::platform

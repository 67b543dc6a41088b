#include "file/lost_data.hpp"

#include <atomic>
#include <cstdio>

namespace baton::file {

namespace {

std::atomic<std::uint32_t> looks{0};

bool returns_errors(const ErrorTarget& errors) {
  const ErrorHandler* handler = errors.handler;
  return handler && handler->action == ErrorHandler::Action::return_code;
}

}  // namespace

void note_lost_data(LostData& lost) {
  if (lost.any) return;
  lost.any = true;
  lost.looks = looks.load(std::memory_order_relaxed);  // relaxed: a number to compare with
  std::snprintf(lost.text, sizeof lost.text, "%.*s", static_cast<int>(sizeof lost.text) - 1,
                last_explanation().text);
}

void note_look() {
  looks.fetch_add(1, std::memory_order_relaxed);  // relaxed: as in note_lost_data
}

void tell_of_lost_data(const LostData& lost, const ErrorTarget& errors) {
  // relaxed: as in note_lost_data
  if (!lost.any || looks.load(std::memory_order_relaxed) != lost.looks) return;
  if (!returns_errors(errors)) return;
  char text[sizeof lost.text + 120];
  std::snprintf(text, sizeof text,
                "data was not written, and the program has not looked at the error code that it "
                "got: %s",
                lost.text);
  print_message(text);
}

}  // namespace baton::file

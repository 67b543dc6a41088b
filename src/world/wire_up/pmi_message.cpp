#include "world/wire_up/pmi_message.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace baton::world {

namespace {

constexpr std::size_t length_digits = 6;

constexpr char end_of_field(PmiDialect dialect) {
  return dialect == PmiDialect::pmi1 ? ' ' : ';';
}

bool ends_value(PmiDialect dialect, char letter) {
  return letter == end_of_field(dialect) || letter == '\n' || letter == '\0';
}

PmiArrival take_line(std::string_view received, std::string_view* text, std::size_t* used) {
  const std::size_t end = received.find('\n');
  if (end == std::string_view::npos)
    return received.size() < pmi_message_bytes_max ? PmiArrival::more : PmiArrival::garbage;
  *text = received.substr(0, end);
  *used = end + 1;
  return PmiArrival::whole;
}

PmiArrival take_frame(std::string_view received, std::string_view* text, std::size_t* used) {
  if (received.size() < length_digits) return PmiArrival::more;
  std::string_view digits = received.substr(0, length_digits);
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  int length;
  if (!whole_number(digits, &length) || length <= 0 ||
      static_cast<std::size_t>(length) > pmi_message_bytes_max - length_digits)
    return PmiArrival::garbage;
  const std::size_t bytes = static_cast<std::size_t>(length);
  if (received.size() < length_digits + bytes) return PmiArrival::more;
  *text = received.substr(length_digits, bytes);
  *used = length_digits + bytes;
  return PmiArrival::whole;
}

}  // namespace

bool whole_number(std::string_view text, int* number) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc{} && stopped == end && !text.empty();
}

PmiRequest::PmiRequest(PmiDialect dialect, const char* command) : dialect_(dialect) {
  if (dialect == PmiDialect::pmi2) append("      ");
  append("cmd=");
  append(command);
}

void PmiRequest::append(std::string_view text) {
  if (text.size() > sizeof text_ - bytes_) {
    broken_ = true;
    return;
  }
  std::memcpy(text_ + bytes_, text.data(), text.size());
  bytes_ += text.size();
}

PmiRequest& PmiRequest::add(const char* name, std::string_view value) {
  for (char letter : value) broken_ |= ends_value(dialect_, letter);
  const char separator = end_of_field(dialect_);
  append({&separator, 1});
  append(name);
  append("=");
  append(value);
  return *this;
}

PmiRequest& PmiRequest::add(const char* name, int value) {
  char digits[16];
  return add(name, std::string_view(digits, static_cast<std::size_t>(std::snprintf(
                                                digits, sizeof digits, "%d", value))));
}

std::string_view PmiRequest::finish() {
  append(dialect_ == PmiDialect::pmi1 ? "\n" : ";");
  if (broken_) return {};
  if (dialect_ == PmiDialect::pmi2) {
    char digits[24];
    const int count = std::snprintf(digits, sizeof digits, "%zu", bytes_ - length_digits);
    std::memcpy(text_, digits, static_cast<std::size_t>(count));
  }
  return {text_, bytes_};
}

std::size_t pmi_words(PmiDialect dialect, const char* words, char* text, std::size_t space) {
  std::size_t bytes = 0;
  for (; words[bytes] && bytes < space; ++bytes) {
    const char letter = words[bytes];
    const char instead = dialect == PmiDialect::pmi1 ? '_' : ' ';
    text[bytes] = letter == '=' ? ':' : ends_value(dialect, letter) ? instead : letter;
  }
  return bytes;
}

PmiArrival take_pmi_message(PmiDialect dialect, std::string_view received, std::string_view* text,
                            std::size_t* used) {
  return dialect == PmiDialect::pmi1 ? take_line(received, text, used)
                                     : take_frame(received, text, used);
}

std::string_view PmiReply::command() const {
  std::string_view found;
  return find("cmd", &found) ? found : std::string_view{};
}

bool PmiReply::find(std::string_view name, std::string_view* value) const {
  const char end = end_of_field(dialect);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view field = rest.substr(0, rest.find(end));
    rest.remove_prefix(field.size() < rest.size() ? field.size() + 1 : rest.size());
    if (field.size() <= name.size() || !field.starts_with(name) || field[name.size()] != '=')
      continue;
    *value = field.substr(name.size() + 1);
    return true;
  }
  return false;
}

bool PmiReply::find(std::string_view name, int* number) const {
  std::string_view value;
  return find(name, &value) && whole_number(value, number);
}

bool PmiReply::succeeded() const {
  std::string_view code;
  int number;
  return !find("rc", &code) || (whole_number(code, &number) && number == 0);
}

}  // namespace baton::world

// These are the messages of PMI as text: PMI-1 has lines of words, PMI-2 has frames of fields
// behind their length. The functions are pure; what arrives may be anything. pmi_manager.cpp sends
// and receives them.
//   cmd=put kvsname=K key=A value=B <end of line>
//   "44    " cmd=kvs-put;key=A;value=B;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace baton::world {

enum class PmiDialect : std::uint8_t { pmi1, pmi2 };

// Longer messages are taken for garbage: a name of 256 characters, a key of 64 and a value of 1024
// fit.
constexpr std::size_t pmi_message_bytes_max = 4096;

class PmiRequest {
 public:
  PmiRequest(PmiDialect dialect, const char* command);
  PmiRequest& add(const char* name, std::string_view value);
  PmiRequest& add(const char* name, int value);
  // Returns the message to be sent; empty where it does not fit, or where a value has characters
  // that would end it.
  std::string_view finish();

 private:
  void append(std::string_view text);

  PmiDialect dialect_;
  bool broken_ = false;
  std::size_t bytes_ = 0;
  char text_[pmi_message_bytes_max];
};

// Turns words for people into a value: characters that would end it become a blank or a colon, the
// rest is cut off.
std::size_t pmi_words(PmiDialect dialect, const char* words, char* text, std::size_t space);

enum class PmiArrival : std::uint8_t { whole, more, garbage };

// Takes the first message from the received bytes: its text, without line's end or length, and the
// number of bytes that it took.
PmiArrival take_pmi_message(PmiDialect dialect, std::string_view received, std::string_view* text,
                            std::size_t* used);

// This is a message's text, taken apart into views of that text.
struct PmiReply {
  PmiDialect dialect = PmiDialect::pmi1;
  std::string_view text;

  // Returns the command; empty when there is none.
  std::string_view command() const;
  // Returns false when there is no such field.
  bool find(std::string_view name, std::string_view* value) const;
  bool find(std::string_view name, int* number) const;
  // Returns whether the manager's answer says success: 0, or nothing at all.
  bool succeeded() const;
};

// Reads a decimal number that is all of the text.
bool whole_number(std::string_view text, int* number);

}  // namespace baton::world

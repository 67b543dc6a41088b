// This is the connection to a process manager that speaks PMI-1 or PMI-2: it carries one question
// and one answer at a time, each with a deadline. After an error it cannot be used any more.
#pragma once

#include "base/error.hpp"
#include "world/wire_up/pmi_message.hpp"

namespace baton::world {

class PmiWire {
 public:
  ~PmiWire();
  // Takes over a connected socket.
  void use(int descriptor);
  // Connects to "HOST:PORT", as in PMI_PORT.
  Error connect(const char* address, int limit_ms);
  bool is_open() const { return descriptor_ >= 0; }
  void close();

  Error tell(PmiRequest& request, int limit_ms);
  // Receives the next message, which must be this answer. Its text is valid until the next call.
  Error hear(PmiDialect dialect, const char* answer, int limit_ms, PmiReply* reply);
  Error ask(PmiDialect dialect, PmiRequest& request, const char* answer, int limit_ms,
            PmiReply* reply);

 private:
  int descriptor_ = -1;
  std::size_t held_ = 0;   // bytes received
  std::size_t taken_ = 0;  // bytes of these that belong to the last message
  char received_[pmi_message_bytes_max];
};

// Explains that something else arrived instead of an answer, or that the manager refused; for all
// code that reads answers.
Error refuse_answer(const char* answer, const PmiReply& reply);

}  // namespace baton::world

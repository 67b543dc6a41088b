// The connection to a process manager that speaks PMI-1 or PMI-2: one question, one answer, each
// with a deadline. After an error it is of no use any more.
#pragma once

#include "base/error.hpp"
#include "world/wire_up/pmi_message.hpp"

namespace baton::world {

class PmiWire {
 public:
  ~PmiWire();
  // Takes over a connected socket.
  void use(int descriptor);
  // "HOST:PORT", as in PMI_PORT.
  Error connect(const char* address, int limit_ms);
  bool is_open() const { return descriptor_ >= 0; }
  void close();

  Error tell(PmiRequest& request, int limit_ms);
  // The next message, which must be this answer. Its text is valid until the next call.
  Error hear(PmiDialect dialect, const char* answer, int limit_ms, PmiReply* reply);
  Error ask(PmiDialect dialect, PmiRequest& request, const char* answer, int limit_ms,
            PmiReply* reply);

 private:
  int descriptor_ = -1;
  std::size_t held_ = 0;   // bytes received
  std::size_t taken_ = 0;  // of which so many belong to the last message
  char received_[pmi_message_bytes_max];
};

// Says what arrived instead of an answer, or that the manager refused; for all who read answers.
Error refuse_answer(const char* answer, const PmiReply& reply);

}  // namespace baton::world

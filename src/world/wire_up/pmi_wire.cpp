#include "world/wire_up/pmi_wire.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/stream.hpp"

namespace baton::world {

namespace {

constexpr std::size_t letters_shown = 120;

Error lost(const char* answer, int limit_ms) {
  if (errno == ETIMEDOUT)
    return fail(MPI_ERR_OTHER,
                "the process manager (PMI) did not answer within %d s (awaited: %s); it hangs, or "
                "ranks of the job have not started. See its own messages",
                (limit_ms + 999) / 1000, answer);
  return fail(MPI_ERR_OTHER,
              "the connection to the process manager (PMI) failed: %s (awaited: %s); is the "
              "launcher still running?",
              std::strerror(errno), answer);
}

}  // namespace

Error refuse_answer(const char* answer, const PmiReply& reply) {
  char shown[letters_shown];
  const std::size_t bytes = std::min(sizeof shown, reply.text.size());
  std::transform(reply.text.begin(), reply.text.begin() + bytes, shown,
                 [](char letter) { return letter >= ' ' && letter <= '~' ? letter : '?'; });
  return fail(
      MPI_ERR_OTHER,
      "the process manager (PMI) answered \"%.*s\" where %s was due; start the program by a "
      "launcher that speaks PMI-1, PMI-2 or PMIx",
      static_cast<int>(bytes), shown, answer);
}

PmiWire::~PmiWire() {
  close();
}

void PmiWire::use(int descriptor) {
  close();
  descriptor_ = descriptor;
  held_ = taken_ = 0;
  platform::keep_from_children(descriptor);
}

void PmiWire::close() {
  if (is_open()) platform::close_stream(descriptor_);
  descriptor_ = -1;
}

Error PmiWire::connect(const char* address, int limit_ms) {
  char host[256];
  const char* colon = std::strrchr(address, ':');
  const std::size_t length = colon ? static_cast<std::size_t>(colon - address) : 0;
  if (length == 0 || length >= sizeof host)
    return fail(MPI_ERR_OTHER, "PMI_PORT is \"%.200s\", not HOST:PORT; is it the launcher's?",
                address);
  std::memcpy(host, address, length);
  host[length] = 0;
  const int descriptor = platform::connect_stream(host, colon + 1, platform::now_ms() + limit_ms);
  if (descriptor < 0)
    return fail(MPI_ERR_OTHER,
                "no connection to the process manager at %s (PMI_PORT): %s; can this node reach "
                "the one on which the launcher runs?",
                address, std::strerror(errno));
  use(descriptor);
  return MPI_SUCCESS;
}

Error PmiWire::tell(PmiRequest& request, int limit_ms) {
  const std::string_view text = request.finish();
  if (text.empty())
    return fail(MPI_ERR_INTERN, "a message for the process manager does not fit PMI; report it");
  if (!platform::send_all(descriptor_, text.data(), text.size(), platform::now_ms() + limit_ms))
    return lost("that it takes a message", limit_ms);
  return MPI_SUCCESS;
}

Error PmiWire::hear(PmiDialect dialect, const char* answer, int limit_ms, PmiReply* reply) {
  const std::int64_t deadline = platform::now_ms() + limit_ms;
  held_ -= taken_;
  std::memmove(received_, received_ + taken_, held_);
  taken_ = 0;
  std::string_view text;
  for (;;) {
    const PmiArrival arrival = take_pmi_message(dialect, {received_, held_}, &text, &taken_);
    *reply = {dialect, text};
    if (arrival == PmiArrival::whole)
      return reply->command() == answer ? MPI_SUCCESS : refuse_answer(answer, *reply);
    *reply = {dialect, {received_, held_}};
    if (arrival == PmiArrival::garbage) return refuse_answer(answer, *reply);
    const std::ptrdiff_t more =
        platform::receive_some(descriptor_, received_ + held_, sizeof received_ - held_, deadline);
    if (more == 0) errno = ECONNRESET;
    if (more <= 0) return lost(answer, limit_ms);
    held_ += static_cast<std::size_t>(more);
  }
}

Error PmiWire::ask(PmiDialect dialect, PmiRequest& request, const char* answer, int limit_ms,
                   PmiReply* reply) {
  if (Error error = tell(request, limit_ms)) return error;
  return hear(dialect, answer, limit_ms, reply);
}

}  // namespace baton::world

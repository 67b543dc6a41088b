#include "tool/timing.hpp"

#include <algorithm>

#include "base/status_fields.hpp"
#include "message/core/engine.hpp"
#include "message/core/requests.hpp"
#include "message/core/waiting_time.hpp"
#include "tool/time_record.hpp"
#include "tool/timed_call.hpp"
#include "world/library_state.hpp"

namespace baton::tool {

namespace {

std::uint64_t key_of(const void* handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

// Returns this thread's number in events.
std::uint8_t thread_number() {
  static std::atomic<int> threads{0};
  __attribute__((tls_model("initial-exec"))) static constinit thread_local int own = -1;
  // relaxed: the numbers have to differ, nothing more.
  if (own < 0) own = std::min(threads.fetch_add(1, std::memory_order_relaxed), 255);
  return static_cast<std::uint8_t>(own);
}

std::uint64_t next_order() {
  static std::uint64_t order = 0;
  return platform::add_shared(order, std::uint64_t{1});
}

}  // namespace

constinit thread_local bool in_timed_call = false;
constinit std::atomic<bool> timing_paused{false};

void begin_timing(std::int64_t began, int thread_level) {
  if (!record.open()) return;
  record.serve(thread_level);
  if (library_state.phase == LibraryState::Phase::timed) return;
  record.begin(began);
  library_state.phase = LibraryState::Phase::timed;
}

void end_timing(std::int64_t asked) {
  if (library_is_usable() || !record.is_open()) return;
  timing_paused.store(false, std::memory_order_relaxed);  // relaxed: is_to_be_timed
  record.end(asked);
}

void pause_timing() {
  if (library_state.phase != LibraryState::Phase::timed) return;
  record.pause();
  timing_paused.store(true, std::memory_order_relaxed);  // relaxed: is_to_be_timed
}

void resume_timing() {
  if (library_state.phase != LibraryState::Phase::timed) return;
  timing_paused.store(false, std::memory_order_relaxed);  // relaxed: is_to_be_timed
  record.resume();
}

CallTimer::CallTimer(unsigned procedure, const char* name)
    : began_(platform::now_ticks()),
      waited_before_(message::waiting_time.ticks),
      row_(record.row_of(procedure, name)) {
  in_timed_call = true;
}

CallTimer::~CallTimer() {
  in_timed_call = false;
  if (message_.sends && sent_) send_now(message_);
  const std::int64_t now = platform::now_ticks();
  const auto waited = static_cast<std::uint64_t>(message::waiting_time.ticks - waited_before_);
  record.add_call(row_, bytes_, static_cast<std::uint64_t>(now - began_), waited);
  if (awaited_ >= 0) record.add_waiting(awaited_, waited);
  if (collective_) record.add_collective(*collective_, {began_, now, number_, 0, row_});
  record.add_event({began_, now, bytes_, waited, collective_ ? collective_->id : 0, peer_, 0, row_,
                    lockfree::EventKind::call, thread_number()});
  if (held_) release(*held_);
}

// This adds a use, since another thread may free the communicator while this call waits.
KnownCommunicator* CallTimer::hold(MPI_Comm comm) {
  if (!held_) held_ = know(comm);
  return held_;
}

void CallTimer::is_collective(MPI_Comm comm) {
  const Communicator* communicator = world::communicators.find(comm);
  if (!communicator) return;
  collective_ = hold(comm);
  number_ = communicator->collectives;
}

void CallTimer::awaits(MPI_Comm comm, int rank) {
  if (const KnownCommunicator* known = hold(comm)) peer_ = awaited_ = known->world_rank(rank);
}

void CallTimer::sends(MPI_Comm comm, int rank, int tag, std::uint64_t bytes) {
  KnownCommunicator* known = hold(comm);
  const std::int32_t peer = known ? known->world_rank(rank) : -1;
  if (peer == rank_of_another_job) moves(bytes);
  if (peer < 0) return;
  message_ = {0, known, began_, 0, bytes, tag, peer, row_, true, false, false};
  moves(bytes);
  peer_ = peer;
}

void CallTimer::receives(MPI_Comm comm, int rank, int tag) {
  KnownCommunicator* known = hold(comm);
  if (!known || rank == MPI_PROC_NULL) return;
  message_.comm = known;
  message_.began = began_;
  message_.order = next_order();
  message_.receives = true;
  message_.call = row_;
  const std::int32_t peer = known->world_rank(rank);
  if (message_.sends) {
    if (peer != message_.peer) peer_ = -1;
    return;  // a send and a receive: both may be waited for
  }
  message_.peer = peer_ = awaited_ = peer;
}

void CallTimer::received(const MPI_Status& status) {
  if (!message_.receives) return;
  receive_now(message_, status);
  if (!message_.sends) peer_ = awaited_ = message_.comm->world_rank(status.MPI_SOURCE);
  if (message_in_) drop(message_in_);
}

void CallTimer::goes_on_in(MPI_Request request) {
  // Sends and collectives that complete at once share one handle, so it identifies none of them.
  if (request == MPI_REQUEST_NULL || request == message::completed_handle()) return;
  if (!message_.sends && !message_.receives) return;
  OpenMessage message = message_;
  message.key = key_of(request);
  keep(message);
  if (message_in_) drop(message_in_);
}

void CallTimer::is_prepared_in(MPI_Request request) {
  message_.persistent = true;
  awaited_ = -1;
  bytes_ = 0;
  goes_on_in(request);
}

void CallTimer::took(MPI_Message message, MPI_Comm comm) {
  if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return;
  OpenMessage taken;
  taken.key = key_of(message);
  taken.comm = hold(comm);
  if (!taken.comm) return;
  taken.order = next_order();
  keep(taken);
}

void CallTimer::receives(MPI_Message message) {
  OpenMessage taken;
  if (!look_up(key_of(message), &taken)) return;
  message_in_ = taken.key;
  message_ = taken;
  message_.began = began_;
  message_.receives = true;
  message_.call = row_;
}

void CallTimer::starts(MPI_Request request) {
  OpenMessage message;
  if (!look_up(key_of(request), &message)) return;
  message.began = began_;
  message.order = next_order();
  keep(message);
  if (message.sends) send_now(message);
  if (message.sends) moves(message.bytes);
}

void CallTimer::waits_for(MPI_Request request) {
  OpenMessage message;
  if (look_up(key_of(request), &message) && message.sends != message.receives) peer_ = message.peer;
}

void CallTimer::completed(MPI_Request request, const MPI_Status& status) {
  OpenMessage message;
  if (!look_up(key_of(request), &message)) return;
  if (message.receives) receive_now(message, status);
  if (!message.persistent) drop(message.key);
}

void CallTimer::forgets(MPI_Request request) {
  drop(key_of(request));
}

void CallTimer::forgets(MPI_Comm comm) {
  forget(comm);
}

void CallTimer::send_now(const OpenMessage& message) {
  record.add_sent(message.peer, message.bytes);
  record.add_event({message.began, platform::now_ticks(), message.bytes, 0, message.comm->id,
                    message.peer, message.tag, message.call, lockfree::EventKind::sent,
                    thread_number()});
}

void CallTimer::receive_now(const OpenMessage& message, const MPI_Status& status) {
  const std::int32_t source = message.comm->world_rank(status.MPI_SOURCE);
  if (source == -1 || status_cancelled(status)) return;
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(status_bytes(status), 0));
  moves(bytes);
  if (source == rank_of_another_job) return;
  record.add_received(source, bytes);
  record.add_event({message.began, platform::now_ticks(), bytes, message.order, message.comm->id,
                    source, status.MPI_TAG, message.call, lockfree::EventKind::received,
                    thread_number()});
}

}  // namespace baton::tool

// This is the origin's side of operations that the target carries out by active messages.
#include "window/remote.hpp"

#include <algorithm>
#include <cstdlib>

#include "datatype/runs.hpp"
#include "message/core/loss.hpp"
#include "message/core/wait.hpp"
#include "window/describe_wait.hpp"
#include "window/gather.hpp"
#include "window/one_sided.hpp"
#include "window/packed.hpp"
#include "window/refusal.hpp"
#include "window/remote_message.hpp"

namespace baton::window {

namespace {

// The origin waits for a target when this many bytes are on their way to it; guess.
constexpr std::int64_t unflushed_bytes_max = 1 << 18;

RemoteHeader header_of(const Window& window) {
  RemoteHeader header;
  header.window = window.comm->id;
  return header;
}

Error await(const Window& window, const Target& target, Expected& expected,
            WindowWait::Kind what = WindowWait::Kind::answer) {
  const WindowWait wait{what, window, target};
  // ORDER window.answer: acquire here, release in take_answer; the data is there.
  const auto has_come = [&] { return expected.answers.load(std::memory_order_acquire) == 0; };
  message::wait_until([&] { return has_come() || message::loss_of(target.process); },
                      [&] { return subject_of(wait); });
  if (!has_come()) return message::explain_loss(target.process);
  return refused(window.rank_of(target), expected.error);
}

// Sends a message behind all puts that were gathered for the target, and prepares its answer.
Error ask(Window& window, const Target& target, RemoteMessage& message, Expected& expected) {
  // relaxed: no other rank or thread knows of it yet.
  expected.answers.store(1, std::memory_order_relaxed);
  message.header().token = expected.token();
  if (Error error = send_behind_puts(window, target, message)) return error;
  return await(window, target, expected,
               message.kind() == RemoteKind::lock ? WindowWait::Kind::remote_lock
                                                  : WindowWait::Kind::answer);
}

// Counts a sent message. It is called behind the sending: a flush that sees the count answers for
// the message.
void note_sent(Window& window, Target& target) {
  target.messages.note_sent();
  window.messages.note_sent();
}

// Returns whether so many bytes are on their way that the origin waits for the target.
bool has_much_unflushed(Target& target, std::int64_t bytes_more, std::int64_t bytes_max) {
  return platform::add_shared(target.unflushed, bytes_more) > bytes_max;
}

// Collects runs in messages and sends each when it is full. The answer to a message, if one is
// wanted, goes to `position` of the data.
class Stream {
 public:
  Stream(Window& window, Target& target, RemoteKind kind, const RemoteHeader& header,
         Expected* expected)
      : window_(window), target_(target), message_(kind, header), expected_(expected) {}

  // Adds a run at the target with its data (or null), in ranges that are multiples of `unit`.
  Error add(std::uint64_t address, const char* data, std::int64_t bytes, std::int64_t unit) {
    while (bytes > 0) {
      auto space = static_cast<std::int64_t>(message_.space());
      // The answer has to fit into a message, too.
      if (expected_) space = std::min(space, space_for_answer());
      const std::int64_t here = std::min(bytes, space / unit * unit);
      if (here == 0) {
        if (Error error = send()) return error;
        continue;
      }
      message_.add(address, data, static_cast<std::uint64_t>(here));
      address += static_cast<std::uint64_t>(here);
      if (data) data += here;
      bytes -= here;
    }
    return MPI_SUCCESS;
  }

  Error send() {
    if (message_.is_empty()) return MPI_SUCCESS;
    if (expected_) {
      message_.header().token = expected_->token();
      message_.header().position = position_;
      expected_->answers.fetch_add(1, std::memory_order_relaxed);  // relaxed: not sent yet
    }
    const auto bytes = static_cast<std::int64_t>(message_.bytes_asked());
    position_ += message_.bytes_asked();
    if (Error error = message_.send(target_.process)) {
      // Nobody will answer this message. (relaxed: only this thread waits.)
      if (expected_) expected_->answers.fetch_sub(1, std::memory_order_relaxed);
      return error;
    }
    message_.reset();
    if (expected_) return MPI_SUCCESS;
    note_sent(window_, target_);
    return has_much_unflushed(target_, bytes, unflushed_bytes_max)
               ? message_reach.flush(window_, target_)
               : MPI_SUCCESS;
  }

 private:
  std::int64_t space_for_answer() const {
    constexpr std::int64_t all = message::active_bytes_max - sizeof(RemoteHeader);
    return std::max<std::int64_t>(0, all - static_cast<std::int64_t>(message_.bytes_asked()));
  }

  Window& window_;
  Target& target_;
  RemoteMessage message_;
  Expected* expected_;
  std::uint64_t position_ = 0;
};

// These are the answers to an operation with a result. Nothing waits for them before a flush.
class Answered {
 public:
  Answered(Window& window, const Spot& spot, char* result)
      : space_(make_space_for_transfer(window)),
        expected_(
            space_ ? nullptr
                   : one_sided.begun.expect_answer(window, window.rank_of(*spot.target), false)) {
    if (expected_) expected_->into = result;
  }
  // The caller has now asked for everything.
  ~Answered() {
    // ORDER window.answer: release here, acquire in is_over; we use it no more.
    if (expected_) expected_->answers.fetch_sub(Expected::asking, std::memory_order_release);
  }
  Answered(const Answered&) = delete;
  Answered& operator=(const Answered&) = delete;
  bool is_expected() const { return expected_ != nullptr; }
  Error error() const { return space_; }
  Expected* expected() { return expected_; }

 private:
  Error space_;  // error of earlier transfers
  Expected* expected_;
};

// Adds all runs of a place, with their data. Padded pairs are added one by one, each by its first
// byte.
Error add_all(Stream& stream, const Spot& spot, const Place& place, const char* data,
              std::int64_t unit, bool padded) {
  Error error = MPI_SUCCESS;
  std::int64_t begun = 0;
  datatype::for_each_run(*place.type, reinterpret_cast<void*>(spot.address), place.count,
                         [&](char* there, std::int64_t bytes) {
                           auto address = reinterpret_cast<std::uint64_t>(there);
                           if (!padded) {
                             error = stream.add(address, data, bytes, unit);
                             if (data) data += bytes;
                           }
                           while (padded && bytes > 0 && !error) {
                             if (begun == 0) {
                               error = stream.add(address, data, unit, unit);
                               if (data) data += unit;
                             }
                             const std::int64_t here = std::min(bytes, unit - begun);
                             begun = (begun + here) % unit;
                             address += static_cast<std::uint64_t>(here);
                             bytes -= here;
                           }
                           return error == MPI_SUCCESS;
                         });
  return error ? error : stream.send();
}

// Longer runs travel beside the message that announces them. A message with its data holds at most
// this much.
constexpr std::int64_t message_bytes_max = 3968;

// Announces a transfer of one run at the target.
Error announce(Window& window, const Spot& spot, RemoteKind kind, RemoteHeader header,
               std::uint64_t address, std::int64_t bytes) {
  RemoteMessage message(kind, header);
  message.add(address, nullptr, static_cast<std::uint64_t>(bytes));
  if (Error error = message.send(spot.target->process)) return error;
  // The arrival of data that is got shows that the get is done.
  if (kind != RemoteKind::get_run) note_sent(window, *spot.target);
  return MPI_SUCCESS;
}

// relaxed: a thread looks only for the operations that it began itself.
void note_run(Target& target) {
  std::atomic_ref(target.run_sent).store(target.messages.all_sent(), std::memory_order_relaxed);
}

// Longer accumulates go in parts of this size, since the target takes memory for their ranges.
constexpr std::int64_t accumulate_bytes_max = 16 * accumulate_part_bytes;
Error accumulate_run(Window& window, const Spot& spot, const Data& from, RemoteHeader header,
                     std::int64_t element_bytes) {
  const Datatype* bytes_type = datatype::datatypes.find(MPI_BYTE);
  const std::int64_t step = accumulate_part_bytes / element_bytes * element_bytes;
  char* data = static_cast<char*>(from.buffer);
  std::uint64_t address = spot.address;
  for (std::int64_t left = from.bytes(), bytes; left > 0; left -= bytes) {
    bytes = std::min(left, step);
    header.number = one_sided.begun.next_number();
    if (Error error = announce(window, spot, RemoteKind::accumulate_run, header, address, bytes))
      return error;
    if (Error error = one_sided.begun.begin(window, window.rank_of(*spot.target), header.number,
                                            {data, bytes, bytes_type}, false))
      return error;
    data += bytes;
    address += static_cast<std::uint64_t>(bytes);
    note_run(*spot.target);
    if (has_much_unflushed(*spot.target, bytes, accumulate_bytes_max))
      if (Error error = message_reach.flush(window, *spot.target)) return error;
  }
  return MPI_SUCCESS;
}

// Waits for accumulates whose data travels beside the messages, because accumulates are done in the
// order of their calls.
Error finish_runs(Window& window, Target& target) {
  return target.messages.is_done(platform::load_shared(target.run_sent))
             ? MPI_SUCCESS
             : message_reach.flush(window, target);
}

constinit const MessageReach by_messages;

}  // namespace

constinit const Reach& message_reach = by_messages;

Error make_space_for_transfer(Window& window) {
  constexpr std::uint32_t begun_max = 256;  // guess: waiting looks at all of them
  return one_sided.begun.count() < begun_max ? MPI_SUCCESS : finish_transfers(window, nullptr);
}

Error MessageReach::put(Window& window, const Spot& spot, const Data& from, const Place& to) const {
  Error error = MPI_SUCCESS;
  if (begin(window, spot, from, to, WindowOperation::put, &error)) return error;
  if (to.is_run() && to.bytes() > message_bytes_max) {
    if ((error = make_space_for_transfer(window))) return error;
    RemoteHeader header = header_of(window);
    header.number = one_sided.begun.next_number();
    error = announce(window, spot, RemoteKind::put_run, header, spot.address, to.bytes());
    return error ? error : one_sided.begun.begin(window, to.rank, header.number, from, false);
  }
  Packed packed(&from, true);
  if (!packed.has_memory()) return no_memory_for(from.bytes());
  if (to.is_run() && gather_put(window, spot, packed.bytes(), to.bytes(), &error)) {
    note_sent(window, *spot.target);
    return !error && has_much_unflushed(*spot.target, to.bytes(), unflushed_bytes_max)
               ? flush(window, *spot.target)
               : error;
  }
  Stream stream(window, *spot.target, RemoteKind::put, header_of(window), nullptr);
  return add_all(stream, spot, to, packed.bytes(), 1, false);
}

Error MessageReach::get(Window& window, const Spot& spot, const Data& to, const Place& from) const {
  Error error = MPI_SUCCESS;
  if (begin(window, spot, to, from, WindowOperation::get, &error)) return error;
  const bool is_run = from.is_run();
  if (is_run && (error = make_space_for_transfer(window))) return error;
  if (is_run && to.is_run() && to.bytes() <= message_bytes_max)
    return gather_get(window, spot, static_cast<char*>(to.buffer), to.bytes(), &error)
               ? error
               : no_memory_for(to.bytes());
  if (is_run) {
    RemoteHeader header = header_of(window);
    header.number = one_sided.begun.next_number();
    if ((error = one_sided.begun.begin(window, from.rank, header.number, to, true))) return error;
    return announce(window, spot, RemoteKind::get_run, header, spot.address, from.bytes());
  }
  Packed packed(&to, false);
  if (!packed.has_memory()) return no_memory_for(to.bytes());
  Expected expected;
  expected.into = packed.bytes();
  Stream stream(window, *spot.target, RemoteKind::get, header_of(window), &expected);
  error = add_all(stream, spot, from, nullptr, 1, false);
  if (Error refusal = await(window, *spot.target, expected)) error = refusal;
  if (!error) packed.unpack();
  return error;
}

Error MessageReach::change(Window& window, const Spot& spot, const Accumulate& what) const {
  const Elements& elements = what.elements;
  const Data *from = what.from, *result = what.result;
  const Place& at = what.at;
  RemoteHeader header = header_of(window);
  header.operation = datatype::operations.to_int(what.operation.handle);
  header.type = datatype::datatypes.to_int(elements.type ? elements.type->handle : MPI_BYTE);
  if (!result && what.is_array() && at.bytes() > message_bytes_max)
    return accumulate_run(window, spot, *from, header, elements.bytes);
  if (Error error = finish_runs(window, *spot.target)) return error;
  Packed in(from, true);
  if (!in.has_memory()) return no_memory_for(at.bytes());
  const char* data = in.bytes();
  if (result && result->is_run()) {
    // The answers bring data to its place, and show that the operation is done.
    Answered answered(window, spot, static_cast<char*>(result->buffer));
    if (answered.error()) return answered.error();
    if (!answered.is_expected()) return no_memory_for(at.bytes());
    Stream stream(window, *spot.target, RemoteKind::accumulate, header, answered.expected());
    return add_all(stream, spot, at, data, elements.bytes, elements.is_padded());
  }
  Packed old(result, false);
  if (!old.has_memory()) return no_memory_for(at.bytes());
  Expected expected;
  expected.into = old.bytes();
  Stream stream(window, *spot.target, RemoteKind::accumulate, header, result ? &expected : nullptr);
  Error error = add_all(stream, spot, at, data, elements.bytes, elements.is_padded());
  if (!result) return error;
  if (Error refusal = await(window, *spot.target, expected)) error = refusal;
  if (!error) old.unpack();
  return error;
}

Error MessageReach::swap(Window& window, const Spot& spot, const Datatype& type, const void* from,
                         const void* expected, void* result) const {
  if (Error error = finish_runs(window, *spot.target)) return error;
  char both[2 * 64];
  const std::int64_t bytes = type.size;
  std::memcpy(both, from, static_cast<std::size_t>(bytes));
  std::memcpy(both + bytes, expected, static_cast<std::size_t>(bytes));
  RemoteHeader header = header_of(window);
  header.type = datatype::datatypes.to_int(type.handle);
  Answered answered(window, spot, static_cast<char*>(result));
  if (answered.error()) return answered.error();
  if (!answered.is_expected()) return no_memory_for(bytes);
  Stream stream(window, *spot.target, RemoteKind::compare_and_swap, header, answered.expected());
  const Error error = stream.add(spot.address, both, 2 * bytes, 2 * bytes);
  return error ? error : stream.send();
}

Error finish_transfers(Window& window, const Target* target) {
  if (BATON_LIKELY(!one_sided.begun.any())) return MPI_SUCCESS;
  const TransfersUntilNow mine(one_sided.begun, window, target, false);
  const Error failed = send_gets(window, target);
  message::wait_until([&] { return mine.are_over(); });
  const Error error = mine.forget();
  return error ? error : failed;
}

// Asks for the end, at both ranks, of all operations that this rank has begun at the target.
static Error ask_for_end(Window& window, Target& target, RemoteMessage& message) {
  const std::uint32_t all = target.messages.all_sent();
  // relaxed: this number only guides a decision.
  std::atomic_ref(target.unflushed).store(0, std::memory_order_relaxed);
  Expected expected;
  const Error refusal = ask(window, target, message, expected);
  const Explanation why = last_explanation();
  target.messages.note_done(all);
  const Error error = finish_transfers(window, &target);
  if (refusal) last_explanation() = why;
  return refusal ? refusal : error;
}

Error MessageReach::flush(Window& window, Target& target) const {
  const Error failed = send_gets(window, &target);
  if (target.messages.is_done(target.messages.all_sent())) {
    const Error error = finish_transfers(window, &target);
    return failed ? failed : error;
  }
  RemoteMessage message(RemoteKind::flush, header_of(window));
  const Error error = ask_for_end(window, target, message);
  return failed ? failed : error;
}

Error flush_all_remotely(Window& window) {
  Error error = send_gets(window, nullptr);
  const std::uint32_t all = window.messages.all_sent();
  for (int rank = 0; rank < window.ranks() && !window.messages.is_done(all); ++rank)
    if (Error failed = message_reach.flush(window, window.targets[rank])) error = failed;
  window.messages.note_done(all);
  if (Error failed = finish_transfers(window, nullptr)) error = failed;
  return error;
}

Error lock_remotely(Window& window, Target& target, bool exclusive) {
  RemoteHeader header = header_of(window);
  header.exclusive = exclusive;
  Expected expected;
  RemoteMessage message(RemoteKind::lock, header);
  if (Error error = ask(window, target, message, expected)) return error;
  target.number = expected.number;
  return MPI_SUCCESS;
}

Error unlock_remotely(Window& window, Target& target, bool exclusive) {
  const Error failed = send_gets(window, &target);
  one_sided.begun.await_accesses(window, target);
  RemoteHeader header = header_of(window);
  header.exclusive = exclusive;
  header.number = target.number;
  RemoteMessage message(RemoteKind::unlock, header);
  const Error error = ask_for_end(window, target, message);
  return failed ? failed : error;
}

void tell_remotely(Window& window, const Target& whom, RemoteKind what) {
  RemoteMessage message(what, header_of(window));
  (void)message.send(whom.process);
}

}  // namespace baton::window

#include "window/transfer.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/wait.hpp"
#include "message/network/remote_access.hpp"
#include "window/accumulate.hpp"
#include "window/gather.hpp"

namespace baton::window {

namespace {

struct Transfer {
  message::Request request;
  Window* window = nullptr;
  int rank = 0;              // the other's
  std::uint32_t number = 0;  // in the order in which this rank has begun them
  Transfer* next = nullptr;
  const Datatype* type = nullptr;  // held, at the origin; null: an answer is what it waits for
  std::int64_t bytes = 0;
  Expected expected;
  message::RemoteAccess* access = nullptr;  // by the provider, which is waited for then
  char* data = nullptr;                     // of an accumulate, at the target
  Announcement announcement{};
};

// In the order in which they began.
struct TransferList {
  Transfer* first = nullptr;
  Transfer** last = &first;
  void add(Transfer* transfer) {
    *last = transfer;
    last = &transfer->next;
  }
  void remove(Transfer** link) {
    Transfer* transfer = *link;
    *link = transfer->next;
    if (last == &transfer->next) last = link;
  }
};

// Tags: what origins send, and what they get.
std::int32_t tag_of(std::uint32_t number, bool got) {
  constexpr std::uint32_t numbers = 1 << 22;
  return static_cast<std::int32_t>(number % numbers * 2 + got);
}

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a transfer between ranks of a window");
}

// --- the origin

platform::Lock begun_lock;  // of what this rank has begun
TransferList begun;
std::uint32_t begun_count = 0;
std::uint32_t last_begun = 0;  // the number of the last one
std::uint32_t numbers_given = 0;

Transfer* new_transfer(Window& window, int rank) {
  auto* transfer = new (std::nothrow) Transfer;
  if (!transfer) return nullptr;
  transfer->window = &window;
  transfer->rank = rank;
  return transfer;
}

void list(Transfer& transfer) {
  platform::Guard guard(begun_lock);
  transfer.number = ++last_begun;
  begun.add(&transfer);
  platform::add_shared(begun_count, 1u);
}

Transfer* begin(Window& window, int rank, const Data& data) {
  Transfer* transfer = new_transfer(window, rank);
  if (!transfer) return nullptr;
  transfer->type = data.type;
  transfer->bytes = data.bytes();
  datatype::retain(const_cast<Datatype&>(*data.type));
  list(*transfer);
  return transfer;
}

// Of one that is over.
Error error_of(const Transfer& transfer) {
  if (transfer.access) return message::error_of(*transfer.access);
  if (transfer.request.error) return transfer.request.error;
  if (transfer.expected.error) return refused(transfer.rank, transfer.expected.error);
  const bool got = transfer.type && transfer.request.kind == message::RequestKind::receive;
  return got && transfer.request.bytes != transfer.bytes ? refused(transfer.rank, MPI_ERR_RMA_RANGE)
                                                         : MPI_SUCCESS;
}

bool is_over(const Transfer& transfer) {
  if (transfer.access) return message::is_over(*transfer.access);
  // ORDER window.answer: acquire here, release in take_answer; the data is there.
  return transfer.type ? message::is_complete(transfer.request)
                       : transfer.expected.answers.load(std::memory_order_acquire) == 0;
}

// What is waited for: of a window and a target (null: of all), begun until now. What other threads
// begin later may not be over when these are.
struct Selection {
  const Window& window;
  const Target* target;
  bool accesses_only;
  std::uint32_t last;

  Selection(const Window& whose, const Target* where, bool by_provider)
      : window(whose), target(where), accesses_only(by_provider) {
    platform::Guard guard(begun_lock);
    last = last_begun;
  }
  bool has(const Transfer& transfer) const {
    return transfer.window == &window && (!target || transfer.rank == window.rank_of(*target)) &&
           (transfer.access || !accesses_only) &&
           static_cast<std::int32_t>(transfer.number - last) <= 0;  // numbers begin anew
  }
  bool is_over() const {
    platform::Guard guard(begun_lock);
    for (Transfer* transfer = begun.first; transfer; transfer = transfer->next)
      if (has(*transfer) && !window::is_over(*transfer)) return false;
    return true;
  }
};

// Whether nothing has been begun. With threads the list's lock says so: what another thread has
// taken off it must be seen here, too.
bool has_begun_nothing() {
  return !platform::threads_multiple && !begun.first;
}

}  // namespace

Error make_room_for_transfer(Window& window) {
  constexpr std::uint32_t begun_max = 256;  // guess: waiting looks at all of them
  return platform::load_shared(begun_count) < begun_max ? MPI_SUCCESS
                                                        : finish_transfers(window, nullptr);
}

std::uint32_t next_transfer() {
  return platform::add_shared(numbers_given, 1u);
}

Error begin_transfer_to(Window& window, int rank, std::uint32_t number, const Data& data) {
  Transfer* transfer = begin(window, rank, data);
  if (!transfer) return no_memory();
  message::begin_send(window.comm->point_to_point, data.buffer, data.count,
                      const_cast<Datatype&>(*data.type), rank, tag_of(number, false), false,
                      transfer->request);
  return MPI_SUCCESS;
}

Error begin_transfer_from(Window& window, int rank, std::uint32_t number, const Data& data) {
  Transfer* transfer = begin(window, rank, data);
  if (!transfer) return no_memory();
  message::begin_receive(window.comm->point_to_point, data.buffer, data.count,
                         const_cast<Datatype&>(*data.type), rank, tag_of(number, true),
                         transfer->request);
  return MPI_SUCCESS;
}

Error begin_access_of(Window& window, int rank, bool writes, const Data& data,
                      const transport::network::RemoteMemory& there) {
  Transfer* transfer = new_transfer(window, rank);
  auto* access = transfer ? new (std::nothrow) message::RemoteAccess : nullptr;
  Error error = access ? MPI_SUCCESS : no_memory();
  if (access) {
    access->process = window.targets[rank].process;
    access->writes = writes;
    access->data = static_cast<char*>(data.buffer);
    access->bytes = data.bytes();
    access->there = there;
    error = message::begin_access(*access);
  }
  if (error) {
    delete access;
    delete transfer;
    return error;
  }
  transfer->access = access;
  list(*transfer);
  return MPI_SUCCESS;
}

void await_accesses(const Window& window, const Target& target) {
  if (BATON_LIKELY(has_begun_nothing())) return;
  const Selection accesses(window, &target, true);
  message::wait_until([&] { return accesses.is_over(); });
}

Expected* expect_answer(Window& window, int rank, bool scattered) {
  Transfer* transfer = new_transfer(window, rank);
  if (!transfer) return nullptr;
  if (scattered) {
    transfer->expected.places = new (std::nothrow) AnswerPlaces;
    if (!transfer->expected.places) {
      delete transfer;
      return nullptr;
    }
  }
  // relaxed: nobody knows of it yet. One is for the caller, who has not asked yet.
  transfer->expected.answers.store(1, std::memory_order_relaxed);
  list(*transfer);
  return &transfer->expected;
}

Error finish_transfers(Window& window, const Target* target) {
  if (BATON_LIKELY(has_begun_nothing())) return MPI_SUCCESS;
  const Selection mine(window, target, false);
  Error error = send_gets(window, target);
  message::wait_until([&] { return mine.is_over(); });
  platform::Guard guard(begun_lock);
  for (Transfer** link = &begun.first; *link;) {
    Transfer* transfer = *link;
    if (!mine.has(*transfer)) {
      link = &transfer->next;
      continue;
    }
    if (Error failed = error_of(*transfer)) error = failed;
    if (transfer->type) datatype::release(const_cast<Datatype&>(*transfer->type));
    begun.remove(link);
    platform::add_shared(begun_count, ~0u);
    delete transfer->access;
    delete transfer->expected.places;
    delete transfer;
  }
  return error;
}

// --- the target. All of it runs in progress, so one thread at a time.

namespace {

struct WaitingEnd {
  Incoming incoming;
  void (*end)(const Incoming&);
  WaitingEnd* next;
};

TransferList accepted;
WaitingEnd* waiting_ends = nullptr;

bool advance_transfers();
constinit message::FunctionSource source{advance_transfers};

Datatype& bytes_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

bool is_same(const Transfer& a, const Transfer& b) {
  return a.window == b.window && a.rank == b.rank;
}

// An earlier accumulate of the same origin, whose data is not all there.
bool is_behind_another(const Transfer& transfer) {
  for (Transfer* other = accepted.first; other != &transfer; other = other->next)
    if (other->data && is_same(*other, transfer)) return true;
  return false;
}

void apply(Transfer& transfer) {
  const RemoteHeader& header = transfer.announcement.header;
  const RemotePiece& piece = transfer.announcement.piece;
  const Datatype* type = datatype::datatypes.find(datatype::datatypes.from_int(header.type));
  const Operation* operation =
      datatype::operations.find(datatype::operations.from_int(header.operation));
  Error error =
      type && operation
          ? change_own(*transfer.window, reinterpret_cast<char*>(piece.address), *type,
                       static_cast<std::int64_t>(piece.bytes), *operation, transfer.data, nullptr)
          : MPI_ERR_OP;
  if (error) transfer.window->targets[transfer.rank].refused = error;
}

bool end_what_is_idle() {
  bool any = false;
  for (WaitingEnd** link = &waiting_ends; *link;) {
    WaitingEnd* waiting = *link;
    if (!is_idle(*waiting->incoming.window, waiting->incoming.rank())) {
      link = &waiting->next;
      continue;
    }
    *link = waiting->next;
    waiting->end(waiting->incoming);
    delete waiting;
    any = true;
  }
  return any;
}

bool advance_transfers() {
  bool any = false;
  for (Transfer** link = &accepted.first; *link;) {
    Transfer* transfer = *link;
    if (!message::is_complete(transfer->request) ||
        (transfer->data && is_behind_another(*transfer))) {
      link = &transfer->next;
      continue;
    }
    if (transfer->data) apply(*transfer);
    accepted.remove(link);
    std::free(transfer->data);
    delete transfer;
    any = true;
  }
  any |= end_what_is_idle();
  if (!accepted.first && !waiting_ends) message::set_active(source, false);
  return any;
}

Transfer* accept(const Announcement& announcement) {
  Transfer* transfer = new_transfer(*announcement.window, announcement.rank);
  BATON_INVARIANT(transfer != nullptr);  // the origin would wait for ever
  transfer->announcement = announcement;
  accepted.add(transfer);
  message::set_active(source, true);
  return transfer;
}

void receive_into(Transfer& transfer, void* memory, std::uint64_t bytes) {
  message::begin_receive(transfer.window->comm->point_to_point, memory,
                         static_cast<std::int64_t>(bytes), bytes_type(), transfer.rank,
                         tag_of(transfer.announcement.header.number, false), transfer.request);
}

}  // namespace

Error receive_put(const Announcement& announcement, bool refuse) {
  const RemotePiece& piece = announcement.piece;
  Transfer& transfer = *accept(announcement);
  // What has no place is cut off.
  receive_into(transfer, reinterpret_cast<void*>(refuse ? 0 : piece.address),
               refuse ? 0 : piece.bytes);
  return refuse ? MPI_ERR_RMA_RANGE : MPI_SUCCESS;
}

Error receive_accumulate(const Announcement& announcement, bool refuse) {
  const RemotePiece& piece = announcement.piece;
  Transfer& transfer = *accept(announcement);
  if (!refuse) transfer.data = static_cast<char*>(std::malloc(piece.bytes));
  receive_into(transfer, transfer.data, transfer.data ? piece.bytes : 0);
  if (refuse) return MPI_ERR_RMA_RANGE;
  return transfer.data ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void send_got(const Announcement& announcement, bool refuse) {
  const RemotePiece& piece = announcement.piece;
  Transfer& transfer = *accept(announcement);
  message::begin_send(
      transfer.window->comm->point_to_point, reinterpret_cast<const void*>(piece.address),
      static_cast<std::int64_t>(refuse ? 0 : piece.bytes), bytes_type(), transfer.rank,
      tag_of(announcement.header.number, true), false, transfer.request);
}

bool is_idle(const Window& window, int rank) {
  for (Transfer* transfer = accepted.first; transfer; transfer = transfer->next)
    if (transfer->window == &window && transfer->rank == rank) return false;
  return true;
}

void await_idle(const Incoming& incoming, void (*end)(const Incoming&)) {
  auto* waiting = new (std::nothrow) WaitingEnd{incoming, end, waiting_ends};
  BATON_INVARIANT(waiting != nullptr);  // the origin would wait for ever
  waiting_ends = waiting;
  message::set_active(source, true);
}

}  // namespace baton::window

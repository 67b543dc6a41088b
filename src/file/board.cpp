#include "file/board.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/active.hpp"
#include "message/core/loss.hpp"
#include "message/core/wait.hpp"
#include "transport/heap.hpp"
#include "transport/node.hpp"

namespace baton::file {

namespace {

// ---- memory of the file's first rank, for all

void* make_shared(std::size_t bytes, bool reserved) {
  void* memory = nullptr;
  // The program's memory policy does not apply: all ranks use this memory.
  if (transport::exported_heap.allocate(bytes, cache_line_bytes, nullptr, reserved, &memory))
    return nullptr;
  return memory;
}

char* reach_shared(const File& file, std::uint64_t address) {
  const LocalRank owner = transport::local_rank_of(file.comm->point_to_point.process(0));
  if (address == 0 || owner == not_on_this_node) return nullptr;
  return transport::exported_heap.reach(owner, reinterpret_cast<const void*>(address));
}

std::uint64_t address_for_others(const void* memory) {
  return transport::exported_heap.contains(memory) ? reinterpret_cast<std::uint64_t>(memory) : 0;
}

// ---- the shared pointer, by messages

// This is what a rank asks of the first rank, and the answer.
struct PointerMessage {
  enum class Kind : std::int32_t { add, set, answer, closed };
  std::uint32_t file;  // context id of its communicator
  Kind kind;
  std::int64_t etypes;
  std::uint64_t token;  // of the rank that asks
};

// The open files of this process.
struct OpenFiles {
  platform::Lock lock;
  File* first = nullptr;
};
constinit OpenFiles open_files;

File* find_file(std::uint32_t id) {
  platform::Guard guard(open_files.lock);
  File* file = open_files.first;
  while (file && file->comm->id != id) file = file->next;
  return file;
}

std::int64_t add(Board& board, std::int64_t etypes) {
  // relaxed: the pointer orders nothing but itself.
  return board.pointer.etypes.fetch_add(etypes, std::memory_order_relaxed);
}
void set(Board& board, std::int64_t etypes) {
  board.pointer.etypes.store(etypes, std::memory_order_relaxed);  // relaxed: as in add
}

// A rank that waits for its answer.
struct Asked {
  std::atomic<bool> answered{false};
  bool closed = false;
  std::int64_t etypes = 0;
};

void handle(const message::ActiveMessage& arrived) {
  PointerMessage message;
  std::memcpy(&message, arrived.payload, sizeof message);
  using Kind = PointerMessage::Kind;
  if (message.kind == Kind::answer || message.kind == Kind::closed) {
    auto& asked = *reinterpret_cast<Asked*>(message.token);
    asked.etypes = message.etypes;
    asked.closed = message.kind == Kind::closed;
    // ORDER file.answer: release here, acquire in ask.
    asked.answered.store(true, std::memory_order_release);
    return;
  }
  File* file = find_file(message.file);
  if (file && message.kind == Kind::add)
    message.etypes = add(*file->board, message.etypes);
  else if (file)
    set(*file->board, message.etypes);
  message.kind = file ? Kind::answer : Kind::closed;
  (void)message::send_active(arrived.sender, message::ActiveKind::file, 0, &message,
                             sizeof message);
}

Error ask(File& file, PointerMessage::Kind kind, std::int64_t etypes, std::int64_t* before) {
  Asked asked;
  const PointerMessage message{file.comm->id, kind, etypes,
                               reinterpret_cast<std::uint64_t>(&asked)};
  const Process owner = file.comm->point_to_point.process(0);
  if (Error error =
          message::send_active(owner, message::ActiveKind::file, 0, &message, sizeof message))
    return error;
  const auto is_answered = [&] {
    // ORDER file.answer: acquire here, release in handle.
    return asked.answered.load(std::memory_order_acquire);
  };
  message::wait_until([&] { return is_answered() || message::loss_of(owner) != 0; });
  if (!is_answered()) return message::explain_loss(owner);
  if (asked.closed)
    return fail(MPI_ERR_FILE,
                "rank 0, which keeps the shared file pointer of %.200s, has closed it", file.name);
  *before = asked.etypes;
  return MPI_SUCCESS;
}

}  // namespace

Error make_board(File& file) {
  void* memory = make_shared(sizeof(Board), true);
  if (!memory) {
    memory = std::aligned_alloc(cache_line_bytes, sizeof(Board));
    if (!memory) return fail(MPI_ERR_NO_MEM, "no memory to open a file");
    std::memset(memory, 0, sizeof(Board));
  }
  file.board = static_cast<Board*>(memory);
  file.owns_board = true;
  return MPI_SUCCESS;
}

std::uint64_t board_address(const File& file) {
  return address_for_others(file.board);
}

void reach_board(File& file, std::uint64_t address) {
  file.board = reinterpret_cast<Board*>(reach_shared(file, address));
}

void free_board(File& file) {
  if (file.owns_board && !transport::exported_heap.release(file.board)) std::free(file.board);
  if (file.owns_staging) (void)transport::exported_heap.release(file.staging);
  file.board = nullptr;
  file.staging = nullptr;
}

std::uint64_t make_staging(File& file) {
  file.staging =
      static_cast<char*>(make_shared(static_cast<std::size_t>(file.hints.collective_bytes), false));
  file.owns_staging = file.staging != nullptr;
  return address_for_others(file.staging);
}

void reach_staging(File& file, std::uint64_t address) {
  file.staging = reach_shared(file, address);
}

Error add_to_shared_pointer(File& file, std::int64_t etypes, std::int64_t* before) {
  if (BATON_UNLIKELY(!file.board)) return ask(file, PointerMessage::Kind::add, etypes, before);
  *before = add(*file.board, etypes);
  return MPI_SUCCESS;
}

Error set_shared_pointer(File& file, std::int64_t etypes) {
  std::int64_t before;
  if (BATON_UNLIKELY(!file.board)) return ask(file, PointerMessage::Kind::set, etypes, &before);
  set(*file.board, etypes);
  return MPI_SUCCESS;
}

void listen() {
  message::handle_active(message::ActiveKind::file, handle);
}

void list_file(File& file) {
  platform::Guard guard(open_files.lock);
  file.next = open_files.first;
  open_files.first = &file;
}

void unlist_file(File& file) {
  platform::Guard guard(open_files.lock);
  File** link = &open_files.first;
  while (*link != &file) link = &(*link)->next;
  *link = file.next;
}

}  // namespace baton::file

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

// Memory of a file that this rank has closed, while others that reach it may still use it: their
// calls have failed, or not begun.
struct Remains {
  Remains* next;
  Board* board;
  char* staging;
  int ranks;
  LocalRank members[];  // by rank

  bool are_in_use() const {
    for (int rank = 0; rank < ranks; ++rank)
      if (members[rank] != not_on_this_node && !board->has_left(rank) &&
          !transport::has_died(members[rank]))
        return true;
    return false;
  }
};

// The files of this process that others may ask about, and the memory of those that it has closed.
class OpenFiles {
 public:
  void add(File& file) {
    platform::Guard guard(lock_);
    file.next = first_;
    first_ = &file;
  }
  void remove(const File& file) {
    platform::Guard guard(lock_);
    File** link = &first_;
    while (*link != &file) link = &(*link)->next;
    *link = file.next;
  }
  // Finds a file by the context id of its communicator; null: there is none.
  File* find(std::uint32_t id) {
    platform::Guard guard(lock_);
    File* file = first_;
    while (file && file->comm->id != id) file = file->next;
    return file;
  }

  // Without memory for the note, the file's memory stays.
  void keep_remains(const File& file) {
    const auto ranks = static_cast<std::size_t>(file.ranks());
    auto* made = static_cast<Remains*>(std::malloc(sizeof(Remains) + ranks * sizeof(LocalRank)));
    if (!made) return;
    *made = {nullptr, file.board, file.owns_staging ? file.staging : nullptr, file.ranks()};
    for (int rank = 0; rank < file.ranks(); ++rank)
      made->members[rank] = transport::local_rank_of(file.comm->point_to_point.process(rank));
    platform::Guard guard(lock_);
    made->next = remains_;
    remains_ = made;
  }
  // Gives back what nobody uses any more.
  void give_back_remains() {
    platform::Guard guard(lock_);
    for (Remains** link = &remains_; *link;) {
      Remains* one = *link;
      if (one->are_in_use()) {
        link = &one->next;
        continue;
      }
      *link = one->next;
      (void)transport::exported_heap.release(one->board);
      if (one->staging) (void)transport::exported_heap.release(one->staging);
      std::free(one);
    }
  }

 private:
  File* first_ = nullptr;
  Remains* remains_ = nullptr;
  platform::Lock lock_;
};
constinit OpenFiles open_files;

// ---- the shared pointer, by messages

// This is what a rank asks of the first rank, and the answer.
struct PointerMessage {
  enum class Kind : std::int32_t { add, set, answer, closed };
  std::uint32_t file;  // context id of its communicator
  Kind kind;
  std::int64_t etypes;
  std::uint64_t token;  // of the rank that asks
};

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
  File* file = open_files.find(message.file);
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
  open_files.give_back_remains();
  const std::size_t bytes = round_up(Board::bytes(file.ranks()), cache_line_bytes);
  void* memory = make_shared(bytes, true);
  if (!memory) {
    memory = std::aligned_alloc(cache_line_bytes, bytes);
    if (!memory) return fail(MPI_ERR_NO_MEM, "no memory to open a file");
    std::memset(memory, 0, bytes);
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

void tell_left(File& file) {
  if (file.board) file.board->tell_left(file.rank());
}

void free_board(File& file) {
  if (file.owns_board && address_for_others(file.board)) {
    open_files.keep_remains(file);
  } else if (file.owns_board) {  // without the board nobody else has used the staging memory
    std::free(file.board);
    if (file.owns_staging) (void)transport::exported_heap.release(file.staging);
  }
  open_files.give_back_remains();
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
  open_files.add(file);
}

void unlist_file(File& file) {
  open_files.remove(file);
}

}  // namespace baton::file

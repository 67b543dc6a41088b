#include "collective/run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/failure_class.hpp"
#include "datatype/pack.hpp"
#include "message/core/point_to_point.hpp"

namespace baton::collective {

namespace {

bool is_failure(Error error) {
  return error == error_process_failed || error == error_revoked;
}

// Returns whether a run with this error has failed by a loss in a job that goes on without the
// dead: what a failed message should have brought must reach nobody else.
bool has_failed(Error error) {
  return BATON_UNLIKELY(error != MPI_SUCCESS) && is_failure(error) && transport::job().continues;
}

}  // namespace

void* Task::frame_memory(Run& run, std::size_t bytes) noexcept {
  return run.take(bytes);
}

void* Run::take(std::size_t bytes) {
  constexpr std::size_t step = 16;
  static_assert(sizeof(Chunk) == step);
  bytes = (bytes + step - 1) / step * step;
  if (bytes <= own_bytes - taken_.used) {
    void* memory = own_ + taken_.used;
    taken_.used += bytes;
    return memory;
  }
  Chunk* chunk = *taken_.chunks;
  if (!chunk || chunk->bytes < bytes) {
    chunk = static_cast<Chunk*>(std::malloc(step + bytes));
    if (!chunk) {
      note(fail(MPI_ERR_NO_MEM, "no memory for %zu bytes of a collective's intermediate data",
                bytes));
      return nullptr;
    }
    *chunk = {*taken_.chunks, bytes};
    *taken_.chunks = chunk;
  }
  taken_.chunks = &chunk->next;
  return chunk + 1;
}

void Run::clear() {
  if (call.persistent && room_) world::leave_room(*room_);
  room_ = nullptr;
  if (BATON_UNLIKELY(on_device.is_on())) on_device.end();  // of a run that was cut off
  while (Chunk* chunk = chunks_) {
    chunks_ = chunk->next;
    std::free(chunk);
  }
  taken_ = kept_ = {0, &chunks_};
  device_habit = {};
  begun_ = spare_ = nullptr;
  error_ = MPI_SUCCESS;
}

// Where the device has no more memory, the host's serves as well: who combines copies.
void* Run::take_on_device(std::size_t bytes) {
  auto* chunk = static_cast<OnDevice::Chunk*>(take(sizeof(OnDevice::Chunk)));
  void* memory = chunk ? on_device.take(*chunk, bytes) : nullptr;
  return memory ? memory : take(bytes);
}

void* Run::scratch(std::int64_t count, const Datatype& type) {
  std::int64_t steps = count > 0 ? count - 1 : 0;
  std::int64_t span = count > 0 ? type.true_extent + steps * std::abs(type.extent) : 0;
  const std::size_t bytes = static_cast<std::size_t>(span) + 1;
  void* memory = BATON_UNLIKELY(on_device.is_on()) ? take_on_device(bytes) : take(bytes);
  // The first byte of data has this offset from the buffer's address: with a negative extent it is
  // the last element's.
  std::int64_t first = type.true_lower_bound + (type.extent < 0 ? steps * type.extent : 0);
  return memory ? static_cast<char*>(memory) - first : nullptr;
}

Run::Message* Run::new_message(Process partner) {
  Message* memory = spare_;
  if (memory)
    spare_ = memory->next;
  else
    memory = static_cast<Message*>(take(sizeof(Message)));
  if (!memory) return nullptr;
  new (memory) Message{{}, begun_, partner};
  return begun_ = memory;
}

void Run::send(const message::Context& context, const void* buffer, std::int64_t count,
               Datatype& type, int rank) {
  if (has_failed(error_)) return;
  if (Message* message = new_message(context.process(rank)))
    message::begin_send(context, buffer, count, type, rank, tag_, false, message->request);
}

void Run::refuse_length(int rank, std::int64_t theirs, std::int64_t ours) {
  constexpr std::size_t space_for_words = 200;
  char* words = static_cast<char*>(take(space_for_words));
  if (!words) return;
  const auto bytes = static_cast<long long>(ours);
  if (theirs < 0)
    std::snprintf(words, space_for_words,
                  "rank %d has called something else than this rank, which has %lld bytes for it "
                  "(mpiexec --check compares calls)",
                  rank, bytes);
  else
    std::snprintf(words, space_for_words,
                  "rank %d has %lld bytes for it, this rank %lld; all ranks must have as many "
                  "(mpiexec --check compares calls)",
                  rank, static_cast<long long>(theirs), bytes);
  refuse(MPI_ERR_TRUNCATE, words);
}

const message::Request* Run::receive(const message::Context& context, void* buffer,
                                     std::int64_t count, Datatype& type, int rank) {
  Message* message = new_message(context.process(rank));
  if (!message) return nullptr;
  message::begin_receive(context, buffer, count, type, rank, tag_, message->request);
  return &message->request;
}

// Takes completed messages off the list.
void Run::retire(Message** link) {
  Message* message = *link;
  note(message->request.error);
  if (BATON_UNLIKELY(message->request.error == error_process_failed))
    message::cut_off(call.comm->collective.owner);
  *link = message->next;
  message->next = spare_;
  spare_ = message;
}

bool Run::all_complete() {
  while (begun_) {
    if (!message::is_complete(begun_->request)) return false;
    retire(&begun_);
  }
  return true;
}

CallNumber Run::number() const {
  // A blocking call is always the last that was made; the run's tag may be another one for a while
  // (room/settle.cpp).
  const Call& asked = program_call();
  if (blocking_ && !asked.persistent) return {asked.comm->collectives - 1, false};
  return {world::number_of_tag(tag_), asked.persistent};
}

void Run::add_partners(lockfree::AwaitedRanks& partners) const {
  for (const Message* message = begun_; message; message = message->next)
    if (!message::is_complete(message->request))
      partners.add(message::world_rank(message->partner));
}

int Run::under_way(message::RequestKind kind, std::int64_t bytes) {
  int count = 0;
  for (Message** link = &begun_; *link;) {
    const message::Request& request = (*link)->request;
    if (message::is_complete(request)) {
      retire(link);
      continue;
    }
    count += request.kind == kind && request.bytes > bytes;
    link = &(*link)->next;
  }
  return count;
}

bool Run::wait_or_look() {
  if (!all_complete()) {
    if (!blocking_) return false;
    message::wait_until([this] { return all_complete(); }, [this] { return subject(); });
  }
  return !has_failed(error_) || !cut_off_by(error_);
}

void Run::copy(const void* from, std::int64_t from_count, Datatype& from_type, void* to,
               std::int64_t to_count, Datatype& to_type) {
  std::int64_t from_bytes = from_count * from_type.size, to_bytes = to_count * to_type.size;
  datatype::copy(from_type, from, to_type, to, std::min(from_bytes, to_bytes), is_host());
  if (from_bytes <= to_bytes) return;
  note(fail(MPI_ERR_TRUNCATE, "this rank's own block of %lld bytes does not fit into %lld bytes",
            static_cast<long long>(from_bytes), static_cast<long long>(to_bytes)));
}

// Looks up the types of an alltoallw, which the program may free before the run ends.
bool Run::look_up_types(Blocks& blocks) {
  if (!blocks.type_handles) return true;
  auto ranks = static_cast<std::size_t>(blocks.ranks);
  blocks.types = static_cast<Datatype**>(take(ranks * sizeof(Datatype*)));
  if (!blocks.types) return false;
  for (std::size_t i = 0; i < ranks; ++i)
    blocks.types[i] = datatype::datatypes.find(blocks.type_handles[i]);
  return true;
}

bool Run::keep_arrays(Blocks& blocks) {
  auto keep = [&](const void*& array, bool wide) {
    if (!array) return true;
    std::size_t bytes = static_cast<std::size_t>(blocks.ranks) * (wide ? 8 : sizeof(int));
    void* copy = take(bytes);
    if (copy) array = std::memcpy(copy, array, bytes);
    return copy != nullptr;
  };
  return keep(blocks.counts, blocks.wide_counts) &&
         keep(blocks.displacements, blocks.wide_displacements);
}

bool Run::take_in(bool outlives_call) {
  bool good = true;
  if (BATON_UNLIKELY(call.out.ranks || call.in.ranks)) {
    good = look_up_types(call.out) && look_up_types(call.in);
    if (good && outlives_call) good = keep_arrays(call.out) && keep_arrays(call.in);
  }
  if (good && outlives_call && call.task_state_bytes) {
    void* state = take(call.task_state_bytes);
    good = state != nullptr;
    if (good) call.task_state = std::memcpy(state, call.task_state, call.task_state_bytes);
  }
  room_ = &call.comm->room;
  if (good && call.persistent) {
    void* memory = take(sizeof(world::RoomView));
    room_ = memory ? new (memory) world::RoomView : nullptr;
    if (room_) room_->room.prepare(static_cast<std::uint32_t>(call.comm->size()));
    good = room_ != nullptr;
  }
  kept_ = taken_;
  return good;
}

void Run::prepare(std::int32_t tag, bool blocking) {
  taken_ = kept_;
  begun_ = spare_ = nullptr;
  tag_ = tag;
  blocking_ = blocking;
  error_ = MPI_SUCCESS;
  refusal_ = nullptr;
  checking = nullptr;
  cut_off_ = false;
  by_messages = false;
}

bool Run::begin(Task algorithm) {
  algorithm_ = algorithm.handle();
  if (!algorithm_) return true;
  algorithm_.resume();
  if (BATON_UNLIKELY(cut_off_)) {
    wait_for_messages();
    return true;
  }
  return algorithm_.done();
}

void Run::enter_step(const Call& step, Whole& whole) {
  whole.call = call;
  whole.outermost = whole_;
  if (!whole_) whole_ = &whole;
  call = step;
  whole.room = std::exchange(room_, &step.comm->room);
}

void Run::leave_step(const Whole& whole) {
  call = whole.call;
  whole_ = whole.outermost;
  room_ = whole.room;
}

bool Run::cut_off_by(Error error) {
  note(error);
  if (!is_failure(error)) return false;
  cut_off_ = true;
  // The step will not be left otherwise; what the run holds is the program's call's.
  if (whole_) leave_step(*whole_);
  return true;
}

bool Run::cut_off_if_broken() {
  return cut_off_by(message::broken(call.comm->collective.owner));
}

// Their memory is the run's. None of them is left for long: those that nobody will answer fail.
void Run::wait_for_messages() {
  message::wait_until([this] { return all_complete(); }, [this] { return subject(); });
}

bool Run::advance() {
  if (BATON_UNLIKELY(cut_off_)) return all_complete();
  if (condition_ ? !condition_(condition_state_) : !all_complete())
    return condition_ && is_cut_off() && all_complete();
  if (has_failed(error_) && cut_off_by(error_)) return all_complete();
  suspended_.resume();
  return algorithm_.done();
}

}  // namespace baton::collective

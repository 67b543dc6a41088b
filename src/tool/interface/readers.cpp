#include "tool/interface/readers.hpp"

#include <cstring>

#include "message/core/account.hpp"
#include "tool/interface/state.hpp"
#include "world/library_state.hpp"

namespace baton::tool {

namespace {

using message::engine;
using platform::load_shared;

// Reads one of the numbers of which a struct consists.
template <class Struct>
std::uint64_t word_of(const Struct& all, int place) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(&all);
  return load_shared(words[place]);
}

// Calls give(rank, peer) for all ranks of a communicator that this rank can address; the peer is
// null before contact.
template <class Give>
bool each_rank(std::uint64_t object, Give&& give) {
  const Communicator* comm = find_communicator(object);
  if (!comm) return false;
  const message::Context& context = comm->point_to_point;
  for (std::int32_t rank = 0; rank < context.size; ++rank)
    give(rank, message::known_peer(context.process(rank)));
  return true;
}

template <std::uint64_t Tally::*field>
bool read_tallies(std::uint64_t object, int way, std::uint64_t* values) {
  return each_rank(object, [&](std::int32_t rank, const message::Peer* peer) {
    std::uint64_t sum = 0;
    if (peer && message::has_history(*peer))
      for (const Tally& tally : peer->past().traffic.tally[way]) sum += load_shared(tally.*field);
    if (peer && way == static_cast<int>(Way::inline_eager))
      for (const Tally& tally : peer->packed) sum += load_shared(tally.*field);
    values[rank] = sum;
  });
}

}  // namespace

const Communicator* find_communicator(std::uint64_t object) {
  const Communicator* found = world::communicators.find(reinterpret_cast<MPI_Comm>(object));
  return found && !found->pending && library_is_usable() ? found : nullptr;
}

message::MatchQueue* queue_of_messages(std::uint64_t object) {
  const Communicator* comm = find_communicator(object);
  return comm ? comm->point_to_point.queue : nullptr;
}

bool read_counter(std::uint64_t, int which, std::uint64_t* values) {
  values[0] = word_of(engine.counters, which);
  return true;
}

bool read_reason(std::uint64_t, int which, std::uint64_t* values) {
  values[0] = 0;
  for (const auto& of_peers : engine.reasons.messages)
    for (const std::uint64_t& messages : of_peers[which]) values[0] += load_shared(messages);
  return true;
}

bool read_algorithm(std::uint64_t, int which, std::uint64_t* values) {
  values[0] = 0;
  for (const auto& of_choice : engine.collectives.calls[which])
    for (const std::uint64_t& calls : of_choice) values[0] += load_shared(calls);
  return true;
}

bool read_queued(std::uint64_t, int, std::uint64_t* values) {
  values[0] = load_shared(engine.queued_count);
  return true;
}

bool read_outstanding(std::uint64_t, int, std::uint64_t* values) {
  values[0] = static_cast<std::uint64_t>(load_shared(engine.outstanding_bytes));
  return true;
}

bool read_slept(std::uint64_t, int, std::uint64_t* values) {
  values[0] = load_shared(engine.slept_ns);
  return true;
}

bool read_phase(std::uint64_t, int, std::uint64_t* values) {
  const LibraryState::Phase phase = library_state.phase;
  values[0] = library_is_usable() ? 1 : phase == LibraryState::Phase::finalized ? 2 : 0;
  return true;
}

bool read_communicators(std::uint64_t, int, std::uint64_t* values) {
  values[0] = world::communicators.live();
  return true;
}

bool read_messages(std::uint64_t object, int way, std::uint64_t* values) {
  return read_tallies<&Tally::messages>(object, way, values);
}

bool read_bytes(std::uint64_t object, int way, std::uint64_t* values) {
  return read_tallies<&Tally::bytes>(object, way, values);
}

bool read_unexpected_bytes(std::uint64_t object, int, std::uint64_t* values) {
  return each_rank(object, [values](std::int32_t rank, const message::Peer* peer) {
    values[rank] =
        peer ? static_cast<std::uint64_t>(load_shared(peer->account.unexpected_bytes)) : 0;
  });
}

bool read_unexpected(std::uint64_t object, int, std::uint64_t* values) {
  const message::MatchQueue* queue = queue_of_messages(object);
  if (!queue) return false;
  values[0] = load_shared(queue->unexpected_count);
  return true;
}

bool read_posted(std::uint64_t object, int, std::uint64_t* values) {
  const message::MatchQueue* queue = queue_of_messages(object);
  if (!queue) return false;
  values[0] = load_shared(queue->posted_count);
  return true;
}

bool read_collectives(std::uint64_t object, int, std::uint64_t* values) {
  const Communicator* comm = find_communicator(object);
  if (!comm) return false;
  values[0] = load_shared(comm->collectives);
  return true;
}

bool read_window(std::uint64_t object, int place, std::uint64_t* values) {
  const WindowCounts* counts = interface.objects.window_counts(reinterpret_cast<MPI_Win>(object));
  if (!counts) return false;
  values[0] = word_of(*counts, place);
  return true;
}

bool read_file(std::uint64_t object, int place, std::uint64_t* values) {
  const FileCounts* counts = interface.objects.file_counts(reinterpret_cast<MPI_File>(object));
  if (!counts) return false;
  values[0] = word_of(*counts, place);
  return true;
}

}  // namespace baton::tool

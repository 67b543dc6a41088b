// How the two sides of a partitioned message meet. The sender's offer is an ordinary message on a
// plane of the communicator's own, so the order of offers and of receives that wait for them is
// that of the calls, as the standard wants it. The receiver chooses the way of the data, since it
// knows both buffers, and answers.
#include <cstdlib>
#include <cstring>

#include "base/settings.hpp"
#include "datatype/foreign.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"
#include "message/core/wait.hpp"
#include "message/partitioned/side.hpp"
#include "transport/attached.hpp"
#include "transport/heap.hpp"
#include "transport/move/reach.hpp"

namespace baton::message::partitioned {

namespace {

void complete_nothing(Request& request) {
  complete(request, MPI_SUCCESS);
}

Process peer_process(const Side& side) {
  return side.context.process(side.arguments.rank);
}

bool shares_memory(Process process) {
  return !settings.deposit_model && is_of_own_job(process) &&
         (process == engine.self || kind_by_place(process) == PeerKind::node);
}

bool is_foreign(const Side& side) {
  return !side.context.is_host() &&
         datatype::kind_of(*side.arguments.type, side.arguments.buffer) != nullptr;
}

Facts facts_of(const Side& side, Process sender) {
  const Offer& offer = side.offer;
  Facts facts{offer.partitions, offer.partition_bytes};
  facts.board = shares_memory(sender);
  facts.runs = offer.is_run && side.is_run;
  facts.foreign = offer.is_foreign || is_foreign(side);
  facts.staged_bytes_max = settings.partition_staged_bytes_max;
  facts.staging_bytes_max = settings.partition_staging_bytes_max;
  if (!facts.board || !facts.runs || facts.foreign) return facts;
  const transport::Slot slot = slot_of(sender);
  auto* theirs = reinterpret_cast<const void*>(offer.address);
  facts.mapped = sender == engine.self || transport::exported_heap.reach(slot, theirs) ||
                 transport::reach_by(slot, side.arguments.buffer) == transport::Reach::mapped;
  facts.reached = facts.mapped || transport::kernel_copies_from(slot);
  return facts;
}

std::int64_t board_bytes(const Units& units, Way way) {
  const std::int64_t places = std::int64_t{units.count()} * (way == Way::staged ? 2 : 1);
  return static_cast<std::int64_t>(sizeof(Board)) + places * slot_bytes(units, way);
}

// Makes the board, of zeros; null where there is no memory that the sender can map.
Board* make_board(const Side& side, Process sender) {
  const auto bytes = static_cast<std::size_t>(board_bytes(side.units, side.way));
  void* memory = nullptr;
  if (sender == engine.self) {
    memory = std::aligned_alloc(cache_line_bytes, bytes);
    if (memory) std::memset(memory, 0, bytes);
  } else if (transport::exported_heap.allocate(bytes, cache_line_bytes, nullptr, true, &memory)) {
    memory = nullptr;
  }
  return static_cast<Board*>(memory);
}

void use_board(Side& side, Board* board, Process process) {
  side.board = board;
  side.slots = reinterpret_cast<char*>(board + 1);
  side.slot_step = slot_bytes(side.units, side.way);
  side.peer = slot_of(process);
}

// Finds how this side gets to the other one's buffer.
void reach_buffer(Side& side, std::uint64_t address, Process process) {
  if (side.way != Way::direct) return;
  auto* theirs = reinterpret_cast<char*>(address);
  if (process == engine.self)
    side.there = theirs;
  else
    side.there = transport::map_lasting(
        {side.peer, theirs}, static_cast<std::size_t>(side.total_bytes()), &side.attached);
  side.by_kernel = !side.there && transport::kernel_copies_from(side.peer);
}

void settle(Side& side) {
  if (!(side.sends ? prepare_send(side) : prepare_receive(side)))
    give_up(side, MPI_ERR_NO_MEM, "no memory for the units of a partitioned message");
  if (side.error) side.units = Units();
  side.met_in = side.iteration;
  // ORDER side.met: release here, acquire in has_met.
  side.met.store(true, std::memory_order_release);
}

void choose(Side& side) {
  const Offer& offer = side.offer;
  const Process sender = peer_process(side);
  const std::int64_t sent = offer.partitions * offer.partition_bytes;
  side.way = choose_way(facts_of(side, sender));
  if (sent != side.total_bytes()) {
    side.way = Way::nothing;
    give_up(side, sent > side.total_bytes() ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
            "the partitioned send has %lld bytes in all its partitions and this receive %lld: "
            "their numbers of partitions may differ, but not the bytes",
            static_cast<long long>(sent), static_cast<long long>(side.total_bytes()));
  }
  side.units = Units(offer.partitions, offer.partition_bytes, side.way);
  if (side.way == Way::staged || side.way == Way::direct) {
    if (Board* board = make_board(side, sender)) {
      use_board(side, board, sender);
      side.owns_board = true;
    } else {
      side.way = Way::messages;
      side.units = Units(offer.partitions, offer.partition_bytes, side.way);
    }
  }
  reach_buffer(side, offer.address, sender);
}

void answer(Side& side) {
  if (side.offered.error)
    give_up(side, side.offered.error, "the sender of this partitioned message is gone");
  else
    choose(side);
  side.number = new_number();
  side.answer = {reinterpret_cast<std::uint64_t>(side.arguments.buffer),
                 reinterpret_cast<std::uint64_t>(side.board), side.way, side.number, reaches(side)};
  if (side.offered.error)
    complete_nothing(side.answered);
  else
    begin_send(side.context, &side.answer, sizeof side.answer, byte_type(), side.arguments.rank,
               inner_tag(side.offer.number, 0), false, side.answered);
  settle(side);
}

void take_answer(Side& side) {
  if (side.answered.error) {
    give_up(side, side.answered.error, "the receiver of this partitioned message is gone");
    return settle(side);
  }
  const Process process = peer_process(side);
  side.way = side.answer.way;
  side.units = Units(side.arguments.partitions, side.partition_bytes, side.way);
  if (side.answer.board) {
    auto* board = reinterpret_cast<char*>(side.answer.board);
    if (process != engine.self) board = transport::exported_heap.reach(slot_of(process), board);
    if (board)
      use_board(side, reinterpret_cast<Board*>(board), process);
    else
      give_up(side, MPI_ERR_NO_MEM,
              "no address space to map the receiver's memory; raise the limit (ulimit -v)");
  }
  if (!side.error) reach_buffer(side, side.answer.address, process);
  if (!side.error && side.way == Way::direct && !reaches(side) && !side.answer.pulls)
    give_up(side, MPI_ERR_NO_MEM,
            "no address space to map the receiver's buffer; raise the limit (ulimit -v)");
  settle(side);
}

void free_board(Side& side) {
  if (side.peer.is_own())
    std::free(side.board);
  else
    transport::exported_heap.release(side.board);
  side.board = nullptr;
}

}  // namespace

void begin_to_meet(Side& side) {
  const Arguments& arguments = side.arguments;
  if (!side.sends)
    return begin_receive(side.context, &side.offer, sizeof side.offer, byte_type(), arguments.rank,
                         arguments.tag, side.offered);
  side.number = new_number();
  side.offer = {reinterpret_cast<std::uint64_t>(arguments.buffer),
                side.partition_bytes,
                arguments.partitions,
                side.number,
                side.is_run,
                is_foreign(side)};
  begin_receive(side.context, &side.answer, sizeof side.answer, byte_type(), arguments.rank,
                inner_tag(side.number, 0), side.answered);
  begin_send(side.context, &side.offer, sizeof side.offer, byte_type(), arguments.rank,
             arguments.tag, false, side.offered);
}

void meet_nobody(Side& side) {
  complete_nothing(side.offered);
  complete_nothing(side.answered);
  side.units =
      side.sends ? Units(side.arguments.partitions, side.partition_bytes, Way::nothing) : Units();
  settle(side);
}

bool meet_peer(Side& side) {
  if (has_met(side)) return true;
  if (!is_complete(side.sends ? side.answered : side.offered)) return false;
  if (side.sends)
    take_answer(side);
  else
    answer(side);
  return true;
}

void end_meeting(Side& side) {
  Request& comes = side.sends ? side.answered : side.offered;
  if (!is_complete(comes)) cancel(comes);
  // A message that cannot be taken back has come, and is about to be handed over.
  if (!is_complete(comes)) wait_for(comes);
  // An answer that has come names a board, which its owner keeps for this side.
  if (side.sends && !comes.cancelled) meet_peer(side);
}

bool part(Side& side) {
  const Request& goes = side.sends ? side.offered : side.answered;
  if (side.attached) transport::attached_memory.let_go(side.there);
  side.attached = false;
  if ((side.sends || has_met(side)) && !is_complete(goes)) return false;
  if (!side.board) return true;
  if (side.owns_board) {
    if (!has_let_go(*side.board)) return false;
    free_board(side);
  } else {
    let_go(*side.board);
    side.board = nullptr;
  }
  return true;
}

void take_everything(Side& side) {
  if (side.owns_board && side.board) free_board(side);
}

}  // namespace baton::message::partitioned

#include "world/agree/agree.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/failure_class.hpp"
#include "message/core/loss.hpp"
#include "message/core/point_to_point.hpp"

namespace baton::world {

namespace {

Datatype& bytes_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

// Has later agreements fail, too, whose messages would be taken for those of one that has failed.
Error end_by(const Members& members, Error error) {
  if (error == error_process_failed) message::cut_off(members.context->owner);
  return error;
}

}  // namespace

Error agree_allgather(const Members& members, const void* mine, std::int64_t bytes, void* all) {
  const std::int32_t count = members.count, own = members.position;
  auto block = static_cast<std::size_t>(bytes);
  // The blocks are gathered from our own position on, then rotated so that position 0 comes first.
  auto* gathered = static_cast<char*>(std::malloc(block * static_cast<std::size_t>(count)));
  if (!gathered) return fail(MPI_ERR_NO_MEM, "no memory to agree with %d ranks", count);
  std::memcpy(gathered, mine, block);
  Error error = MPI_SUCCESS;
  for (std::int32_t have = 1; have < count && !error; have *= 2) {
    std::int32_t blocks = std::min(have, count - have);
    error = message::exchange(*members.context, gathered, bytes * blocks, bytes_type(),
                              members.rank_at((own - have + count) % count), members.tag,
                              gathered + block * static_cast<std::size_t>(have), bytes * blocks,
                              bytes_type(), members.rank_at((own + have) % count), members.tag,
                              nullptr);
  }
  for (std::int32_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char*>(all) + block * static_cast<std::size_t>((own + i) % count),
                gathered + block * static_cast<std::size_t>(i), block);
  std::free(gathered);
  return end_by(members, error);
}

Error agree_broadcast(const Members& members, std::int32_t root, void* data, std::int64_t bytes) {
  const std::int32_t count = members.count;
  const std::int32_t own = (members.position - root + count) % count;
  auto rank_of = [&](std::int32_t from_root) {
    return members.rank_at((from_root + root) % count);
  };
  std::int32_t mask = 1;
  while (mask < count && !(own & mask)) mask <<= 1;
  if (mask < count) {
    Error error = message::receive(*members.context, data, bytes, bytes_type(), rank_of(own - mask),
                                   members.tag, nullptr);
    if (error) return end_by(members, error);
  }
  for (mask >>= 1; mask > 0; mask >>= 1) {
    if (own + mask >= count) continue;
    Error error = message::send(*members.context, data, bytes, bytes_type(), rank_of(own + mask),
                                members.tag);
    if (error) return end_by(members, error);
  }
  return MPI_SUCCESS;
}

void Dissemination::start(const Members& members, int count) {
  members_ = &members;
  count_ = count;
  error_ = MPI_SUCCESS;
  distance_ = members.count > 1 ? 1 : 0;
  if (distance_) begin_round();
}

void Dissemination::begin_round() {
  const Members& members = *members_;
  const std::int32_t size = members.count, own = members.position;
  const std::int64_t bytes = count_ * static_cast<std::int64_t>(sizeof words[0]);
  send_ = {};
  receive_ = {};
  message::begin_receive(*members.context, incoming_, bytes, bytes_type(),
                         members.rank_at((own - distance_ + size) % size), members.tag, receive_);
  message::begin_send(*members.context, words, bytes, bytes_type(),
                      members.rank_at((own + distance_) % size), members.tag, false, send_);
}

bool Dissemination::advance() {
  while (distance_ != 0) {
    if (!message::is_complete(send_) || !message::is_complete(receive_)) return false;
    error_ = end_by(*members_, send_.error ? send_.error : receive_.error);
    for (int i = 0; i < count_; ++i) words[i] &= incoming_[i];
    distance_ = error_ || distance_ * 2 >= members_->count ? 0 : distance_ * 2;
    if (distance_) begin_round();
  }
  return true;
}

}  // namespace baton::world

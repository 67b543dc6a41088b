// This is the format of operations on windows in messages: an active message is a header, the
// ranges of memory that it is about, and their data, one after the other. It is used by remote.cpp
// (origins) and remote_target.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "message/core/active.hpp"
#include "message/core/progress_source.hpp"
#include "window/window.hpp"

namespace baton::window {

enum class RemoteKind : std::uint32_t {
  put,
  get,
  accumulate,  // with or without a result
  compare_and_swap,
  // These are about one run at the target, whose data goes beside the message (transfer.hpp).
  put_run,
  get_run,
  accumulate_run,
  // The messages from here on have no data.
  flush,
  lock,
  unlock,
  post,
  complete,
  answer,
};

struct RemoteHeader {
  std::uint32_t window;        // context id of the window's communicator
  std::int32_t operation = 0;  // handles, as integers
  std::int32_t type = 0;
  std::uint32_t ranges = 0;
  std::int32_t error = 0;    // in answers
  std::uint32_t number = 0;  // for locks; in lock messages also whether it is exclusive
  std::uint32_t exclusive = 0;
  std::uint64_t token = 0;     // of the origin, for the answer
  std::uint64_t position = 0;  // in answers: position of the data in the whole
};

struct RemoteRange {
  std::uint64_t address;  // at the target
  std::uint64_t bytes;
};

// This is one message that this rank sends.
class RemoteMessage {
 public:
  RemoteMessage(RemoteKind kind, const RemoteHeader& header) : kind_(kind), header_(header) {}

  // Returns the space for data of one more range. (Data stands behind the ranges, so they are
  // joined at the end.)
  std::size_t space() const {
    const std::size_t used =
        sizeof header_ + (header_.ranges + 1) * sizeof(RemoteRange) + data_bytes_;
    return used < message::active_bytes_max && header_.ranges < ranges_max
               ? message::active_bytes_max - used
               : 0;
  }
  bool is_empty() const { return header_.ranges == 0; }
  std::uint64_t bytes_asked() const { return asked_; }
  // Adds a range. `data` may be null: then the range asks for its bytes.
  void add(std::uint64_t address, const void* data, std::uint64_t bytes) {
    ranges_[header_.ranges++] = {address, bytes};
    asked_ += bytes;
    if (!data) return;
    std::memcpy(data_ + data_bytes_, data, bytes);
    data_bytes_ += bytes;
  }
  Error send(Process process) {
    char* at = packet_;
    auto put = [&](const void* from, std::size_t bytes) {
      std::memcpy(at, from, bytes);
      at += bytes;
    };
    put(&header_, sizeof header_);
    put(ranges_, header_.ranges * sizeof(RemoteRange));
    put(data_, data_bytes_);
    return message::send_active(process, message::ActiveKind::one_sided,
                                static_cast<std::int32_t>(kind_), packet_,
                                static_cast<std::size_t>(at - packet_));
  }
  void reset() {
    header_.ranges = 0;
    data_bytes_ = 0;
    asked_ = 0;
  }
  RemoteHeader& header() { return header_; }
  RemoteKind kind() const { return kind_; }

  static constexpr std::uint32_t ranges_max = 64;

 private:
  RemoteKind kind_;
  RemoteHeader header_;
  std::size_t data_bytes_ = 0;
  std::uint64_t asked_ = 0;
  RemoteRange ranges_[ranges_max];
  char data_[message::active_bytes_max];
  char packet_[message::active_bytes_max];
};

// This is a message as it came. Ranges and data last as long as the handler.
struct Incoming {
  RemoteHeader header;
  const RemoteRange* ranges;
  const char* data;
  Process sender;
  Window* window;
  int rank() const { return window->comm->local->rank_of(sender); }
  Target& origin() const { return window->targets[rank()]; }
};

// This is a turn at this rank's lock that an origin on another node waits for. As a source of
// progress it asks whether the turn has come (remote_target.cpp).
struct WaitingTurn {
  Incoming incoming;
  std::uint32_t number;
  WaitingTurn* next;
  Error error = MPI_SUCCESS;  // it will not come: a rank of the window is lost

  // Takes the turn, if it has come, and returns whether the wait for it is over.
  bool advance();
  // Answers the message.
  void finish();
};

// These are the places where the data of one answer goes, range by range.
struct AnswerPlaces {
  struct Range {
    char* to;
    std::uint64_t bytes;
  } ranges[RemoteMessage::ranges_max];
  std::uint32_t count = 0;

  void add(char* to, std::uint64_t bytes) { ranges[count++] = {to, bytes}; }
  void fill(const char* data) const {
    for (std::uint32_t i = 0; i < count; data += ranges[i++].bytes)
      std::memcpy(ranges[i].to, data, ranges[i].bytes);
  }
};

// This is what an origin waits for. It lives, on the origin's stack or in a transfer, until the
// last answer has come.
struct Expected {
  char* into = nullptr;            // where data goes, or null
  AnswerPlaces* places = nullptr;  // where the data of a scattered answer goes
  std::int32_t error = MPI_SUCCESS;
  std::uint32_t number = 0;
  // This counts what is still to come; `asking` is in it while a caller that does not wait asks.
  std::atomic<std::uint32_t> answers{0};
  static constexpr std::uint32_t asking = 1u << 31;
  std::uint64_t token() const { return reinterpret_cast<std::uint64_t>(this); }
};

}  // namespace baton::window

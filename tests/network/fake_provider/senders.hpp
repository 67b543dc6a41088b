// Messages and writes on their way out. Each is cut into chunks of any size, and chunks of all of
// them leave in any order; the data is read when its chunk leaves, long after the call.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "resources.hpp"

namespace fake {

struct Outgoing {
  ChunkHeader header;  // of each chunk, but for its offset
  std::uint64_t to = 0;
  Completion completion;
  std::vector<char> copy;  // of what was injected: nobody is told of its completion
  std::vector<std::pair<std::uint64_t, std::size_t>> left;  // chunks: offset and bytes
};

class Senders {
 public:
  explicit Senders(Resources& resources) : resources_(resources) {}

  // Whether another one finds space now.
  bool has_space();
  // `header` says what it is; the parts are its data. With space only.
  void send(std::uint64_t to, ChunkHeader header, Completion completion);
  // Asks for data, which goes into the parts.
  void read(std::uint64_t to, ChunkHeader header, Completion completion);
  // What a target says to a delivered write; and what it gives a read, out of a region.
  void confirm(std::uint64_t to, std::uint64_t operation);
  void answer(const ChunkHeader& asked, Region& region, char* data);
  // Such an answer has come: the operation is over. And a read's data.
  void end(std::uint64_t operation);
  void take_data(const ChunkHeader& header, const char* data, std::size_t bytes);
  // A message of that sender has been delivered here.
  void note_heard(std::uint64_t name) { heard_.insert(name); }
  void inject(std::uint64_t to, ChunkHeader header, const void* data, std::size_t bytes);
  void progress();
  bool empty() const { return all_.empty(); }
  // The endpoint ends. What has been injected is lost if it has not left.
  void forget_all();

 private:
  void begin(std::unique_ptr<Outgoing> outgoing);
  // Messages to one receiver leave in order (FI_ORDER_SAS): the completion of one tells that all
  // before it have left, too.
  bool waits(const Outgoing& outgoing) const;
  void finish(std::size_t index, int error);
  void fail(std::uint64_t operation, int error);

  Resources& resources_;
  std::vector<std::unique_ptr<Outgoing>> all_;
  std::map<std::uint64_t, Completion> awaiting_;  // an answer, by number: they have left
  std::map<std::uint64_t, std::uint64_t> turns_;  // of messages, by receiver
  std::set<std::uint64_t> heard_;                 // names of senders
  std::uint64_t begun_ = 0;
};

}  // namespace fake

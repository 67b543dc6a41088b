// What comes: chunks of messages are put together and go into posted buffers, of which any is
// taken; chunks of writes go straight to their place, and the write is told when all of them have
// come.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "resources.hpp"
#include "senders.hpp"

namespace fake {

class Receivers {
 public:
  Receivers(Resources& resources, Senders& senders) : resources_(resources), senders_(senders) {}

  bool has_space();
  // With space only.
  void post(void* buffer, std::size_t bytes, Region* region, void* context);
  void progress();
  // Whether there is something to do that no datagram will announce.
  bool can_deliver() const;
  void forget_all();

 private:
  struct Posted {
    char* buffer = nullptr;
    std::size_t bytes = 0;
    Region* region = nullptr;
    void* context = nullptr;
    std::uint64_t checksum = 0;
  };
  // What has come in part.
  struct Arrival {
    std::uint64_t missing = 0;
    std::vector<char> message;
    Region* region = nullptr;
  };
  struct Source {
    std::uint64_t turn = 0;                            // of the next message
    std::map<std::uint64_t, std::vector<char>> whole;  // messages, by their turn
  };

  void take(const Chunk& chunk, std::size_t bytes);
  void put_in_place(const ChunkHeader& header, const char* data, std::size_t bytes,
                    Arrival& arrival);
  void finish(const ChunkHeader& header, Arrival& arrival);
  void deliver(std::uint64_t name, Source& source);
  std::vector<std::uint64_t> ready_sources() const;

  Resources& resources_;
  Senders& senders_;
  std::vector<Posted> posted_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Arrival> arrivals_;  // by sender and number
  std::map<std::uint64_t, Source> sources_;                              // by name
};

}  // namespace fake

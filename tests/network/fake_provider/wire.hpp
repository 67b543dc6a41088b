// The way between processes of this machine: datagrams of one Unix socket a domain, which the
// kernel neither loses nor reorders. Operations travel as chunks, each of which says where it
// belongs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake {

enum class Kind : std::uint32_t {
  message,
  write,            // told at its target
  delivered_write,  // told at its origin when it is there
  delivery,         // which this says
  read,
  read_data,
};

struct ChunkHeader {
  std::uint64_t from = 0;              // the sender's name
  std::uint64_t operation = 0;         // its number there
  std::uint64_t turn = 0;              // of messages to this receiver: from 0 on
  std::uint64_t whole = 0;             // bytes of the operation
  std::uint64_t offset = 0;            // of this chunk in it
  std::uint64_t address = 0, key = 0;  // of a write or read, for its first byte
  std::uint64_t wanted = 0;            // bytes of a read
  std::uint64_t answers = 0;           // the number of a delivered write or a read
  std::uint32_t data = 0;              // of a write
  Kind kind = Kind::message;
};
inline constexpr std::size_t chunk_bytes_max = 16384;

struct Chunk {
  ChunkHeader header;
  char bytes[chunk_bytes_max];
};

class Wire {
 public:
  // libfabric's error, negative, or 0.
  int open();
  void close();
  int descriptor() const { return socket_; }
  // By which others send here. Nobody else ever has the same.
  std::uint64_t name() const { return name_; }

  // -FI_EAGAIN without space, another error when there is nobody of that name, or 0.
  int send(std::uint64_t to, const Chunk& chunk, std::size_t bytes) const;
  // Whether there was one; its bytes behind the header.
  bool receive(Chunk& chunk, std::size_t& bytes) const;

 private:
  int socket_ = -1;
  std::uint64_t name_ = 0;
};

}  // namespace fake

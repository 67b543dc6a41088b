// What the provider demands and how it behaves. Two environment variables say it (and with
// FAKE_PROVIDER_TELLS it says in the end how much device memory was registered):
// FAKE_PROVIDER_SEED a number, FAKE_PROVIDER words with commas between them:
//   loose      registers nothing for sending, gathers from four places, has keys that its user
//              chooses, of four bytes, and addresses remote memory by offset. Without it: every
//              mode of registration there is, one place at a time.
//   overtake   completions of messages from one sender come in any order, too
//   blind      no descriptor to wait on
//   no_inject  nothing can be sent without a completion
//   rma        reads and writes remote memory by itself, and tells of a write when it is there
//              (FI_DELIVERY_COMPLETE)
//   crossing   connects as TCP does: what is sent to a peer of which nothing has come is told to
//              have left, and may be lost
//   hmem       reaches memory of the stand-in for a device's driver (FI_HMEM), at adapters whose
//              memory of that kind has to be registered
//   hmem_full  the same, and refuses to register any
//   rails      three interfaces, fake0 to fake2
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake {

struct Personality {
  bool loose = false;
  bool overtake = false;
  bool blind = false;
  bool rma = false;
  bool crossing = false;
  bool hmem = false;
  bool hmem_full = false;
  int interfaces = 1;
  std::uint64_t seed = 1;
  int mr_mode = 0;
  std::size_t inject_bytes = 64;
  std::size_t parts_max = 1;  // of a message
  std::size_t key_bytes = 8;
  std::size_t operations_max = 8;  // on their way out
  std::size_t receives_max = 6;    // posted
};

inline constexpr std::size_t message_bytes_max = std::size_t{1} << 20;

Personality read_personality();

}  // namespace fake

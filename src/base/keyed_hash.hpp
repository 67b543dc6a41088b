// This is SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): without
// the key nobody can make or guess the hash of a text. Ranks use it to recognize each other's
// messages, and to prove that they know the secret of a port.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace baton {

struct Key {
  std::uint64_t low = 0, high = 0;
};

class SipState {
 public:
  constexpr explicit SipState(Key key)
      : v0_(key.low ^ 0x736f6d6570736575),
        v1_(key.high ^ 0x646f72616e646f6d),
        v2_(key.low ^ 0x6c7967656e657261),
        v3_(key.high ^ 0x7465646279746573) {}

  constexpr void take(std::uint64_t word) {
    v3_ ^= word;
    round();
    round();
    v0_ ^= word;
  }
  constexpr std::uint64_t end() {
    v2_ ^= 0xff;
    for (int i = 0; i < 4; ++i) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  constexpr void round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }
  std::uint64_t v0_, v1_, v2_, v3_;
};

// Hashes whole words. The last word of SipHash, with the length in its highest byte, is added here.
constexpr std::uint64_t keyed_hash(Key key, std::span<const std::uint64_t> words) {
  SipState state(key);
  for (std::uint64_t word : words) state.take(word);
  state.take(static_cast<std::uint64_t>(words.size() * 8) << 56);
  return state.end();
}

}  // namespace baton

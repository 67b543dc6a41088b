#include "base/keyed_hash.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace baton {
namespace {

// Of SipHash-2-4's reference vectors (key 00 01 .. 0f, text 00 01 ..) those whose text is whole
// words.
constexpr Key reference_key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
constexpr std::uint64_t reference[] = {
    0x726fdb47dd0e0e31, 0x93f5f5799a932462, 0x3f2acc7f57c29bdb, 0xb8ad50c6f649af94,
    0x7127512f72f27cce, 0x0e3ea96b5304a7d0, 0xe612a3cb9ecba951, 0xb78dbfaf3a8d83bd,
};

constexpr std::uint64_t word_of_text(std::uint64_t number) {
  return 0x0706050403020100 + number * 0x0808080808080808;
}

TEST(keyed_hash, is_the_reference_vectors_for_whole_words) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t expected : reference) {
    EXPECT_EQ(keyed_hash(reference_key, words), expected) << words.size() << " words";
    words.push_back(word_of_text(words.size()));
  }
}

// The example of the paper's appendix: 15 bytes, whose last word holds seven of them and the
// length.
TEST(keyed_hash, has_the_state_of_the_paper_s_example) {
  SipState state(reference_key);
  state.take(word_of_text(0));
  state.take((word_of_text(1) & 0x00ffffffffffffff) | std::uint64_t{15} << 56);
  EXPECT_EQ(state.end(), 0xa129ca6149be45e5);
}

TEST(keyed_hash, every_bit_of_the_key_and_the_text_matters) {
  std::vector<std::uint64_t> words = {word_of_text(0), word_of_text(1)};
  const std::uint64_t plain = keyed_hash(reference_key, words);
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t flip = std::uint64_t{1} << bit;
    EXPECT_NE(keyed_hash({reference_key.low ^ flip, reference_key.high}, words), plain);
    EXPECT_NE(keyed_hash({reference_key.low, reference_key.high ^ flip}, words), plain);
    for (std::uint64_t& word : words) {
      word ^= flip;
      EXPECT_NE(keyed_hash(reference_key, words), plain);
      word ^= flip;
    }
  }
}

}  // namespace
}  // namespace baton

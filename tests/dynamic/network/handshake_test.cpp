#include "dynamic/network/handshake.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace baton::dynamic {
namespace {

constexpr Key secret{0x0123456789abcdef, 0xfedcba9876543210};
using State = Handshake::State;

struct Handshakes : testing::Test {
  Handshakes() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0); }
  ~Handshakes() override {
    for (const int end : ends) ::close(end);
  }
  // Lets both go on in turn until neither is under way, or both wait.
  void meet(Key one, Key other) {
    Handshake connecting(one, Role::connects), accepting(other, Role::accepts);
    for (int turn = 0; turn < 10; ++turn) {
      if (connects == State::under_way) connects = connecting.advance(ends[0]);
      if (connects == State::refused || connects == State::ended) ::shutdown(ends[0], SHUT_RDWR);
      if (accepts == State::under_way) accepts = accepting.advance(ends[1]);
    }
    keys[0] = connecting.key();
    keys[1] = accepting.key();
  }
  int ends[2];
  State connects = State::under_way, accepts = State::under_way;
  Key keys[2];
};

TEST_F(Handshakes, give_both_a_key_that_is_new_each_time) {
  meet(secret, secret);
  EXPECT_EQ(connects, State::done);
  EXPECT_EQ(accepts, State::done);
  EXPECT_EQ(keys[0].low, keys[1].low);
  EXPECT_EQ(keys[0].high, keys[1].high);
  const Key before = keys[0];
  connects = accepts = State::under_way;
  meet(secret, secret);
  EXPECT_NE(keys[0].low, before.low);
  EXPECT_NE(keys[0].high, before.high);
}

TEST_F(Handshakes, find_out_who_does_not_know_the_secret) {
  for (const Key wrong :
       {Key{secret.low ^ 1, secret.high}, Key{secret.low, secret.high ^ 1}, Key{}}) {
    connects = accepts = State::under_way;
    ::close(ends[0]);
    ::close(ends[1]);
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    meet(wrong, secret);
    EXPECT_EQ(connects, State::refused);
    EXPECT_NE(accepts, State::done);
  }
}

// One that has the answer of somebody who knows the secret, from another connection, has not got it
// for this one.
TEST_F(Handshakes, believe_no_proof_of_another_connection) {
  Handshake connecting(secret, Role::connects), accepting(secret, Role::accepts);
  ASSERT_EQ(connecting.advance(ends[0]), State::under_way);
  ASSERT_EQ(accepting.advance(ends[1]), State::under_way);
  ASSERT_EQ(connecting.advance(ends[0]), State::done);
  char proof[16];
  ASSERT_EQ(::read(ends[1], proof, sizeof proof), ssize_t{sizeof proof});
  Handshake again(secret, Role::accepts);
  const std::uint64_t hello[] = {0x3174726f706e7462, 5, 7};
  ASSERT_EQ(::write(ends[0], hello, sizeof hello), ssize_t{sizeof hello});
  ASSERT_EQ(again.advance(ends[1]), State::under_way);
  ASSERT_EQ(::write(ends[0], proof, sizeof proof), ssize_t{sizeof proof});
  EXPECT_EQ(again.advance(ends[1]), State::refused);
}

TEST_F(Handshakes, send_no_secret) {
  Handshake connecting(secret, Role::connects), accepting(secret, Role::accepts);
  char bytes[256];
  std::string all;
  const auto pass_on = [&](int from) {
    const ssize_t came = ::recv(from, bytes, sizeof bytes, MSG_PEEK);
    if (came > 0) all.append(bytes, static_cast<std::size_t>(came));
  };
  (void)connecting.advance(ends[0]);
  pass_on(ends[1]);
  (void)accepting.advance(ends[1]);
  pass_on(ends[0]);
  (void)connecting.advance(ends[0]);
  pass_on(ends[1]);
  EXPECT_EQ(accepting.advance(ends[1]), State::done);
  EXPECT_GT(all.size(), 60u);
  for (const std::uint64_t word : {secret.low, secret.high}) {
    const std::string part(reinterpret_cast<const char*>(&word), sizeof word);
    EXPECT_EQ(all.find(part), std::string::npos);
  }
}

TEST_F(Handshakes, send_away_who_says_something_else) {
  Handshake accepting(secret, Role::accepts);
  const std::string words = "GET / HTTP/1.1 and much more";
  ASSERT_EQ(::write(ends[0], words.data(), words.size()), static_cast<ssize_t>(words.size()));
  EXPECT_EQ(accepting.advance(ends[1]), State::refused);
}

TEST_F(Handshakes, wait_for_who_says_little_and_end_with_the_connection) {
  Handshake accepting(secret, Role::accepts);
  EXPECT_EQ(accepting.advance(ends[1]), State::under_way);
  ASSERT_EQ(::write(ends[0], "btn", 3), 3);
  EXPECT_EQ(accepting.advance(ends[1]), State::under_way);
  ::shutdown(ends[0], SHUT_RDWR);
  EXPECT_EQ(accepting.advance(ends[1]), State::ended);
}

}  // namespace
}  // namespace baton::dynamic

// Both sides of adverts between nodes come to the same matches, whatever crosses on the way.
#include "message/network/known_adverts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <vector>

namespace baton::message {
namespace {

using Arrived = KnownAdverts::Arrived;

lockfree::Envelope with_tag(std::int32_t tag) {
  return {5, tag};
}
NetworkAdvertLine advert(std::uint32_t number, std::uint32_t taken, std::uint32_t refusals = 0) {
  return {.address = 0,
          .keys = {},
          .bytes = 1 << 20,
          .receive = number,
          .number = number,
          .taken = taken,
          .refusals = refusals,
          .rails = 1};
}

struct known : testing::Test {
  KnownAdverts book;
  std::uint32_t rendezvous = 0;
  Arrived arrive(std::int32_t tag, const NetworkAdvertLine& line, bool usable = true) {
    return book.arrive(with_tag(tag), line, usable, rendezvous);
  }
  // The number of the advert that a message matches; 0: none.
  std::uint32_t send(std::int32_t tag, std::uint32_t number = KnownAdverts::no_rendezvous) {
    const NetworkAdvertLine* found = book.find(with_tag(tag));
    const std::uint32_t matched = found ? found->number : 0;
    book.sent(with_tag(tag), number, found);
    return matched;
  }
};

TEST_F(known, the_first_advert_that_fits_is_used_once) {
  EXPECT_EQ(arrive(1, advert(1, 0)), Arrived::kept);
  EXPECT_EQ(arrive(MPI_ANY_TAG, advert(2, 0)), Arrived::kept);
  EXPECT_EQ(arrive(1, advert(3, 0)), Arrived::kept);
  EXPECT_EQ(send(-7), 0u) << "the library's own tags match no wildcard";
  EXPECT_EQ(send(2), 2u);
  EXPECT_EQ(send(1), 1u);
  EXPECT_EQ(send(1), 3u);
  EXPECT_EQ(send(1), 0u);
}

TEST_F(known, an_advert_answers_a_message_that_it_has_crossed) {
  send(1, 40);
  send(2, 41);
  EXPECT_EQ(arrive(2, advert(1, 0)), Arrived::matched);
  EXPECT_EQ(rendezvous, 41u);
  EXPECT_EQ(arrive(MPI_ANY_TAG, advert(2, 0)), Arrived::matched);
  EXPECT_EQ(rendezvous, 40u);
  EXPECT_EQ(arrive(MPI_ANY_TAG, advert(3, 0)), Arrived::kept);
}

TEST_F(known, what_came_before_the_receive_was_posted_does_not_match_it) {
  send(1, 40);
  EXPECT_EQ(arrive(1, advert(1, 1)), Arrived::kept);
  EXPECT_EQ(send(1, 41), 1u);
}

TEST_F(known, one_that_was_taken_back_matches_nothing) {
  arrive(1, advert(1, 0));
  arrive(1, advert(2, 0));
  EXPECT_TRUE(book.has(1));
  book.drop(1);
  EXPECT_FALSE(book.has(1));
  EXPECT_EQ(send(1), 2u);
}

TEST_F(known, what_is_not_remembered_is_refused_with_all_that_left_before_this_was_heard) {
  for (std::uint32_t i = 0; i <= remembered_sends; ++i) send(1, i);
  EXPECT_EQ(arrive(1, advert(1, 1)), Arrived::matched);
  EXPECT_EQ(arrive(2, advert(2, 0)), Arrived::refused);
  EXPECT_EQ(arrive(2, advert(3, remembered_sends + 1)), Arrived::ignored);
  EXPECT_EQ(send(2), 0u);
  EXPECT_EQ(arrive(2, advert(4, remembered_sends + 2, 1)), Arrived::kept);
  EXPECT_EQ(send(2), 4u);
}

TEST_F(known, what_cannot_be_used_or_kept_is_refused) {
  EXPECT_EQ(arrive(1, advert(1, 0), false), Arrived::refused);
  for (std::uint32_t i = 0; i < adverts_max; ++i)
    EXPECT_EQ(arrive(1, advert(2 + i, 0, 1)), Arrived::kept);
  EXPECT_EQ(arrive(1, advert(99, 0, 1)), Arrived::refused);
}

TEST(own, adverts_that_answer_nothing_become_rare) {
  OwnAdverts own;
  Request receive;
  EXPECT_TRUE(own.wants_more());
  const std::uint32_t number = own.open(receive);
  EXPECT_EQ(own.find(number), &receive);
  own.close(receive);
  EXPECT_EQ(own.find(number), nullptr);
  own.wasted();
  int until_tried = 1;
  while (!own.wants_more()) ++until_tried;
  EXPECT_GT(until_tried, 10);
  own.used();
  own.wasted();
  EXPECT_TRUE(own.wants_more());
}

// A sender and a receiver, and what is on its way between them.
class Pair {
 public:
  explicit Pair(unsigned seed) : random_(seed) {}

  void step() {
    switch (below(6)) {
      case 0:
        return post();
      case 1:
        return send();
      case 2:
        return leave();
      case 3:
        return take_line();
      case 4:
        return take_answer();
      default:
        if (below(4) == 0) cancel();
    }
  }
  void finish() {
    while (!waiting_.empty() || !lines_.empty() || !answers_.empty()) {
      leave();
      take_line();
      take_answer();
    }
  }
  // By message: the number of the advert that it was found to match, by each side.
  std::vector<std::uint32_t> by_receiver, by_sender;
  int refused = 0, crossed = 0, given = 0;

 private:
  enum class Kind { message, refused, given };
  // From the sender: a message, or that an advert was refused, or given back.
  struct Line {
    Kind kind;
    std::uint32_t number;
  };
  // From the receiver: an advert, or that it wants one back.
  struct Answer {
    bool is_advert;
    std::int32_t tag;
    NetworkAdvertLine line;
  };
  struct Posted {
    std::int32_t tag;
    std::uint32_t number;  // of its advert; 0: not advertised
    bool asked;
  };

  std::uint32_t below(std::uint32_t limit) { return random_() % limit; }

  // ---- the receiver

  void post() {
    const std::int32_t tag = below(4) == 0 ? MPI_ANY_TAG : static_cast<std::int32_t>(below(3));
    const auto found = std::find_if(unexpected_.begin(), unexpected_.end(),
                                    [&](auto message) { return tag_fits(tag, tags_[message]); });
    if (found != unexpected_.end()) {
      unexpected_.erase(found);
      return;
    }
    const bool behind = std::any_of(posted_.begin(), posted_.end(), [&](const Posted& other) {
      return other.number == 0 &&
             (other.tag == tag || other.tag == MPI_ANY_TAG || tag == MPI_ANY_TAG);
    });
    const auto open = std::count_if(posted_.begin(), posted_.end(),
                                    [](const Posted& one) { return one.number > 0; });
    std::uint32_t number = 0;
    if (!behind && open < adverts_max && below(5) > 0) {
      number = ++last_number_;
      answers_.push_back({true, tag, advert(number, taken_, refusals_)});
    }
    posted_.push_back({tag, number, false});
  }

  void cancel() {
    if (posted_.empty()) return;
    const auto chosen = posted_.begin() + below(static_cast<std::uint32_t>(posted_.size()));
    if (chosen->number == 0) {
      posted_.erase(chosen);
      return;
    }
    chosen->asked = true;
    answers_.push_back({false, 0, advert(chosen->number, 0)});
  }

  void take_line() {
    if (lines_.empty()) return;
    const Line line = lines_.front();
    lines_.pop_front();
    if (line.kind == Kind::message) return match(line.number);
    const bool one = line.kind == Kind::given;
    const auto meant = [&](std::uint32_t number) {
      return one ? number == line.number : number >= line.number;
    };
    if (!one) {
      ++refusals_;
      // What has matched one already is asked for in the ordinary way.
      for (std::uint32_t& number : by_receiver)
        if (meant(number)) number = 0;
    }
    for (auto posted = posted_.begin(); posted != posted_.end();) {
      if (!meant(posted->number)) {
        ++posted;
      } else if (posted->asked) {
        posted = posted_.erase(posted);
      } else {
        posted->number = 0;
        ++posted;
      }
    }
  }

  void match(std::uint32_t message) {
    ++taken_;
    const auto found = std::find_if(posted_.begin(), posted_.end(), [&](const Posted& posted) {
      return tag_fits(posted.tag, tags_[message]);
    });
    if (found == posted_.end()) {
      unexpected_.push_back(message);
      return;
    }
    by_receiver[message] = found->number;
    posted_.erase(found);
  }

  // ---- the sender

  void send() {
    waiting_.push_back({Kind::message, static_cast<std::uint32_t>(tags_.size())});
    tags_.push_back(static_cast<std::int32_t>(below(3)));
    by_receiver.push_back(0);
    by_sender.push_back(0);
  }

  void leave() {
    if (waiting_.empty()) return;
    const Line line = waiting_.front();
    waiting_.pop_front();
    lines_.push_back(line);
    if (line.kind != Kind::message) return;
    const lockfree::Envelope envelope = with_tag(tags_[line.number]);
    const NetworkAdvertLine* found = book_.find(envelope);
    if (found) by_sender[line.number] = found->number;
    book_.sent(envelope, line.number, found);
  }

  void take_answer() {
    if (answers_.empty()) return;
    const Answer answer = answers_.front();
    answers_.pop_front();
    const std::uint32_t number = answer.line.number;
    if (!answer.is_advert) {
      // What has not left yet may match it.
      if (!waiting_.empty()) return answers_.push_back(answer);
      if (!book_.has(number)) return;
      book_.drop(number);
      lines_.push_back({Kind::given, number});
      ++given;
      return;
    }
    std::uint32_t message = 0;
    switch (book_.arrive(with_tag(answer.tag), answer.line, below(40) > 0, message)) {
      case Arrived::matched:
        by_sender[message] = number;
        ++crossed;
        return;
      case Arrived::refused:
        waiting_.push_back({Kind::refused, number});
        ++refused;
        return;
      case Arrived::kept:
      case Arrived::ignored:
        return;
    }
  }

  std::mt19937 random_;
  KnownAdverts book_;
  std::vector<std::int32_t> tags_;  // by message
  std::deque<Line> waiting_, lines_;
  std::deque<Answer> answers_;
  std::vector<Posted> posted_;
  std::vector<std::uint32_t> unexpected_;
  std::uint32_t taken_ = 0, refusals_ = 0, last_number_ = 0;
};

TEST(pair, both_sides_find_the_same_matches) {
  int refused = 0, crossed = 0, given = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Pair pair(seed);
    for (int i = 0; i < 1500; ++i) pair.step();
    pair.finish();
    ASSERT_EQ(pair.by_sender, pair.by_receiver) << "seed " << seed;
    refused += pair.refused;
    crossed += pair.crossed;
    given += pair.given;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(crossed, 0);
  EXPECT_GT(given, 0);
}

}  // namespace
}  // namespace baton::message

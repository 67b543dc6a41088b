// The consensus over all orders of steps, with deaths at any step. What a member that dies has sent
// may be lost to some of the others: all that these have not taken in yet, or what its last step
// has sent.
#include "world/agree/consensus.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace baton::world {
namespace {

struct Letter {
  Consensus::Message message;
  std::vector<std::uint64_t> words;
};

// One thing that happens.
struct Step {
  enum class What { start, deliver, notice } what;
  int member;        // to whom it happens
  int other = 0;     // the sender, or whose loss is noticed
  int lost_to = -1;  // the member dies behind this step, and these lose messages; -1: it lives on
  bool loses_all = false;  // of it; else those of this step
};

class World {
 public:
  World(int members, std::uint64_t deaths) : count_(members), deaths_left_(deaths) {
    for (int i = 0; i < members; ++i) nodes_.push_back(std::make_unique<Node>(*this, i));
  }

  // Returns all that may happen next.
  std::vector<Step> choices() const {
    std::vector<Step> all;
    for (int i = 0; i < count_; ++i) {
      const Node& node = *nodes_[i];
      if (!node.lives) continue;
      const auto add = [&](Step step) {
        all.push_back(step);
        for (int lost_to = 0; deaths_left_ && lost_to < 1 << count_; ++lost_to)
          for (bool loses_all : {false, true})
            if (!(lost_to >> i & 1)) {
              step.lost_to = lost_to;
              step.loses_all = loses_all;
              all.push_back(step);
            }
      };
      if (!node.has_started) add({Step::What::start, i});
      for (int from = 0; from < count_; ++from) {
        if (!node.inbox[from].empty())
          add({Step::What::deliver, i, from});
        else if (!nodes_[from]->lives && !node.lost.count(from))
          add({Step::What::notice, i, from});
      }
    }
    return all;
  }

  void act(const Step& step) {
    Node& node = *nodes_[step.member];
    for (auto& other : nodes_) other->before[step.member] = other->inbox[step.member].size();
    note(node, step);
    switch (step.what) {
      case Step::What::start: {
        node.has_started = true;
        const std::uint64_t word = ~(std::uint64_t{1} << step.member);
        node.consensus.start(&word);
        break;
      }
      case Step::What::deliver: {
        Letter letter = std::move(node.inbox[step.other].front());
        node.inbox[step.other].pop_front();
        letter.message.words = letter.words.data();
        take(node, step.other, letter.message);
        break;
      }
      case Step::What::notice:
        node.lost.insert(step.other);
        if (!node.is_over) node.consensus.look();
        break;
    }
    check(node);
    node.is_over = node.has_started && node.consensus.is_decided();
    if (step.lost_to >= 0) die(step);
  }

  // What is to hold when nothing more can happen.
  void check_end() const {
    for (const auto& node : nodes_)
      if (node->lives) EXPECT_TRUE(node->is_over) << "a member that lives has not decided";
  }
  std::string state() const {
    std::string text;
    for (const auto& node : nodes_)
      text += std::to_string(node->history) + (node->lives ? "+" : "-");
    return text;
  }
  bool is_wrong() const { return ::testing::Test::HasFailure(); }

 private:
  struct Node final : Consensus::Surroundings {
    Node(World& its_world, int own)
        : world(its_world),
          position(own),
          consensus(*this, its_world.count_, own, 1),
          inbox(static_cast<std::size_t>(its_world.count_)),
          before(inbox.size()) {
      EXPECT_TRUE(consensus.allocate());
    }
    void send(std::int32_t to, const Consensus::Message& message) override {
      Letter letter{message, {}};
      if (message.words)
        letter.words.assign(message.words, message.words + consensus.value_words());
      world.nodes_[to]->inbox[position].push_back(letter);
    }
    bool is_lost(std::int32_t member) const override { return lost.count(member) != 0; }

    World& world;
    int position;
    Consensus consensus;
    std::vector<std::deque<Letter>> inbox;  // by sender
    std::vector<std::size_t> before;        // its length before the step
    std::set<int> lost;
    bool lives = true, has_started = false;
    bool is_over = false;     // it remembers nothing of the consensus
    std::size_t history = 0;  // of what has happened to it
  };

  void die(const Step& step) {
    nodes_[step.member]->lives = false;
    --deaths_left_;
    for (auto& letters : nodes_[step.member]->inbox) letters.clear();  // nobody takes them in
    for (auto& other : nodes_)
      if (step.lost_to >> other->position & 1)
        other->inbox[step.member].resize(step.loses_all ? 0 : other->before[step.member]);
  }

  // As the owner of consensuses does it.
  void take(Node& node, int from, const Consensus::Message& message) {
    if (!node.is_over) return node.consensus.take(from, message);
    if (message.kind == Consensus::Kind::query || message.kind == Consensus::Kind::proposal ||
        message.kind == Consensus::Kind::state)
      node.send(from, {Consensus::Kind::done, message.coordinator, Consensus::nobody, nullptr});
  }

  // All that have decided, also those that died then, have decided alike, and rightly.
  void check(const Node& node) {
    if (!node.has_started || !node.consensus.is_decided()) return;
    std::uint64_t failed = 0;
    for (int i = 0; i < count_; ++i)
      if (node.consensus.has_failed(i)) failed |= std::uint64_t{1} << i;
    const std::uint64_t word = node.consensus.word(0);
    if (!has_decision_) decided_word_ = word, decided_failed_ = failed, has_decision_ = true;
    EXPECT_EQ(word, decided_word_);
    EXPECT_EQ(failed, decided_failed_);
    for (int i = 0; i < count_; ++i) {
      const bool counts = !(word >> i & 1), has_failed = failed >> i & 1;
      EXPECT_EQ(counts, !has_failed) << "member " << i;
      if (has_failed) EXPECT_FALSE(nodes_[i]->lives) << "member " << i;
    }
  }

  void note(Node& node, const Step& step) {
    std::size_t message = 0;
    if (step.what == Step::What::deliver) message = ++delivered_[{step.other, step.member}];
    node.history = std::hash<std::string>{}(
        std::to_string(node.history) + "," + std::to_string(static_cast<int>(step.what)) + "," +
        std::to_string(step.other) + "," + std::to_string(step.lost_to) +
        (step.loses_all ? "a" : "s") + std::to_string(message));
  }

  int count_;
  std::uint64_t deaths_left_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::pair<int, int>, std::size_t> delivered_;
  bool has_decision_ = false;
  std::uint64_t decided_word_ = 0, decided_failed_ = 0;
};

// Goes through all orders, each state once: a member's state follows from what has happened to it.
class Explorer {
 public:
  Explorer(int members, std::uint64_t deaths) : members_(members), deaths_(deaths) {}
  void run() { explore(); }
  std::size_t states() const { return seen_.size(); }
  std::size_t ends() const { return ends_; }

 private:
  void explore() {
    World world(members_, deaths_);
    for (const Step& step : path_) world.act(step);
    if (world.is_wrong() || !seen_.insert(world.state()).second) return;
    const std::vector<Step> choices = world.choices();
    if (choices.empty()) {
      ++ends_;
      world.check_end();
    }
    for (const Step& step : choices) {
      path_.push_back(step);
      explore();
      path_.pop_back();
      if (world.is_wrong()) return;
    }
  }

  int members_;
  std::uint64_t deaths_;
  std::vector<Step> path_;
  std::set<std::string> seen_;
  std::size_t ends_ = 0;
};

TEST(Consensus, EveryOrderOfTwoMembers) {
  Explorer explorer(2, 1);
  explorer.run();
  EXPECT_GT(explorer.ends(), 10u);
}

TEST(Consensus, EveryOrderOfThreeMembersWithADeath) {
  Explorer explorer(3, 1);
  explorer.run();
  EXPECT_GT(explorer.states(), 1000u);
}

// Long: it takes many times as long as the others together.
TEST(ConsensusLong, EveryOrderOfThreeMembersWithTwoDeaths) {
  Explorer explorer(3, 2);
  explorer.run();
  EXPECT_GT(explorer.states(), 1000u);
}

// More members, in random orders.
TEST(Consensus, RandomOrdersOfManyMembers) {
  std::mt19937 random(2026);
  for (int round = 0; round < 3000 && !HasFailure(); ++round) {
    const int members = 2 + static_cast<int>(random() % 5);
    World world(members, random() % static_cast<unsigned>(members));
    for (;;) {
      std::vector<Step> choices = world.choices();
      if (choices.empty()) break;
      Step step = choices[random() % choices.size()];
      // Deaths are rarer than other steps, else all die before anything is proposed.
      if (random() % 8) step.lost_to = -1;
      world.act(step);
    }
    world.check_end();
  }
}

}  // namespace
}  // namespace baton::world

#include "base/handle_table.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace baton {
namespace {

struct Thing {
  int value = 0;
};
using Requests = HandleTable<Thing, HandleTag::request>;
using Datatypes = HandleTable<Thing, HandleTag::datatype>;

// Tables are static here as they are in the library: they are never destroyed.
std::uint64_t bits_of(MPI_Request handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

TEST(handle_table, finds_what_was_added_and_nothing_after_it_is_removed) {
  static Requests table;
  Thing thing;
  MPI_Request handle = table.add(&thing);
  EXPECT_EQ(table.find(handle), &thing);
  EXPECT_EQ(table.live(), 1u);
  EXPECT_EQ(table.remove(handle), &thing);
  EXPECT_EQ(table.find(handle), nullptr);
  EXPECT_EQ(table.remove(handle), nullptr) << "a second free must be noticed";
  EXPECT_EQ(table.live(), 0u);
}

TEST(handle_table, a_freed_handle_stays_dead_when_its_slot_is_reused) {
  static Requests table;
  Thing first, second;
  MPI_Request old_handle = table.add(&first);
  table.remove(old_handle);
  MPI_Request new_handle = table.add(&second);
  EXPECT_EQ(Requests::to_int(old_handle), Requests::to_int(new_handle)) << "slots are reused";
  EXPECT_NE(old_handle, new_handle);
  EXPECT_EQ(table.find(old_handle), nullptr);
  EXPECT_EQ(table.find(new_handle), &second);
}

TEST(handle_table, predefined_values_have_their_own_objects) {
  static Datatypes table;
  Thing thing;
  EXPECT_EQ(table.find(MPI_INT), nullptr);
  table.set_predefined(MPI_INT, &thing);
  EXPECT_EQ(table.find(MPI_INT), &thing);
  EXPECT_EQ(table.find(MPI_DATATYPE_NULL), nullptr);
  EXPECT_EQ(table.find(reinterpret_cast<MPI_Datatype>(MPI_COMM_WORLD)), nullptr);
  EXPECT_EQ(table.remove(MPI_INT), nullptr);
  EXPECT_EQ(table.find(MPI_INT), &thing);
}

TEST(handle_table, handles_of_another_kind_are_foreign) {
  static Requests requests;
  static Datatypes datatypes;
  Thing request, datatype;
  MPI_Request request_handle = requests.add(&request);
  MPI_Datatype datatype_handle = datatypes.add(&datatype);
  EXPECT_EQ(datatypes.find(reinterpret_cast<MPI_Datatype>(request_handle)), nullptr);
  EXPECT_EQ(requests.find(reinterpret_cast<MPI_Request>(datatype_handle)), nullptr);
  EXPECT_EQ(requests.remove(reinterpret_cast<MPI_Request>(datatype_handle)), nullptr);
}

TEST(handle_table, invented_values_are_refused_whatever_their_bits) {
  static Requests table;
  std::vector<Thing> things(200);
  std::unordered_set<std::uint64_t> alive;
  for (Thing& thing : things) alive.insert(bits_of(table.add(&thing)));
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000000; ++i) {
    std::uint64_t bits = random() >> (random() % 64);
    if (!alive.contains(bits)) {
      EXPECT_EQ(table.find(reinterpret_cast<MPI_Request>(bits)), nullptr) << bits;
    }
  }
  EXPECT_EQ(table.find(nullptr), nullptr);
  EXPECT_EQ(table.find(reinterpret_cast<MPI_Request>(&table)), nullptr);
}

TEST(handle_table, the_integer_form_is_not_negative_and_comes_back) {
  static Requests table;
  Thing thing;
  table.remove(table.add(&thing));
  MPI_Request handle = table.add(&thing);
  int integer = Requests::to_int(handle);
  EXPECT_GT(integer, 0x1000);
  EXPECT_EQ(table.from_int(integer), handle);
  EXPECT_EQ(table.from_int(0x180), MPI_REQUEST_NULL);
  EXPECT_EQ(Requests::to_int(MPI_REQUEST_NULL), 0x180);
  table.remove(handle);
  EXPECT_EQ(table.find(table.from_int(integer)), nullptr);
  EXPECT_EQ(table.find(table.from_int(-1)), nullptr);
  EXPECT_EQ(table.find(table.from_int(integer + 100000)), nullptr);
}

TEST(handle_table, growing_moves_nothing_and_loses_nothing) {
  static Requests table;
  std::vector<Thing> things(100000);
  std::vector<MPI_Request> handles;
  for (Thing& thing : things) handles.push_back(table.add(&thing));
  for (std::size_t i = 0; i < things.size(); ++i) ASSERT_EQ(table.find(handles[i]), &things[i]);
  std::unordered_set<std::uint64_t> distinct;
  for (MPI_Request handle : handles) distinct.insert(bits_of(handle));
  EXPECT_EQ(distinct.size(), things.size());
  std::size_t seen = 0;
  table.for_each([&](MPI_Request handle, Thing*) {
    ++seen;
    table.remove(handle);
  });
  EXPECT_EQ(seen, things.size());
  EXPECT_EQ(table.live(), 0u);
}

TEST(handle_table, random_use_agrees_with_a_plain_map) {
  static Requests table;
  std::unordered_map<std::uint64_t, Thing*> model;
  std::vector<MPI_Request> ever;
  std::vector<Thing> things(500);
  std::mt19937 random(7);
  for (int step = 0; step < 200000; ++step) {
    if (ever.empty() || random() % 2) {
      Thing* thing = &things[random() % things.size()];
      MPI_Request handle = table.add(thing);
      ASSERT_FALSE(model.contains(bits_of(handle)));
      model[bits_of(handle)] = thing;
      if (ever.size() < 5000)
        ever.push_back(handle);
      else
        ever[random() % ever.size()] = handle;
    } else {
      MPI_Request handle = ever[random() % ever.size()];
      auto known = model.find(bits_of(handle));
      Thing* expected = known == model.end() ? nullptr : known->second;
      ASSERT_EQ(table.find(handle), expected);
      ASSERT_EQ(table.remove(handle), expected);
      if (expected) model.erase(known);
    }
  }
  EXPECT_EQ(table.live(), model.size());
}

TEST(handle_table, threads_share_one_table) {
  handle_tables_are_shared = true;
  static Requests table;
  auto work = [](int seed) {
    std::mt19937 random(seed);
    Thing thing;
    std::vector<MPI_Request> mine;
    for (int step = 0; step < 50000; ++step) {
      if (mine.size() < 100 && random() % 2) {
        mine.push_back(table.add(&thing));
      } else if (!mine.empty()) {
        ASSERT_EQ(table.find(mine.back()), &thing);
        ASSERT_EQ(table.remove(mine.back()), &thing);
        mine.pop_back();
      }
    }
    for (MPI_Request handle : mine) ASSERT_EQ(table.remove(handle), &thing);
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(table.live(), 0u);
  handle_tables_are_shared = false;
}

}  // namespace
}  // namespace baton

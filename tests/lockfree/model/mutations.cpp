// The checker checked on the shipped code: every acquire, release and fence in it is weakened in
// turn, and some case must fail. What survives is listed with its reason; a list that is out of
// date fails.
#include <cstdio>
#include <cstring>

#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

struct Survivor {
  const char* function;
  std::memory_order order;  // what it is weakened to
  bool failure_order;
  const char* reason;
};
constexpr Survivor survivors[] = {
    {"announce", std::memory_order_relaxed, false,
     "the fence or membarrier that every caller adds acquires, too"},
    {"move_entry", std::memory_order_release, false,
     "the envelope, or the claim's line, has come through a ring and has ordered what comes "
     "before"},
    {"move_entry", std::memory_order_relaxed, true,
     "who fails to move an entry reads nothing of the other side's"},
    {"has_visited", std::memory_order_relaxed, false,
     "the fence or membarrier between it and the look at the mode acquires, too"},
};

struct Probe {
  Case its_case;
  Sites sites;
};
std::vector<Probe> probe_cases() {
  std::vector<Probe> probes;
  for (const Case& its_case : cases()) {
    if (std::strstr(its_case.name, "_at_length")) continue;
    probes.push_back({its_case, {}});
    explore(its_case.setup, nullptr, &probes.back().sites);
  }
  return probes;
}

std::vector<std::memory_order> weaker(std::memory_order order) {
  if (order == std::memory_order_acq_rel)
    return {std::memory_order_acquire, std::memory_order_release};
  return {std::memory_order_relaxed};
}

const char* name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_acq_rel:
      return "acq_rel";
    default:
      return "full fence";
  }
}

// The case that catches the mutation, and how; null when none does.
const char* find_catcher(const std::vector<Probe>& probes, const Mutation& mutation,
                         std::string* failure) {
  for (const Probe& probe : probes) {
    if (!probe.sites.contains(mutation.site)) continue;
    Outcome outcome = explore(probe.its_case.setup, &mutation);
    if (outcome.complete) continue;
    *failure = outcome.failure;
    return probe.its_case.name;
  }
  return nullptr;
}

const Survivor* find_survivor(const Mutation& mutation) {
  for (const Survivor& survivor : survivors)
    if (mutation.site.function == survivor.function && mutation.order == survivor.order &&
        mutation.site.failure_order == survivor.failure_order)
      return &survivor;
  return nullptr;
}

void try_mutation(const std::vector<Probe>& probes, const Mutation& mutation,
                  std::memory_order order) {
  std::string failure;
  const char* catcher = find_catcher(probes, mutation, &failure);
  const Survivor* survivor = find_survivor(mutation);
  std::string file = mutation.site.file.substr(mutation.site.file.rfind('/') + 1);
  std::printf("  %s:%u %s: %s%s -> %s: %s%s%s\n", file.c_str(),
              static_cast<unsigned>(mutation.site.line), mutation.site.function.c_str(),
              name_of(order), mutation.site.failure_order ? " (on failure)" : "",
              name_of(mutation.order), catcher ? catcher : "survives", catcher ? ": " : "",
              failure.c_str());
  EXPECT_EQ(catcher == nullptr, survivor != nullptr)
      << (survivor ? survivor->reason : "nothing notices that this order is gone");
}

// Orders that only a case has, not the library.
bool is_of_a_case(const Site& site) {
  return site.file.ends_with("rendezvous_entry_test.cpp") ||
         site.file.ends_with("region_list_test.cpp");
}

// A fifth of them each.
constexpr int parts = 5;
class mutations : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(part, mutations, testing::Range(0, parts));

TEST_P(mutations, every_order_in_the_shipped_code_is_needed_by_some_case) {
  std::vector<Probe> probes = probe_cases();
  ASSERT_GT(probes.size(), 10u);
  Sites all;
  for (const Probe& probe : probes) all.insert(probe.sites.begin(), probe.sites.end());
  int found = 0, tried = 0;
  for (const auto& [site, order] : all) {
    if (is_of_a_case(site)) continue;
    for (std::memory_order other : weaker(order)) {
      if (found++ % parts != GetParam()) continue;
      try_mutation(probes, {site, other}, order);
      ++tried;
    }
  }
  std::printf("  %d of %d mutations\n", tried, found);
  EXPECT_GE(tried, 10);
}

}  // namespace
}  // namespace baton::model

// The shipped list of attached memory over all interleavings: a rank attaches and detaches, the
// list gets another place, and what was its place is used for something else (window/region.cpp).
#include "lockfree/region_list.hpp"

#include <algorithm>

#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

using List = std::vector<std::uint64_t>;  // of addresses; a region has as many bytes
constexpr std::uint64_t garbage = 666, spaces[] = {1, 2};

struct Shared {
  lockfree::RegionLine<Model> line;
  lockfree::SharedRegion<Model> lists[2][2];  // of so much space
  Model::Atomic<std::uint64_t> told;          // a message from the rank: its version
};

// Whose list it is. Its places are numbered from 1.
struct Owner {
  Shared& shared;
  std::uint64_t place = 0;

  // publish of window/region.cpp, all of it.
  void publish(const List& list, std::uint64_t new_place) {
    const std::uint64_t old = place;
    place = new_place;
    publish_regions(shared.line, place, list.size(), [&] {
      for (std::size_t i = 0; i < list.size(); ++i)
        write_region(shared.lists[place - 1][i], {list[i], list[i]});
    });
    if (old == 0 || old == place) return;
    for (std::uint64_t i = 0; i < spaces[old - 1]; ++i)
      write_region(shared.lists[old - 1][i], {garbage, garbage});
  }
  void tell(std::uint64_t version) { shared.told.store(version, std::memory_order_release); }
};

struct Reader {
  Shared& shared;
  const std::vector<List>& history;
  std::uint64_t version = 0;

  // read_list.
  bool read() {
    const lockfree::RegionView view = view_regions(shared.line);
    if (!is_still(shared.line, view)) return false;
    std::uint64_t copy[2];
    check(view.count == 0 || view.count <= spaces[view.list - 1], "read beyond the end of a list");
    for (std::size_t i = 0; i < view.count; ++i) {
      const lockfree::WindowRegion region = read_region(shared.lists[view.list - 1][i]);
      copy[i] = region.address == region.bytes ? region.address : garbage;
    }
    if (!is_still(shared.line, view)) return false;
    const List& expected = history[view.version / 2];
    check(std::equal(copy, copy + view.count, expected.begin(), expected.end()),
          "a list that never was");
    check(view.version >= version, "an older list than before");
    version = view.version;
    return true;
  }
  void bring_up_to_date() {
    const Mark start = mark();
    for (Mark round = mark(); !is_current(shared.line, version) && !read();) pause(round);
    forget_all_but(start, version);
  }
};

// Each list of the history but the first is published, the one with two regions in another place.
void change_and_read(Stage& stage, const std::vector<List>& history) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared, &history] {
    Owner owner{shared};
    for (std::size_t i = 1; i < history.size(); ++i)
      owner.publish(history[i], history[i].size() == 2 ? 2 : owner.place == 0 ? 1 : owner.place);
    owner.tell(2 * (history.size() - 1));
  });
  stage.thread([&shared, &history] {
    Reader reader{shared, history};
    for (int look = 0; look < 2; ++look) reader.bring_up_to_date();
    while (shared.told.load(std::memory_order_acquire) == 0) pause();
    reader.bring_up_to_date();
    check(reader.version == 2 * (history.size() - 1), "a list that is out of date counts");
  });
}

MODEL_CASE(region_list, a_copy_is_a_list_that_was) {
  static const std::vector<List> history{{}, {5}, {7}, {}};
  change_and_read(stage, history);
}
MODEL_CASE(region_list, a_list_that_gets_longer_moves_and_leaves_its_place_to_others) {
  static const std::vector<List> history{{}, {5}, {3, 5}};
  change_and_read(stage, history);
}
MODEL_CASE(region_list, regions_move_up_and_down_in_a_list) {
  static const std::vector<List> history{{}, {3, 5}, {5}, {4, 5}};
  change_and_read(stage, history);
}

}  // namespace
}  // namespace baton::model

#include "topology/reorder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "topology/bisect.hpp"
#include "topology/box.hpp"

namespace baton::topology {

namespace {

constexpr const char* nothing_divides =
    "kept: nothing of the machine divides the ranks, or they are not bound";
constexpr const char* no_memory = "kept: no memory to map them";
constexpr const char* not_better = "kept: ranks that talk are as near as they would be";

// Gives ranks to slots, from the whole machine down: `in_slot` holds the ranks in the order of the
// slots they get, so far as is decided.
class Mapper {
 public:
  Mapper(const Pattern& pattern, const PlaceTree& tree) : pattern_(pattern), tree_(tree) {}

  bool prepare() {
    in_slot_ = make_array<std::int32_t>(tree_.count());
    sorted_ = make_array<std::int32_t>(tree_.count());
    if (!in_slot_ || !sorted_ || !bisection_.prepare(pattern_)) return false;
    std::iota(in_slot_.get(), in_slot_.get() + tree_.count(), 0);
    return true;
  }
  void map() { divide(0, tree_.count(), 0); }
  void map(const Slim& grid) {
    grid_ = &grid;
    Box box = grid.whole();
    divide(0, tree_.count(), 0, &box);
  }
  const std::int32_t* in_slot() const { return in_slot_.get(); }

 private:
  void divide(int first, int last, int level, const Box* box = nullptr);
  bool give_blocks(int first, int last, int level, const Box& box);
  bool cut(int first, int middle, int last, int level, const Box& box);
  int end_of_object(int level, int slot, int last) const;
  int middle_of(int level, int first, int last) const;
  void settle(int first, int last);
  void list(const Box& box, std::int32_t* ranks) const;

  const Pattern& pattern_;
  const PlaceTree& tree_;
  const Slim* grid_ = nullptr;
  Bisection bisection_;
  Array<std::int32_t> in_slot_;
  Array<std::int32_t> sorted_;
};

int Mapper::end_of_object(int level, int slot, int last) const {
  int object = tree_.object(level, slot);
  while (slot < last && tree_.object(level, slot) == object) ++slot;
  return slot;
}

// Returns the border between objects that is nearest to half of the slots.
int Mapper::middle_of(int level, int first, int last) const {
  int middle = last;
  for (int end = first; (end = end_of_object(level, end, last)) < last;)
    if (std::abs(2 * end - first - last) < std::abs(2 * middle - first - last)) middle = end;
  return middle;
}

// Gives the ranks of slots [first, last) to the objects of `level` and below. `box`: they form this
// box.
void Mapper::divide(int first, int last, int level, const Box* box) {
  if (level == tree_.levels()) return settle(first, last);
  if (end_of_object(level, first, last) == last) return divide(first, last, level + 1, box);
  if (box && give_blocks(first, last, level, *box)) return;
  int middle = middle_of(level, first, last);
  if (box && cut(first, middle, last, level, *box)) return;
  std::sort(in_slot_.get() + first, in_slot_.get() + last);
  bisection_.divide(in_slot_.get() + first, last - first, middle - first);
  divide(first, middle, level);
  divide(middle, last, level);
}

// Lists the ranks of a box, in rising order.
void Mapper::list(const Box& box, std::int32_t* ranks) const {
  int at[box_dimensions_max];
  std::copy_n(box.begin, grid_->dimensions, at);
  for (;;) {
    *ranks++ = static_cast<std::int32_t>(grid_->rank_at(at));
    int i = grid_->dimensions - 1;
    while (i >= 0 && ++at[i] == box.begin[i] + box.extent[i]) {
      at[i] = box.begin[i];
      --i;
    }
    if (i < 0) return;
  }
}

// Gives an equal block to every object, where they have equally many slots and blocks fill the box.
bool Mapper::give_blocks(int first, int last, int level, const Box& box) {
  int slots = end_of_object(level, first, last) - first;
  for (int at = first; at < last; at += slots)
    if (end_of_object(level, at, last) != at + slots) return false;
  Box block = box;
  if (!choose_blocks(*grid_, box, slots, block.extent)) return false;
  for (int at = first; at < last; at += slots) {
    list(block, in_slot_.get() + at);
    divide(at, at + slots, level + 1, &block);
    // This finds the next position, in the order of the grid.
    for (int i = grid_->dimensions - 1; i >= 0; --i) {
      block.begin[i] += block.extent[i];
      if (block.begin[i] < box.begin[i] + box.extent[i]) break;
      block.begin[i] = box.begin[i];
    }
  }
  return true;
}

bool Mapper::cut(int first, int middle, int last, int level, const Box& box) {
  int dimension = choose_plane(*grid_, box, middle - first);
  if (dimension < 0) return false;
  Box one = box, other = box;
  std::int64_t area = (last - first) / box.extent[dimension];
  one.extent[dimension] = static_cast<int>((middle - first) / area);
  other.begin[dimension] += one.extent[dimension];
  other.extent[dimension] -= one.extent[dimension];
  list(one, in_slot_.get() + first);
  list(other, in_slot_.get() + middle);
  divide(first, middle, level, &one);
  divide(middle, last, level, &other);
  return true;
}

// Within a smallest object nothing is nearer than anything else, so a process keeps its rank there.
void Mapper::settle(int first, int last) {
  std::int32_t* ranks = in_slot_.get() + first;
  std::int32_t* rest = sorted_.get();
  int count = last - first, left = 0;
  for (int i = 0; i < count; ++i) {
    int slot = tree_.slot_of(ranks[i]);
    if (slot < first || slot >= last)
      rest[left++] = ranks[i];
    else
      rest[count - 1 - (i - left)] = ranks[i];
  }
  std::sort(rest, rest + left);
  std::fill(ranks, ranks + count, -1);
  for (int i = left; i < count; ++i) in_slot_[tree_.slot_of(rest[i])] = rest[i];
  for (int i = 0, next = 0; i < count; ++i)
    if (ranks[i] < 0) ranks[i] = rest[next++];
}

Mapping keep(const char* reason) {
  Mapping mapping;
  mapping.reason = reason;
  return mapping;
}

// Returns the mapping that the mapper found, where it is better.
Mapping judge(const Pattern& pattern, const PlaceTree& tree, const Mapper& mapper,
              const char* reason) {
  int count = tree.count();
  Mapping mapping = keep(no_memory);
  Array<std::int32_t> slots = make_array<std::int32_t>(count);
  Array<std::int32_t> rank_of = make_array<std::int32_t>(count);
  if (!slots || !rank_of) return mapping;
  for (int rank = 0; rank < count; ++rank) slots[rank] = tree.slot_of(rank);
  mapping.before = mapping.after = hop_weight(pattern, tree, slots.get());
  for (int slot = 0; slot < count; ++slot) {
    slots[mapper.in_slot()[slot]] = slot;
    rank_of[tree.process_in(slot)] = mapper.in_slot()[slot];
  }
  std::int64_t after = hop_weight(pattern, tree, slots.get());
  mapping.reason = not_better;
  if (after >= mapping.before) return mapping;
  mapping.after = after;
  mapping.reason = reason;
  mapping.rank_of = std::move(rank_of);
  return mapping;
}

}  // namespace

// Blocks are best where they fit on all levels; where they do not, parts are often better.
Mapping map_grid(const Grid& grid, const PlaceTree& tree) {
  if (tree.levels() == 0) return keep(nothing_divides);
  Pattern pattern;
  if (!pattern.build(grid)) return keep(no_memory);
  Slim slim;
  if (!slim.take(grid)) return map_graph(pattern, tree);
  Mapper mapper(pattern, tree);
  if (!mapper.prepare()) return keep(no_memory);
  mapper.map(slim);
  Mapping blocks =
      judge(pattern, tree, mapper, "changed: blocks of the grid for the objects of the machine");
  Mapping parts = map_graph(pattern, tree);
  return parts.rank_of && parts.after < blocks.after ? std::move(parts) : std::move(blocks);
}

Mapping map_graph(const Pattern& pattern, const PlaceTree& tree) {
  if (tree.levels() == 0) return keep(nothing_divides);
  Mapper mapper(pattern, tree);
  if (!mapper.prepare()) return keep(no_memory);
  mapper.map();
  return judge(pattern, tree, mapper, "changed: parts of the graph for the objects of the machine");
}

}  // namespace baton::topology

#include "api/group.hpp"

#include <cstring>

#include <cstdlib>

namespace baton::api {

namespace {

// This is a list of ranks on the heap, with marks that find duplicates.
class RankList {
 public:
  explicit RankList(const Group& group)
      : group_(group),
        ranks_(
            static_cast<int*>(std::calloc(static_cast<std::size_t>(group.size) + 1, sizeof(int)))),
        seen_(static_cast<bool*>(std::calloc(static_cast<std::size_t>(group.size) + 1, 1))) {}
  ~RankList() {
    std::free(ranks_);
    std::free(seen_);
  }
  RankList(const RankList&) = delete;
  RankList& operator=(const RankList&) = delete;

  Error add(int rank) {
    if (!ranks_ || !seen_) return fail(MPI_ERR_NO_MEM, "no memory for a list of ranks");
    if (rank < 0 || rank >= group_.size)
      return fail(MPI_ERR_RANK, "argument 3: rank %d is not in this group of %d ranks", rank,
                  group_.size);
    if (seen_[rank])
      return fail(MPI_ERR_RANK, "argument 3: rank %d is named twice; every rank may be named once",
                  rank);
    seen_[rank] = true;
    ranks_[count_++] = rank;
    return MPI_SUCCESS;
  }
  Error add_range(int first, int last, int stride) {
    if (stride == 0 || (stride > 0) != (first <= last))
      if (first != last || stride == 0)
        return fail(MPI_ERR_ARG,
                    "argument 3: the range (%d, %d, %d) never ends; its stride must lead from the "
                    "first rank to the last",
                    first, last, stride);
    for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride)
      if (Error error = add(rank)) return error;
    return MPI_SUCCESS;
  }
  const int* ranks() const { return ranks_; }
  int count() const { return count_; }

 private:
  const Group& group_;
  int* ranks_;
  bool* seen_;
  int count_ = 0;
};

// Gives a group to the program. Empty results share the predefined empty group.
Error give(Error error, Group* made, MPI_Group* handle) {
  if (error) return error;
  *handle = made->handle;
  if (made->size > 0) return MPI_SUCCESS;
  world::groups.remove(made->handle);
  world::release(*made);
  *handle = MPI_GROUP_EMPTY;
  return MPI_SUCCESS;
}

template <class Select>
Error choose(Group& group, const RankList& list, Select select, MPI_Group* handle) {
  Group* made = nullptr;
  Error error = select(group, list.ranks(), list.count(), &made);
  return give(error, made, handle);
}

Error add_all(RankList& list, int count, const int* ranks) {
  for (int i = 0; i < count; ++i)
    if (Error error = list.add(ranks[i])) return error;
  return MPI_SUCCESS;
}

Error add_ranges(RankList& list, int count, int ranges[][3]) {
  for (int i = 0; i < count; ++i)
    if (Error error = list.add_range(ranges[i][0], ranges[i][1], ranges[i][2])) return error;
  return MPI_SUCCESS;
}

}  // namespace

Error group_size(Group& group, int* size) {
  *size = group.size;
  return MPI_SUCCESS;
}

Error group_rank(Group& group, int* rank) {
  *rank = group.rank;
  return MPI_SUCCESS;
}

Error group_translate_ranks(Group& from, int count, const int* ranks, Group& to, int* translated) {
  for (int i = 0; i < count; ++i) {
    if (ranks[i] == MPI_PROC_NULL) {
      translated[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks[i] < 0 || ranks[i] >= from.size)
      return fail(MPI_ERR_RANK, "argument 3 (ranks1): rank %d is not in this group of %d ranks",
                  ranks[i], from.size);
    translated[i] = to.rank_of(from.processes[ranks[i]]);
  }
  return MPI_SUCCESS;
}

Error group_compare(Group& first, Group& second, int* result) {
  *result = world::compare_groups(first, second);
  return MPI_SUCCESS;
}

Error group_union(Group& first, Group& second, MPI_Group* handle) {
  Group* made = nullptr;
  Error error = world::group_union(first, second, &made);
  return give(error, made, handle);
}

Error group_intersection(Group& first, Group& second, MPI_Group* handle) {
  Group* made = nullptr;
  Error error = world::group_intersection(first, second, &made);
  return give(error, made, handle);
}

Error group_difference(Group& first, Group& second, MPI_Group* handle) {
  Group* made = nullptr;
  Error error = world::group_difference(first, second, &made);
  return give(error, made, handle);
}

Error group_incl(Group& group, int count, const int* ranks, MPI_Group* made) {
  RankList list(group);
  if (Error error = add_all(list, count, ranks)) return error;
  return choose(group, list, world::group_include, made);
}

Error group_excl(Group& group, int count, const int* ranks, MPI_Group* made) {
  RankList list(group);
  if (Error error = add_all(list, count, ranks)) return error;
  return choose(group, list, world::group_exclude, made);
}

Error group_range_incl(Group& group, int count, int ranges[][3], MPI_Group* made) {
  RankList list(group);
  if (Error error = add_ranges(list, count, ranges)) return error;
  return choose(group, list, world::group_include, made);
}

Error group_range_excl(Group& group, int count, int ranges[][3], MPI_Group* made) {
  RankList list(group);
  if (Error error = add_ranges(list, count, ranges)) return error;
  return choose(group, list, world::group_exclude, made);
}

Error group_free(MPI_Group* handle) {
  if (*handle != MPI_GROUP_EMPTY) {
    Group* group = world::groups.remove(*handle);
    if (!group) return fail(MPI_ERR_GROUP, "argument 1 (group): this is not a group that is alive");
    // Communicators made of the group still hold it.
    group->handle = MPI_GROUP_NULL;
    world::release(*group);
  }
  *handle = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

Error give_copy(const Group& group, MPI_Group* handle) {
  Group* copy = world::new_group(group.size);
  if (!copy) return fail(MPI_ERR_NO_MEM, "no memory for a group");
  std::memcpy(copy->processes, group.processes,
              static_cast<std::size_t>(copy->size) * sizeof copy->processes[0]);
  world::belong_to(*copy, group.session);
  world::finish_group(*copy);
  Error error = world::publish_group(*copy);
  if (!error) *handle = copy->handle;
  return error;
}

}  // namespace baton::api

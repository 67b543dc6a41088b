// These are the bodies of the procedures about groups.
#pragma once

#include "world/group.hpp"

namespace baton::api {

Error group_size(Group& group, int* size);
Error group_rank(Group& group, int* rank);
Error group_translate_ranks(Group& from, int count, const int* ranks, Group& to, int* translated);
Error group_compare(Group& first, Group& second, int* result);
Error group_union(Group& first, Group& second, MPI_Group* made);
Error group_intersection(Group& first, Group& second, MPI_Group* made);
Error group_difference(Group& first, Group& second, MPI_Group* made);
Error group_incl(Group& group, int count, const int* ranks, MPI_Group* made);
Error group_excl(Group& group, int count, const int* ranks, MPI_Group* made);
Error group_range_incl(Group& group, int count, int ranges[][3], MPI_Group* made);
Error group_range_excl(Group& group, int count, int ranges[][3], MPI_Group* made);
Error group_free(MPI_Group* group);

// Gives the program a copy of a group, an object of its own: its handle may be freed any time.
Error give_copy(const Group& group, MPI_Group* handle);

}  // namespace baton::api

#include "collective/check/compare.hpp"

#include "collective/check/words.hpp"
#include "datatype/type_signature.hpp"

namespace baton::collective {

namespace {

constexpr std::uint64_t user_operation = 0x1000;  // beyond the ABI's values

std::uint64_t operation_code(const Operation& operation) {
  if (operation.predefined) return reinterpret_cast<std::uint64_t>(operation.handle);
  return user_operation + operation.commutative;
}

const char* operation_name(std::uint64_t code) {
  if (code >= user_operation)
    return code > user_operation ? "a user's operation that commutes"
                                 : "a user's operation that does not commute";
  return datatype::operations.find(reinterpret_cast<MPI_Op>(code))->name;
}

// These are the calls of all members, and the verdict about them.
struct Hearing {
  const Communicator& comm;
  CallNumber number;
  const Outline* outlines;
  int members;
  Verdict& verdict;

  const Outline& operator[](int i) const { return outlines[i]; }
  const Procedure& procedure() const { return outlines[0].procedure; }
  // In an intercommunicator the other ranks of the root's group give and get nothing.
  bool takes_part(int i) const {
    return !procedure().is_rooted() || (*this)[i].root >= 0 || is_root(i);
  }
  bool is_root(int i) const {
    return comm.is_inter() ? (*this)[i].root == MPI_ROOT : (*this)[i].root == i;
  }
  // Returns the member with whom the others are compared: the root if there is one.
  int first() const {
    for (int i = 0; procedure().is_rooted() && i < members; ++i)
      if (is_root(i)) return i;
    return 0;
  }

  Words begin(Error error_class) const {
    verdict.error_class = error_class;
    Words words(verdict.text);
    words.add_call(comm, number);
    words.add(": ");
    // The completing call does not tell which call failed, so its name is added.
    if (procedure().form != Form::blocking) words.add("%s: ", ProcedureName(procedure()).text);
    return words;
  }
  // Finds the members whose call is not like that of the first; if there are some, describes all.
  template <class Part, class Same, class Say>
  bool differ(Error error_class, const char* what, Part part, Same same, Say say) const {
    bool any = false;
    for (int i = 0; i < members && !any; ++i) any = part(i) && part(first()) && !same(first(), i);
    if (!any) return false;
    Words words = begin(error_class);
    words.add("%s: ", what);
    words.add_groups(comm, members, part, same, [&](int i) { say(words, i); });
    return true;
  }
};

bool everybody(int) {
  return true;
}

bool procedures_differ(const Hearing& all) {
  bool any = false;
  for (int i = 1; i < all.members; ++i) any |= all[i].procedure != all[0].procedure;
  if (!any) return false;
  all.verdict.error_class = MPI_ERR_OTHER;
  Words words(all.verdict.text);
  words.add_call(all.comm, all.number);
  words.add(": ");
  words.add_groups(
      all.comm, all.members, everybody,
      [&](int i, int k) { return all[i].procedure == all[k].procedure; },
      [&](int i) { words.add("called %s", ProcedureName(all[i].procedure).text); });
  return true;
}

void say_root(Words& words, const Outline& outline) {
  if (outline.root == MPI_ROOT)
    words.add("root MPI_ROOT");
  else if (outline.root == MPI_PROC_NULL)
    words.add("root MPI_PROC_NULL");
  else
    words.add("root %d", outline.root);
}

// In an intercommunicator one rank says MPI_ROOT, the others of its group MPI_PROC_NULL, and all of
// the other group the root's rank.
bool roots_fit_between(const Hearing& all) {
  const int first = all.first();
  const Outline& root = all[first];
  if (root.root != MPI_ROOT) return false;
  for (int i = 0; i < all.members; ++i) {
    if (i == first) continue;
    std::int32_t wanted = all[i].second == root.second ? MPI_PROC_NULL : root.rank;
    if (all[i].root != wanted) return false;
  }
  return true;
}

bool roots_differ(const Hearing& all) {
  if (!all.procedure().is_rooted()) return false;
  bool fit = true;
  if (all.comm.is_inter())
    fit = roots_fit_between(all);
  else
    for (int i = 1; i < all.members; ++i) fit &= all[i].root == all[0].root;
  if (fit) return false;
  Words words = all.begin(MPI_ERR_ROOT);
  words.add("roots differ: ");
  words.add_groups(
      all.comm, all.members, everybody, [&](int i, int k) { return all[i].root == all[k].root; },
      [&](int i) { say_root(words, all[i]); });
  return true;
}

// Returns whether the standard wants MPI_IN_PLACE from all ranks or none. A reduce_scatter leaves
// it to each rank, scans do not say.
bool wants_in_place_alike(const Procedure& procedure) {
  switch (procedure.kind) {
    case Kind::allgather:
    case Kind::alltoall:
    case Kind::allreduce:
      return true;
    case Kind::reduce_scatter:
      return procedure.variant == Variant::block;
    default:
      return false;
  }
}

bool data_differ(const Hearing& all) {
  auto part = [&](int i) { return all.takes_part(i); };
  auto same = [&](int i, int k) { return all[i].data.matches(all[k].data); };
  Error error_class = MPI_ERR_TYPE;
  for (int i = 0; i < all.members; ++i)
    if (part(i) && all[i].data.bytes != all[all.first()].data.bytes) error_class = MPI_ERR_COUNT;
  return all.differ(error_class, "counts or types differ", part, same, [&](Words& words, int i) {
    words.add("%s", datatype::SignatureWords(all[i].data).text);
  });
}

// Compares the parts of a reduce_scatter within each group.
bool parts_differ(const Hearing& all) {
  int first[2] = {-1, -1};  // of each group
  for (int i = 0; i < all.members; ++i) {
    int& known = first[all[i].second];
    if (known < 0) known = i;
    if (all[i].parts == all[known].parts) continue;
    Words words = all.begin(MPI_ERR_COUNT);
    words.add("recvcounts differ, though not their sum: ");
    words.add_ranks(all.comm, [&](int r) {
      return all[r].second == all[i].second && all[r].parts == all[known].parts;
    });
    words.add(" have others than ");
    words.add_ranks(all.comm, [i](int r) { return r == i; });
    return true;
  }
  return false;
}

}  // namespace

Outline outline_of(const Call& call, Form form) {
  const Communicator& comm = *call.comm;
  Outline outline;
  outline.procedure = procedure_of(call, form);
  outline.in_place = call.out.in_place();
  outline.second = comm.is_inter() && comm.both->rank != comm.rank();
  outline.rank = comm.rank();
  outline.root = call.root;
  outline.prepared = form == Form::persistent ? 0 : comm.persistent_collectives;
  if (call.root == MPI_PROC_NULL) return outline;
  if (call.operation) outline.operation = operation_code(*call.operation);
  if (call.kind == Kind::reduce_scatter) {
    std::int64_t elements = 0;
    for (int r = 0; r < comm.size(); ++r) {
      elements += call.in.count(r);
      outline.parts =
          world::scramble(outline.parts + static_cast<std::uint64_t>(call.in.count(r)) + 1);
    }
    outline.data = call.in.type->signature.times(elements);
  } else if (outline.procedure.reduces() || call.kind == Kind::broadcast) {
    outline.data = call.in.type->signature.times(call.in.uniform);
  }
  return outline;
}

void compare(const Communicator& comm, CallNumber number, const Outline* outlines,
             Verdict& verdict) {
  const Hearing all{comm, number, outlines, comm.members(0).count, verdict};
  if (procedures_differ(all)) return;
  if (all.differ(
          MPI_ERR_OTHER, "persistent calls were made in another order", everybody,
          [&](int i, int k) { return all[i].prepared == all[k].prepared; },
          [&](Words& words, int i) { words.add("had made %u before", all[i].prepared); }))
    return;
  if (roots_differ(all)) return;
  if (wants_in_place_alike(all.procedure()) &&
      all.differ(
          MPI_ERR_BUFFER, "all or none must be in place", everybody,
          [&](int i, int k) { return all[i].in_place == all[k].in_place; },
          [&](Words& words, int i) {
            words.add(all[i].in_place ? "gave MPI_IN_PLACE" : "gave a buffer");
          }))
    return;
  if (all.differ(
          MPI_ERR_OP, "operations differ", [&](int i) { return all.takes_part(i); },
          [&](int i, int k) { return all[i].operation == all[k].operation; },
          [&](Words& words, int i) { words.add("%s", operation_name(all[i].operation)); }))
    return;
  if (data_differ(all)) return;
  if (all.procedure().kind == Kind::reduce_scatter) parts_differ(all);
}

void compare(const Communicator& comm, CallNumber number, const Procedure& procedure,
             const Misfits* misfits, Verdict& verdict) {
  const Misfits* first = nullptr;
  std::int64_t count = 0;
  for (int i = 0; i < comm.members(0).count; ++i) {
    if (!first && misfits[i].count > 0) first = &misfits[i];
    count += misfits[i].count;
  }
  if (!first) return;
  verdict.error_class = first->sent.bytes > first->expected.bytes   ? MPI_ERR_TRUNCATE
                        : first->sent.bytes < first->expected.bytes ? MPI_ERR_COUNT
                                                                    : MPI_ERR_TYPE;
  Words words(verdict.text);
  words.add_call(comm, number);
  words.add(": ");
  if (procedure.form != Form::blocking) words.add("%s: ", ProcedureName(procedure).text);
  words.add_ranks(comm, [&](int i) { return i == first->from; });
  words.add(" sends %s to ", datatype::SignatureWords(first->sent).text);
  words.add_ranks(comm, [&](int i) { return i == first->to; });
  words.add(", which expects %s", datatype::SignatureWords(first->expected).text);
  if (count > 1)
    words.add("; %lld more block%s not fit", static_cast<long long>(count - 1),
              count == 2 ? " does" : "s do");
}

}  // namespace baton::collective

// Duplicates communicators, at once or in the background.
#include <new>

#include "message/core/engine.hpp"
#include "message/core/progress.hpp"
#include "message/core/request.hpp"
#include "message/core/requests.hpp"
#include "platform/lock.hpp"
#include "world/communicator.hpp"
#include "world/context_id.hpp"

namespace baton::world {

namespace {

// This is a duplication that is under way; the visible request completes with it.
struct Duplication {
  IdAgreement agreement;
  Communicator* prepared = nullptr;
  message::Request* visible = nullptr;
  Error error = MPI_SUCCESS;  // of a copy callback: this rank still takes part, so that the others
                              // do not hang
  Duplication* next = nullptr;

  bool advance() { return agreement.advance(); }
  void finish() {
    Error outcome = error;
    if (!outcome) outcome = agreement.error();
    if (!outcome) {
      outcome = open_communicator(*prepared, agreement.id());
    } else {
      if (!agreement.error()) context_ids.give_back(agreement.id());
      // Delete callbacks may call MPI, which is not possible during progress. Attributes are left
      // only where ids or memory ran out.
      forget_attributes(prepared->attributes);
      abandon_communicator(*prepared);
    }
    message::complete(*visible, outcome);
    delete this;
  }
};

constinit message::ListSource<Duplication> duplications;

Error prepare_duplicate(const Communicator& parent, const Hints& hints, Communicator** prepared) {
  retain(*parent.local);
  if (parent.remote) retain(*parent.remote);
  Error error = prepare_communicator(parent.local, parent.remote, &parent, prepared);
  if (error) return error;
  (*prepared)->hints = hints;
  if (parent.topology) retain(*parent.topology);
  (*prepared)->topology = parent.topology;
  return MPI_SUCCESS;
}

// Deletes the attributes that were copied before a callback refused; its explanation stays.
void take_back_attributes(Communicator& prepared) {
  Explanation why = last_explanation();
  if (delete_attributes(prepared.attributes, prepared.handle))
    forget_attributes(prepared.attributes);
  last_explanation() = why;
}

}  // namespace

Error duplicate(Communicator& parent, const Hints& hints, Communicator** made) {
  if (Error error = check_open(parent)) return error;
  std::uint32_t id = 0;
  if (Error error = agree_context_id(parent.members(agreement_tag), &id)) return error;
  Communicator* prepared = nullptr;
  Error error = prepare_duplicate(parent, hints, &prepared);
  if (!error) {
    error = copy_attributes(parent.attributes, parent.handle, prepared->attributes);
    if (error) abandon_communicator(*prepared);
  }
  if (error) {
    context_ids.give_back(id);
    return error;
  }
  error = open_communicator(*prepared, id);
  if (!error) *made = prepared;
  return error;
}

Error make_for_object(Communicator& parent, const char* objects, const char* doing,
                      Communicator** made) {
  if (parent.is_inter())
    return fail(MPI_ERR_COMM,
                "argument comm: %s are %s by the ranks of one group; this is an "
                "intercommunicator, MPI_Intercomm_merge makes one group of it",
                objects, doing);
  if (Error error = check_open(parent)) return error;
  std::uint32_t id = 0;
  if (Error error = agree_context_id(parent.members(agreement_tag), &id)) return error;
  retain(*parent.local);
  return make_communicator(parent.local, nullptr, id, nullptr, made);
}

Error start_duplicate(Communicator& parent, const Hints& hints, MPI_Comm* handle,
                      MPI_Request* request) {
  if (Error error = check_open(parent)) return error;
  auto* duplication = new (std::nothrow) Duplication;
  message::Request* visible = duplication ? message::new_request() : nullptr;
  if (!visible) {
    delete duplication;
    return fail(MPI_ERR_NO_MEM, "no memory for a request");
  }
  if (Error error = prepare_duplicate(parent, hints, &duplication->prepared)) {
    message::release_request(*visible);
    delete duplication;
    return error;
  }
  Communicator& prepared = *duplication->prepared;
  duplication->error = copy_attributes(parent.attributes, parent.handle, prepared.attributes);
  if (duplication->error) take_back_attributes(prepared);
  duplication->visible = visible;
  visible->kind = message::RequestKind::schedule;
  visible->stage = message::Stage::queued;
  visible->owner = &parent;
  message::hold(*visible, parent.collective);
  *handle = prepared.handle;
  *request = visible->handle;
  // Several duplications of one parent are started in the same order on all ranks, so that they
  // agree on tags.
  std::uint32_t number = platform::add_shared(parent.duplications, 1u);
  std::int32_t tag = own_tag(TagKind::duplicate, number);
  duplication->agreement.start(parent.members(tag), false);
  duplications.add(*duplication);
  return MPI_SUCCESS;
}

}  // namespace baton::world

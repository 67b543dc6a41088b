// Revoking a communicator: from then on nothing can be done with it, at any member, but to agree,
// to shrink it and to free it. Every member that lives hears of it, whoever dies meanwhile: each
// tells the members at distances 1, 2, 4 and so on, as far as they live, and does so again after
// each loss. (Source of the idea: A. Bouteiller, G. Bosilca, J. Dongarra, "Plan B: Interruption of
// Ongoing MPI Operations to Support Failure Recovery".)
#pragma once

namespace baton::world {

class Communicator;

// Revokes a communicator, at once here and soon elsewhere. Any member may call it, any thread.
void revoke(Communicator& communicator);
// Revokes one that is made at this moment, and of which another member has done so before.
void take_early_revocation(Communicator& communicator);
// Makes revocations possible. Called once, before messages start.
void hear_of_revocations();

}  // namespace baton::world

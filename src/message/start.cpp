#include "message/start.hpp"

#include <cerrno>
#include <cstring>
#include <new>

#include "base/settings.hpp"
#include "message/core/contact.hpp"
#include "message/core/engine.hpp"
#include "message/core/meeting.hpp"
#include "message/core/protocol.hpp"
#include "message/core/queues.hpp"
#include "message/deposit/deposit_protocol.hpp"
#include "message/meet.hpp"
#include "message/network/network_protocol.hpp"
#include "message/network/peer_loss.hpp"
#include "message/node/node_protocol.hpp"
#include "message/partitioned/partitioned.hpp"
#include "message/self/self_protocol.hpp"
#include "platform/futex.hpp"
#include "platform/leak_checker.hpp"
#include "platform/memory_file.hpp"

namespace baton::message {

namespace {

constexpr std::size_t table_bytes = processes_max * sizeof(Peer*);

Error start_engine() {
  engine.local_rank = transport::own_rank();
  engine.self = transport::process_at(engine.local_rank);
  engine.job = Job{transport::job().world.job};
  engine.ranks = transport::process_count();
  engine.local_ranks = transport::rank_count();
  engine.oversubscribed = engine.local_ranks > transport::job().cpus_usable;
  lockfree::publish_channel(transport::status_row(engine.local_rank).channel, engine.outstanding);
  engine.senders_fence = engine.fences_before_notify = transport::job().senders_fence != 0;
  engine.waits_by_progress = engine.senders_fence || transport::job().timing.bytes != 0;
  engine.process_count = engine.ranks;
  engine.peers = static_cast<Peer**>(platform::make_private_memory(table_bytes, page_bytes));
  engine.contacts = static_cast<Peer**>(platform::make_private_memory(table_bytes, page_bytes));
  if (!engine.peers || !engine.contacts)
    return fail(MPI_ERR_NO_MEM,
                "no %zu MiB of address space for the list of processes: %s; raise the limit "
                "(ulimit -v)",
                2 * table_bytes >> 20, std::strerror(errno));
  platform::register_pointers(engine.peers, table_bytes);
  engine.shared_history = new (std::nothrow) History[peer_class_count];
  if (!engine.shared_history) return fail(MPI_ERR_NO_MEM, "no memory to receive messages");
  if (!engine.senders_fence) platform::membarrier_register();
  engine.kind_of = kind_by_place;
  return MPI_SUCCESS;
}

template <class Kind, class... Facts>
Error set_up(PeerKind kind, Facts... facts) {
  auto* protocol = new (std::nothrow) Kind(facts...);
  if (!protocol) return fail(MPI_ERR_NO_MEM, "no memory to begin with messages");
  engine.protocols[static_cast<int>(kind)] = protocol;
  return protocol->set_up();
}

}  // namespace

Error start_messages() {
  if (Error error = start_engine()) return error;
  if (Error error = set_up<SelfProtocol>(PeerKind::self)) return error;
  if (!transport::spans_nodes())
    hear_of_losses();
  else if (Error error = set_up<NetworkProtocol>(PeerKind::network))
    return error;
  const transport::Slot own = engine.local_rank;
  return settings.deposit_model ? set_up<DepositProtocol>(PeerKind::node, own)
                                : set_up<NodeProtocol>(PeerKind::node, own);
}

void stop_messages() {
  partitioned::forget();
  forget_queues();
  for (std::uint32_t i = 0; i < engine.process_count; ++i) forget_contact(static_cast<Process>(i));
  platform::unregister_pointers(engine.peers, table_bytes);
  platform::unmap_memory(engine.peers, table_bytes);
  platform::unmap_memory(engine.contacts, table_bytes);
  delete[] engine.shared_history;
  if (engine.lost.errors) platform::unmap_memory(engine.lost.errors, LostPeers::table_bytes);
  engine.sources.forget();
  each_protocol([](Protocol& protocol) { delete &protocol; });
  forget_meetings();
  engine.~Engine();
  new (&engine) Engine;
}

}  // namespace baton::message

#include "message/start.hpp"

#include <new>

#include "base/settings.hpp"
#include "message/core/engine.hpp"
#include "message/deposit/deposit_protocol.hpp"
#include "message/network/network_protocol.hpp"
#include "message/node/node_protocol.hpp"
#include "message/self/self_protocol.hpp"

namespace baton::message {

namespace {

template <class Kind>
Error set_up(PeerKind kind) {
  auto* protocol = new (std::nothrow) Kind;
  if (!protocol) return fail(MPI_ERR_NO_MEM, "no memory to begin with messages");
  engine.protocols[static_cast<int>(kind)] = protocol;
  return protocol->set_up();
}

}  // namespace

Error start_messages() {
  if (Error error = start_engine()) return error;
  if (Error error = set_up<SelfProtocol>(PeerKind::self)) return error;
  if (transport::spans_nodes())
    if (Error error = set_up<NetworkProtocol>(PeerKind::network)) return error;
  return settings.deposit_model ? set_up<DepositProtocol>(PeerKind::node)
                                : set_up<NodeProtocol>(PeerKind::node);
}

void stop_messages() {
  stop_engine();
}

}  // namespace baton::message

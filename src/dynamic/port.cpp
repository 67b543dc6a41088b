#include "dynamic/port.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>

#include "message/meet.hpp"
#include "platform/stream.hpp"
#include "transport/node.hpp"

namespace baton::dynamic {

namespace {

// The ports that the program has opened. Ports that are accepted at are taken out meanwhile.
class OpenPorts {
 public:
  void add(OpenPort* port) {
    platform::Guard guard(lock_);
    port->next = first_;
    first_ = port;
  }
  // Null: this process has no such port, or another thread accepts there.
  OpenPort* take(const char* name) {
    platform::Guard guard(lock_);
    for (OpenPort** link = &first_; *link; link = &(*link)->next)
      if (OpenPort* port = *link; port->name == name) {
        *link = port->next;
        return port;
      }
    return nullptr;
  }
  OpenPort* take_any() {
    platform::Guard guard(lock_);
    OpenPort* port = first_;
    if (port) first_ = port->next;
    return port;
  }

 private:
  OpenPort* first_ = nullptr;
  platform::Lock lock_;
};
OpenPorts open_ports;

Error no_such_port(const char* name) {
  return fail(MPI_ERR_PORT,
              "argument port_name: \"%.80s\" is no port that this process has opened (and not "
              "closed, and at which no other thread accepts); MPI_Open_port opens one",
              name);
}

Error check_group(const Communicator& comm) {
  if (Error error = world::check_open(comm)) return error;
  if (!comm.is_inter()) return MPI_SUCCESS;
  return fail(MPI_ERR_COMM,
              "argument comm: this is an intercommunicator; MPI_Intercomm_merge makes one group of "
              "its two");
}

// The root's part of an accept.
Error accept_one(const Communicator& comm, const char* name, double seconds,
                 std::optional<Connection>& channel) {
  OpenPort* port = open_ports.take(name);
  if (!port) return no_such_port(name);
  const auto goes_on = [] { return MPI_SUCCESS; };
  const Error error = await_connection(comm, *port, seconds, goes_on, channel);
  open_ports.add(port);
  return error;
}

// Connects to a port of this host; waits while others who wait there take all places. Returns the
// connection; -1 with errno set, or `broken` explained.
int connect_near(const Communicator& comm, const char* name, double seconds, Error* broken) {
  const std::int64_t end_ms = platform::now_ms() + static_cast<std::int64_t>(seconds * 1000);
  int near = -1, why = 0;
  message::wait_until([&] {
    if (near >= 0) return true;  // it may be asked again
    near = platform::connect_to_port(name);
    why = near >= 0 ? 0 : errno;
    return why != EAGAIN || platform::now_ms() >= end_ms || (*broken = message::broken(&comm));
  });
  errno = why;
  return near;
}

Error connect_one(const Communicator& comm, const char* name, double seconds,
                  std::optional<Connection>& channel) {
  const double patience = seconds > 0 ? seconds : connect_patience_seconds;
  Error broken = MPI_SUCCESS;
  const int near = connect_near(comm, name, patience, &broken);
  if (near >= 0) {
    channel.emplace(comm, near, true);
    channel->set_patience(patience);
    return channel->greet();
  }
  const int why = errno;
  if (broken) return broken;
  if (why == EAGAIN)
    return fail(MPI_ERR_PORT, "nobody has accepted for %g s any of those who wait at the port",
                patience);
  if (const char* far = std::strchr(name, '@'); far && why != EINVAL && why != EACCES) {
    Key key;
    const int connection = connect_far(comm, far + 1, secret_of(name), patience, &key);
    if (connection < 0) return last_explanation().error_class;
    channel.emplace(comm, connection, true, &key);
    channel->set_patience(patience);
    return channel->greet();
  }
  errno = why;
  if (errno == EINVAL)
    return fail(MPI_ERR_PORT, "argument port_name: \"%.80s\" is not the name of a port", name);
  if (errno == EACCES)
    return fail(MPI_ERR_PORT, "argument port_name: the port \"%.80s\" is another user's", name);
  return fail(MPI_ERR_PORT,
              "argument port_name: there is no port \"%.80s\" on this host (%s): it was closed, or "
              "its process has ended",
              name, std::strerror(errno));
}

// `get_connection` is the root's part.
template <class GetConnection>
Error meet_at_port(Communicator& comm, int root, const RootArguments& arguments,
                   GetConnection&& get_connection, Communicator** made) {
  if (Error error = check_group(comm)) return error;
  std::optional<Connection> channel;
  Error problem = arguments.problem;
  if (comm.rank() == root && !problem)
    problem = get_connection(comm, arguments.port, arguments.seconds, channel);
  return world::create_intercommunicator(comm, root, channel ? &*channel : nullptr, problem, made);
}

}  // namespace

OpenPort::~OpenPort() {
  if (socket >= 0) ::close(socket);
}

Error OpenPort::open(const Endpoint* wanted) {
  socket = platform::open_port(&local);
  if (socket < 0) return fail(MPI_ERR_OTHER, "no port can be opened: %s", std::strerror(errno));
  name = local.text;
  if (!wanted) return MPI_SUCCESS;
  const bool is_asked_for = !wanted->address.empty() || wanted->number != 0;
  // Without TCP it is a port of this host.
  if (Error error = far.open(*wanted)) return is_asked_for ? error : Error{MPI_SUCCESS};
  if (const std::string addresses = far.addresses(); !addresses.empty()) name += '@' + addresses;
  return MPI_SUCCESS;
}

Key secret_of(const char* name) {
  const char* dot = std::strchr(name, '.');
  unsigned long high = 0, low = 0;
  if (dot) std::sscanf(dot + 1, "%16lx%16lx", &high, &low);
  return {low, high};
}

Error open_port(const Endpoint& wanted, char* name) {
  auto* port = new (std::nothrow) OpenPort;
  Error error = port ? port->open(&wanted) : fail(MPI_ERR_NO_MEM, "no memory for a port");
  if (!error && port->name.size() >= MPI_MAX_PORT_NAME)
    error = fail(MPI_ERR_OTHER,
                 "the name of the port is too long; info key ip_address makes it "
                 "shorter");
  if (error) {
    delete port;
    return error;
  }
  std::snprintf(name, MPI_MAX_PORT_NAME, "%s", port->name.c_str());
  open_ports.add(port);
  return MPI_SUCCESS;
}

Error close_port(const char* name) {
  OpenPort* port = open_ports.take(name);
  if (!port) return no_such_port(name);
  delete port;
  return MPI_SUCCESS;
}

void close_ports() {
  while (OpenPort* port = open_ports.take_any()) delete port;
}

Error accept(Communicator& comm, int root, const RootArguments& arguments, Communicator** made) {
  return meet_at_port(comm, root, arguments, accept_one, made);
}

Error connect(Communicator& comm, int root, const RootArguments& arguments, Communicator** made) {
  return meet_at_port(comm, root, arguments, connect_one, made);
}

Error join(int socket, Communicator** made) {
  Communicator* self = world::communicators.find(MPI_COMM_SELF);
  Connection channel(*self, socket, false);
  if (Error error = channel.greet()) return error;
  return world::create_intercommunicator(*self, 0, &channel, MPI_SUCCESS, made);
}

Error disconnect(Communicator& comm) {
  const bool spans_jobs = comm.spans_jobs() && !comm.pending;
  if (spans_jobs) {
    // Nobody leaves while others may still be served. Whoever is lost needs nothing any more.
    world::Dissemination meeting;
    meeting.words[0] = 0;
    const world::Members members = comm.members(world::agreement_tag);
    meeting.start(members, 1);
    message::wait_until([&meeting] { return meeting.advance(); });
  }
  if (Error error = world::free_communicator(comm)) return error;
  if (spans_jobs) message::leave_unused_meetings();
  return MPI_SUCCESS;
}

}  // namespace baton::dynamic

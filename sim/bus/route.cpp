#include "sim/bus/route.hpp"

namespace baton::bus {

namespace {

enum Direction { up, down, right, left };

// Ports come first: node i's output port is 2i, its input port 2i + 1.
int out_port(int node) {
  return 2 * node;
}
int in_port(int node) {
  return 2 * node + 1;
}

void go_round(int nodes, int from, int to, Route& path) {
  int upward = (to - from + nodes) % nodes;
  bool is_up = upward <= nodes - upward;
  for (int at = from; at != to; at = is_up ? (at + 1) % nodes : (at + nodes - 1) % nodes) {
    path.links.push_back(2 * nodes + 2 * at + (is_up ? up : down));
    ++path.hops;
  }
}

void go_across(int nodes, int from, int to, Route& path) {
  int columns = mesh_columns(nodes);
  auto step = [&](int at, Direction direction) {
    path.links.push_back(2 * nodes + 4 * at + direction);
    ++path.hops;
  };
  int at = from;
  for (; at % columns < to % columns; ++at) step(at, right);
  for (; at % columns > to % columns; --at) step(at, left);
  for (; at < to; at += columns) step(at, down);
  for (; at > to; at -= columns) step(at, up);
}

}  // namespace

int mesh_columns(int nodes) {
  int rows = 1;
  for (int candidate = 1; candidate * candidate <= nodes; ++candidate)
    if (nodes % candidate == 0) rows = candidate;
  return nodes / rows;
}

int link_count(Topology topology, int nodes) {
  switch (topology) {
    case Topology::bus:
      return 1;
    case Topology::ring:
      return 4 * nodes;
    case Topology::mesh:
      return 6 * nodes;
  }
  return 0;
}

Route route(Topology topology, int nodes, int from, int to) {
  Route path;
  if (topology == Topology::bus) {
    path.links = {0};
    return path;
  }
  path.links.push_back(out_port(from));
  if (topology == Topology::ring)
    go_round(nodes, from, to, path);
  else
    go_across(nodes, from, to, path);
  path.links.push_back(in_port(to));
  return path;
}

}  // namespace baton::bus

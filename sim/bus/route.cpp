#include "sim/bus/route.hpp"

namespace baton::bus {

namespace {

enum Direction { up, down, right, left };

// Ways in and out come first: node i's way out is 2i, its way in 2i + 1.
int way_out(int node) {
  return 2 * node;
}
int way_in(int node) {
  return 2 * node + 1;
}

void go_round(int nodes, int from, int to, Route& way) {
  int upward = (to - from + nodes) % nodes;
  bool is_up = upward <= nodes - upward;
  for (int at = from; at != to; at = is_up ? (at + 1) % nodes : (at + nodes - 1) % nodes) {
    way.links.push_back(2 * nodes + 2 * at + (is_up ? up : down));
    ++way.hops;
  }
}

void go_across(int nodes, int from, int to, Route& way) {
  int columns = mesh_columns(nodes);
  auto step = [&](int at, Direction direction) {
    way.links.push_back(2 * nodes + 4 * at + direction);
    ++way.hops;
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
  Route way;
  if (topology == Topology::bus) {
    way.links = {0};
    return way;
  }
  way.links.push_back(way_out(from));
  if (topology == Topology::ring)
    go_round(nodes, from, to, way);
  else
    go_across(nodes, from, to, way);
  way.links.push_back(way_in(to));
  return way;
}

}  // namespace baton::bus

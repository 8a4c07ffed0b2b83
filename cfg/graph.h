// SPDX-License-Identifier: Apache-2.0
//
// The graph of one routine: an entry point and all code that control flow reaches from it, one vertex an instruction
// and known continuation.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "cfg/machine.h"

namespace trapline {

// (address, continuation): the same instruction reached with another known return address is another node.
struct NodeKey {
  std::uint64_t address = 0;
  std::uint64_t continuation = 0;  // 0: none
  friend auto operator<=>(const NodeKey&, const NodeKey&) = default;
};

struct Node {
  NodeKey key;
  std::uint8_t size = 0;                // bytes
  std::optional<EndKind> end;           // how control leaves the routine here, when it can
  std::optional<std::uint64_t> target;  // of that end
};

struct Edge {
  EdgeKind kind = EdgeKind::next;
};

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Node, Edge>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

class RoutineGraph {
 public:
  Graph graph;
  Vertex entry = 0;
  bool truncated = false;  // the limit of nodes was reached

  Vertex vertex(const NodeKey& key, std::uint8_t size);  // found or made
  std::optional<Vertex> find(const NodeKey& key) const;
  void add_edge(Vertex from, Vertex to, EdgeKind kind);  // once per kind

 private:
  llvm::DenseMap<std::pair<std::uint64_t, std::uint64_t>, Vertex> index_;  // by address and continuation
};

// Explores everything reachable from `entry`, both sides of every condition, values joined where paths meet.
// `accesses`: the accesses to memory of each vertex, by what is known of their addresses where all ways to it have met.
RoutineGraph build_graph(Machine& machine, std::uint64_t entry, const Contract& contract,
                         std::vector<std::vector<MemoryEvent>>* accesses = nullptr);

// A basic block: nodes that run one after the other, entered only at the first and left only at the last.
struct Block {
  std::vector<Vertex> nodes;
};
struct Blocks {
  std::vector<Block> blocks;          // the entry's block first, then by address and continuation
  std::vector<std::size_t> block_of;  // by vertex
};
Blocks make_blocks(const RoutineGraph& routine);

// Nodes that a search from the entry comes back to: candidates for heads of loops.
std::set<Vertex> loop_heads(const RoutineGraph& routine);

// Number of walks from the entry to an end that enter no node twice, without regard to values. Saturates at
// `limit`.
std::uint64_t count_walks(const RoutineGraph& routine, std::uint64_t limit);

}  // namespace trapline

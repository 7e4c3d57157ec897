// Continual release by somebody trusted: totals of exact numbers, noise on sums over blocks of
// periods. Lab only; what is in `common/stream` is not repeated here.
#ifndef TOMBOLA_LAB_STREAMS_TREES_H_
#define TOMBOLA_LAB_STREAMS_TREES_H_

#include <cstdint>
#include <vector>

#include "common/stream/shares.h"
#include "common/stream/structure.h"
#include "lab/streams/noise.h"

namespace tombola::lab {

// Every total is released by itself, with a part of the budget in `periods` for each.
TotalSpread NaiveRelease(int64_t periods, const NoiseOf& noise);

// The binary mechanism (Chan, Shi, Song 2011): a node for every block of 2^k periods, the same part
// of the budget on every level that totals need; a total is a sum of one node at most of each.
TotalSpread BinaryTree(int64_t periods, const NoiseOf& noise);

// The same nodes, all of them used: a node's number is averaged with those of the nodes below it
// that ended before, each weighted by its precision (Honaker 2015, from below).
TotalSpread HonakerTree(int64_t periods, const NoiseOf& noise);

// For N that nobody knows: the hybrid mechanism (Chan, Shi, Song 2011, section 5). With half of the
// budget the totals at powers of two, each with the one before it and noise on what has come since;
// with the other half a binary tree over each block between two of them. A tree has as many levels
// as its block needs, one less than published.
TotalSpread UnboundedTree(int64_t periods, const NoiseOf& noise);

// The best k-ary tree with subtraction (common/stream/k_ary.h) for so many periods.
TotalSpread KarySpread(int64_t periods, const NoiseOf& noise);

// The nodes of a structure, with these shares.
TotalSpread StructureSpread(const stream::Structure& structure, const stream::Shares& shares,
                            const NoiseOf& noise);
// One over the largest number of nodes over a period, for every node: a Fenwick tree as it is.
stream::Shares EqualShares(const stream::Structure& structure, stream::Norm norm);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STREAMS_TREES_H_

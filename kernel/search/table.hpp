// The transposition table: what earlier visits found out about a position.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "moves.hpp"
#include "score.hpp"

namespace damier {

enum class Bound : std::uint8_t { none, upper, lower, exact };

// Enough of a move to find it again among the legal ones: it only decides which is tried first.
using MoveCode = std::uint16_t;
inline MoveCode code(const Move &move) {
  const auto captured = std::uint32_t((move.captured * 0x9E3779B97F4A7C15U) >> 60U);
  return MoveCode(std::uint32_t(move.from) | std::uint32_t(move.to) << 6U | captured << 12U);
}

class TranspositionTable {
public:
  struct Entry {
    std::uint64_t key = 0;
    MoveCode move = 0;
    std::int16_t value = 0;
    std::int16_t evaluation = 0;
    std::uint8_t depth = 0;
    std::uint8_t age_and_bound = 0;

    Bound bound() const { return Bound(age_and_bound & 3U); }
    std::uint8_t age() const { return age_and_bound >> 2U; }
  };

  // Throws std::bad_alloc. The memory is touched only as it is used.
  explicit TranspositionTable(std::size_t megabytes)
      : buckets_(std::max<std::size_t>(1, megabytes * 1024 * 1024 / sizeof(Bucket))),
        memory_(std::calloc(buckets_ + 1, sizeof(Bucket))) {
    if (memory_ == nullptr) throw std::bad_alloc();
    void *aligned = memory_;
    std::size_t space = (buckets_ + 1) * sizeof(Bucket);
    table_ = static_cast<Bucket *>(std::align(alignof(Bucket), buckets_ * sizeof(Bucket), aligned, space));
  }
  ~TranspositionTable() { std::free(memory_); }
  TranspositionTable(const TranspositionTable &) = delete;
  TranspositionTable &operator=(const TranspositionTable &) = delete;

  void clear() {
    std::fill_n(table_, buckets_, Bucket{});
    age_ = 0;
  }
  // What earlier searches left gives way first from now on.
  void start_search() { age_ = (age_ + 1U) & 63U; }

  const Entry *find(std::uint64_t key) const {
    for (const Entry &entry : bucket(key).entries) {
      if (entry.key == key && entry.bound() != Bound::none) return &entry;
    }
    return nullptr;
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&bucket(key)); }

  void store(std::uint64_t key, MoveCode move, Value value, Value evaluation, int depth, Bound bound) {
    Entry *victim = nullptr;
    int least = 0;
    for (Entry &entry : bucket(key).entries) {
      if (entry.key == key) {
        if (move == 0) move = entry.move;
        victim = &entry;
        break;
      }
      const int worth = entry.bound() == Bound::none ? -1000 : int(entry.depth) - (entry.age() == age_ ? 0 : 256);
      if (victim == nullptr || worth < least) {
        victim = &entry;
        least = worth;
      }
    }
    *victim = {key,
               move,
               std::int16_t(value),
               std::int16_t(evaluation),
               std::uint8_t(depth),
               std::uint8_t(std::uint32_t(age_) << 2U | std::uint32_t(bound))};
  }

private:
  struct alignas(64) Bucket {
    Entry entries[4];
  };
  static_assert(sizeof(Bucket) == 64, "a bucket is a cache line");

  // The high bits of the product are uniform over any number of buckets.
  const Bucket &bucket(std::uint64_t key) const {
    __extension__ using Wide = unsigned __int128;
    return table_[std::size_t((Wide(key) * buckets_) >> 64U)];
  }
  Bucket &bucket(std::uint64_t key) { return const_cast<Bucket &>(std::as_const(*this).bucket(key)); }

  std::size_t buckets_;
  void *memory_;  // a bucket more than needed, to begin at a cache line
  Bucket *table_;
  std::uint8_t age_ = 0;
};

}  // namespace damier

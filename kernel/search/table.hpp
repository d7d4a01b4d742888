// The transposition table: what earlier visits found out about a position. Shared by all threads of a search.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>

#include "memory.hpp"
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
    MoveCode move = 0;
    std::int16_t value = 0;
    std::uint8_t depth = 0;
    Bound bound = Bound::none;
    std::uint16_t age = 0;
  };

  // Throws std::bad_alloc.
  explicit TranspositionTable(std::size_t megabytes)
      : buckets_(std::max<std::size_t>(1, megabytes * 1024 * 1024 / sizeof(Bucket))) {}

  // Not during a search.
  void clear() {
    for (std::size_t index = 0; index < buckets_.size(); index++) {
      for (Slot &slot : buckets_[index].slots) slot.write(0, Entry{});
    }
    age_ = 0;
  }
  // What earlier searches left gives way first from now on.
  void start_search() { age_++; }

  std::optional<Entry> find(std::uint64_t key) const {
    for (const Slot &slot : bucket(key).slots) {
      const auto [own, entry] = slot.read();
      if (own == key && entry.bound != Bound::none) return entry;
    }
    return std::nullopt;
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&bucket(key)); }

  void store(std::uint64_t key, MoveCode move, Value value, int depth, Bound bound) {
    Slot *victim = nullptr;
    int least = 0;
    for (Slot &slot : bucket(key).slots) {
      const auto [own, entry] = slot.read();
      if (own == key) {
        if (move == 0) move = entry.move;
        victim = &slot;
        break;
      }
      const int worth = entry.bound == Bound::none ? -1000 : int(entry.depth) - (entry.age == age_ ? 0 : 256);
      if (victim == nullptr || worth < least) {
        victim = &slot;
        least = worth;
      }
    }
    victim->write(key, {move, std::int16_t(value), std::uint8_t(depth), bound, age_});
  }

private:
  // Two words that other threads may write at the same time: the key is mixed with the entry, so that halves of
  // different entries fit no key (Hyatt and Mann, 2002).
  class Slot {
  public:
    struct Content {
      std::uint64_t key;
      Entry entry;
    };
    Content read() const {
      const std::uint64_t entry = entry_.load(std::memory_order_relaxed);
      return {mixed_key_.load(std::memory_order_relaxed) ^ entry, std::bit_cast<Entry>(entry)};
    }
    void write(std::uint64_t key, const Entry &entry) {
      const auto word = std::bit_cast<std::uint64_t>(entry);
      mixed_key_.store(key ^ word, std::memory_order_relaxed);
      entry_.store(word, std::memory_order_relaxed);
    }

  private:
    std::atomic<std::uint64_t> mixed_key_;
    std::atomic<std::uint64_t> entry_;
  };
  static_assert(sizeof(Entry) == 8 && sizeof(Slot) == 16);

  struct alignas(64) Bucket {
    Slot slots[4];
  };
  static_assert(sizeof(Bucket) == 64, "a bucket is a cache line");

  // The high bits of the product are uniform over any number of buckets.
  std::size_t place(std::uint64_t key) const {
    __extension__ using Wide = unsigned __int128;
    return std::size_t((Wide(key) * buckets_.size()) >> 64U);
  }
  const Bucket &bucket(std::uint64_t key) const { return buckets_[place(key)]; }
  Bucket &bucket(std::uint64_t key) { return buckets_[place(key)]; }

  HugeArray<Bucket> buckets_;
  std::uint16_t age_ = 0;
};

}  // namespace damier

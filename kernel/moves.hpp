// A move as one value, and a list of them.
#pragma once
#include <cstring>
#include <memory>

#include "geometry.hpp"

namespace damier {

// Places are bit numbers. Two ways to the same end that capture the same pieces are the same move.
struct Move {
  Bits captured = 0;
  std::uint8_t from = 0;
  std::uint8_t to = 0;
  bool crowned = false;  // a man before the move, a king after it

  bool is_capture() const { return captured != 0; }
  bool operator==(const Move &) const = default;
};

// Grows as needed: no position has more moves than it can hold. Short lists, nearly all, live on the stack.
class MoveList {
public:
  MoveList() = default;
  MoveList(const MoveList &) = delete;
  MoveList &operator=(const MoveList &) = delete;

  [[gnu::always_inline]] void push(const Move &move) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    data_[size_++] = move;
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Move &operator[](std::size_t index) const { return data_[index]; }
  Move &operator[](std::size_t index) { return data_[index]; }
  const Move *begin() const { return data_; }
  const Move *end() const { return data_ + size_; }
  Move *begin() { return data_; }
  Move *end() { return data_ + size_; }
  bool contains(const Move &wanted) const {
    for (const Move &move : *this) {
      if (move == wanted) return true;
    }
    return false;
  }

private:
  [[gnu::noinline, gnu::cold]] void grow() {
    auto wider = std::make_unique<Move[]>(capacity_ * 4);
    std::memcpy(static_cast<void *>(wider.get()), data_, size_ * sizeof(Move));
    heap_ = std::move(wider);
    data_ = heap_.get();
    capacity_ *= 4;
  }

  static constexpr std::size_t inline_capacity = 64;
  std::size_t size_ = 0;
  std::size_t capacity_ = inline_capacity;
  union Inline {
    Inline() {}  // left unset on purpose: a list is made at every node of a search
    Move moves[inline_capacity];
  } inline_;
  Move *data_ = inline_.moves;
  std::unique_ptr<Move[]> heap_;
};

}  // namespace damier

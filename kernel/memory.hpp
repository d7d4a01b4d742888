// Large tables that are read all over: most of such a read goes into finding its page, unless pages are huge.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace damier {

// `size` elements that begin as zeros, aligned to a huge page. The memory is touched only as it is used.
template <class Element> class HugeArray {
  static_assert(std::is_trivially_destructible_v<Element>, "elements begin as zeros and are never ended");

public:
  // Throws std::bad_alloc.
  explicit HugeArray(std::size_t size) : size_(size), memory_(std::calloc(1, size * sizeof(Element) + page)) {
    if (memory_ == nullptr) throw std::bad_alloc();
    void *aligned = memory_.get();
    std::size_t space = size * sizeof(Element) + page;
    elements_ = static_cast<Element *>(std::align(page, size * sizeof(Element), aligned, space));
#ifdef MADV_HUGEPAGE
    madvise(elements_, size * sizeof(Element), MADV_HUGEPAGE);  // where this is refused the pages are small
#endif
  }

  std::size_t size() const { return size_; }
  const Element *data() const { return elements_; }
  Element *data() { return elements_; }
  const Element &operator[](std::size_t index) const { return elements_[index]; }
  Element &operator[](std::size_t index) { return elements_[index]; }

private:
  static constexpr std::size_t page = std::size_t(2) << 20U;

  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };

  std::size_t size_;
  std::unique_ptr<void, Free> memory_;
  Element *elements_;
};

}  // namespace damier

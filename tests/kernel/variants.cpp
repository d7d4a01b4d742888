// Every trait changes what it says and nothing else: games of the family, as traits alone, against published figures
// (perft from the start; the "drop" and "keep" rows of dctl's tests). Where Black
// begins in the real game, White does here: the starts are symmetrical.
#include <vector>

#include "support.hpp"

namespace damier::test {
namespace {

struct SixBySix : International {
  using Board = Grid<6, 3>;
  static constexpr int men_rows = 2;
};
struct Spantsiretti : International {
  using Board = Grid<8, 5>;
  static constexpr int men_rows = 3;
};
struct Brazilian : International {
  using Board = Grid<8, 4>;
  static constexpr int men_rows = 3;
};
struct Russian : Brazilian {
  static constexpr Majority majority = Majority::none;
  static constexpr Promotion promotion = Promotion::in_passing;
};
struct Pool : Brazilian {
  static constexpr Majority majority = Majority::none;
};
struct Spanish : Brazilian {
  static constexpr bool men_capture_backward = false;
  static constexpr Majority majority = Majority::most_pieces_then_kings;
  static constexpr Promotion promotion = Promotion::ends_move;
};
struct English : Spanish {
  static constexpr bool flying_kings = false;
  static constexpr Majority majority = Majority::none;
};

using Row = std::vector<std::uint64_t>;

template <class Rules> void test_start(std::string_view name, const Row &merged, const Row &apart) {
  const auto start = Position<Rules>::start();
  for (std::size_t i = 0; i < merged.size(); i++) {
    check(perft(start, int(i) + 1) == merged[i], [&] { return std::string(name) + " perft " + std::to_string(i + 1); });
  }
  for (std::size_t i = 0; i < apart.size(); i++) {
    check(perft_ways(start, int(i) + 1) == apart[i],
          [&] { return std::string(name) + " perft with ways " + std::to_string(i + 1); });
  }
}

}  // namespace
}  // namespace damier::test

int main() {
  using namespace damier::test;
  test_start<SixBySix>("6x6", {5, 25, 106, 369, 1301, 4214, 12912, 39526, 113614, 329982, 933564, 2678979}, {});
  test_start<Spantsiretti>("Spantsiretti", {9, 81, 658, 4265, 27117, 167140, 1029319, 6127190}, {});
  test_start<Brazilian>("Brazilian", {7, 49, 302, 1469, 7473, 37628, 187302, 907830, 4431766},
                        {7, 49, 302, 1469, 7473, 37628, 187302, 907836});
  test_start<Russian>("Russian", {7, 49, 302, 1469, 7482, 37986, 190146, 929899, 4570586},
                      {7, 49, 302, 1469, 7482, 37986, 190146, 929905});
  test_start<Pool>("Pool", {7, 49, 302, 1469, 7482, 37986, 190146, 929896, 4570534},
                   {7, 49, 302, 1469, 7482, 37986, 190146, 929902});
  test_start<Spanish>("Spanish", {7, 49, 302, 1469, 7361, 36473, 177532, 828783, 3860866},
                      {7, 49, 302, 1469, 7361, 36473, 177532, 828783});
  test_start<English>("English", {7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680},
                      {7, 49, 302, 1469, 7361, 36768, 179740, 845931});
  return report("variants");
}

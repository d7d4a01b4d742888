#include <string>
#include <string_view>

#include "board.hpp"

namespace damier::python {

namespace {

bool is_blank(char sign) { return sign == ' ' || (sign >= '\t' && sign <= '\r'); }
bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }
bool is_separator(char sign) { return sign == '-' || sign == 'x'; }

struct Word {
  std::size_t end = 0;        // 0 if there is none
  std::size_t separator = 0;  // the end of the separator
  std::size_t second = 0;     // the beginning of the second square
  int from = 0;
  int to = 0;
  bool captures = false;
};

class Words {
public:
  Words(std::string_view text, bool is_whole) : text_(text), is_whole_(is_whole) {}

  std::size_t after_blanks(std::size_t at) const {
    while (at < text_.size() && is_blank(text_[at])) at++;
    return at;
  }

  // The end of the move number that begins here, such as "12." or "12...", or of dots alone; 0 if there is none.
  std::size_t number_end(std::size_t begin) const {
    std::size_t at = begin;
    while (at < text_.size() && at < begin + 4 && is_digit(text_[at])) at++;
    const std::size_t dots = at;
    while (at < text_.size() && text_[at] == '.') at++;
    const std::size_t count = at - dots;
    if (count != 3 && (count != 1 || dots == begin)) return 0;
    // "2.28x17" too: what follows a dot needs no blank.
    return at < text_.size() || is_whole_ ? at : 0;
  }

  // The move of two squares that begins here, if nothing follows that may belong to it.
  Word move(std::size_t begin) const {
    Word word;
    std::size_t at = begin;
    word.from = square(at);
    if (word.from == 0 || at >= text_.size() || !is_separator(text_[at])) return {};
    word.captures = text_[at++] == 'x';
    word.separator = at;
    at = word.second = after_blanks(at);  // "1- 6", as files in columns write it
    word.to = square(at);
    if (word.to == 0) return {};
    if (at == text_.size() ? !is_whole_ : !is_blank(text_[at])) return {};
    const std::size_t next = after_blanks(at);
    if (next < text_.size() && is_separator(text_[next])) return {};
    word.end = at;
    return word;
  }

private:
  // Of one digit or two; 0 if there is none.
  int square(std::size_t &at) const {
    int number = 0;
    for (int digits = 0; digits < 2 && at < text_.size() && is_digit(text_[at]); digits++, at++) {
      number = number * 10 + (text_[at] - '0');
    }
    return number <= International::Board::squares ? number : 0;
  }

  std::string_view text_;
  bool is_whole_;
};

}  // namespace

std::size_t play_words(nb::pointer_and_handle<Board> self, const nb::str &text, bool is_whole, nb::handle tell) {
  Py_ssize_t size = 0;
  const char *characters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (characters == nullptr) throw nb::python_error();
  if (size != PyUnicode_GetLength(text.ptr())) throw nb::value_error("the text is not ASCII");
  const std::string_view all(characters, std::size_t(size));
  const Words words(all, is_whole);
  std::size_t done = 0;
  while (true) {
    const std::size_t begin = words.after_blanks(done);
    if (const std::size_t end = words.number_end(begin)) {
      done = end;
      continue;
    }
    const Word word = words.move(begin);
    if (word.end == 0) return done;
    std::optional<Move> move;
    const nb::object object = with_history(*self.p, [&](const auto &history) -> nb::object {
      move = only_move(history.position(), word.from, word.to);
      const bool fits = move && (!word.captures || move->is_capture());
      if (!fits) move.reset();
      return fits && !tell.is_none() ? move_object(history.position(), *move) : nb::none();
    });
    if (!move) return done;
    if (!tell.is_none()) {
      std::string written(all.substr(begin, word.separator - begin));
      written += all.substr(word.second, word.end - word.second);
      tell(self.h, object, nb::str(written.data(), written.size()));
    }
    with_history(*self.p, [&](auto &history) {
      // Who was told may have moved on the board; then the move is no longer one.
      if (!tell.is_none() && !is_legal(history.position(), *move)) {
        throw nb::value_error("the board changed while a move was told");
      }
      history.push(*move);
    });
    done = word.end;
  }
}

}  // namespace damier::python

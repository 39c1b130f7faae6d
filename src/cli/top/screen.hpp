// A terminal as a screen: drawn over in place, read key by key, and put back as it was.
#pragma once

#include <termios.h>

#include <chrono>
#include <string>

#include "cli/text.hpp"

namespace muster::cli {

enum class Key : unsigned char { kNone, kUp, kDown, kEnter, kBack, kQuit, kOther };

class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  std::size_t rows() const;
  std::size_t columns() const;
  // The text from its line `first` on, as far as there is room; what was there before is drawn over.
  void draw(const Text& text, std::size_t first = 0);
  // The next key; kNone where none came in time.
  Key read(std::chrono::milliseconds patience);

 private:
  termios before_{};
  std::string unread_;  // what was typed faster than it is asked for
};

// Takes the first key off what a terminal sent; kNone: nothing is left.
Key take_key(std::string& bytes);

}  // namespace muster::cli

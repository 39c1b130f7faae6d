// A full-screen view on a terminal: redrawn in place, read key by key, and restored at the end.
#pragma once

#include <termios.h>

#include <chrono>
#include <string>

#include "terminal/text.hpp"

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
  // Draws the text from line `first` on, as far as it fits, over the previous content.
  void draw(const Text& text, std::size_t first = 0) const;
  // Returns the next key, or kNone if there is none within the time.
  Key read(std::chrono::milliseconds patience);

 private:
  termios before_{};
  std::string unread_;  // bytes received but not yet returned as keys
};

// Removes the first key from bytes that a terminal sent and returns it; kNone if there are none.
Key take_key(std::string& bytes);

}  // namespace muster::cli

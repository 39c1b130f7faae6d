// Writes each frame in one call over the previous one, so that the screen does not flicker.
#include "cli/top/screen.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "terminal/paint.hpp"

namespace muster::cli {
namespace {

constexpr std::string_view kOtherScreen = "\x1b[?1049h\x1b[?25l", kScreenBefore = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H", kClearRest = "\x1b[K", kClearBelow = "\x1b[J";

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

winsize size_of_terminal() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) size.ws_row = 24, size.ws_col = 80;
  return size;
}

// Returns the part of the line that fits the columns. Colour sequences take no columns.
std::string cut(std::string_view line, std::size_t columns) {
  std::string shown;
  std::size_t width = 0;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t length = 1;
    if (line[i] == '\x1b') {
      length = line.find('m', i) == line.npos ? line.size() - i : line.find('m', i) - i + 1;
    } else {
      while (i + length < line.size() && (static_cast<unsigned char>(line[i + length]) & 0xC0) == 0x80)
        ++length;
      width += width_of(line.substr(i, length));
      if (width > columns) break;
    }
    shown += line.substr(i, length);
    i += length;
  }
  return shown;
}

}  // namespace

Screen::Screen() {
  ::tcgetattr(STDIN_FILENO, &before_);
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  put(kOtherScreen);
}

Screen::~Screen() {
  put(kScreenBefore);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

std::size_t Screen::rows() const { return size_of_terminal().ws_row; }
std::size_t Screen::columns() const { return size_of_terminal().ws_col; }

void Screen::draw(const Text& picture, std::size_t first) const {
  std::string_view text = picture.str();
  std::string frame(kHome);
  const std::size_t rows = this->rows(), columns = this->columns();
  for (std::size_t row = 0, line = 0; !text.empty() && row < rows; ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line < first) continue;
    frame += (row == 0 ? "" : "\r\n") + cut(one, columns);
    frame += kClearRest;
    ++row;
  }
  put(frame + std::string(kClearBelow));
}

namespace {

// The length of the first key: an escape sequence of three bytes, or a single byte.
std::size_t length_of_key(std::string_view bytes) {
  const bool is_sequence = bytes.size() > 2 && bytes[0] == '\x1b' && (bytes[1] == '[' || bytes[1] == 'O');
  return is_sequence ? 3 : 1;
}

}  // namespace

Key take_key(std::string& bytes) {
  if (bytes.empty()) return Key::kNone;
  const std::string key = bytes.substr(0, length_of_key(bytes));
  bytes.erase(0, key.size());
  if (key == "\x1b[A" || key == "\x1bOA" || key == "k") return Key::kUp;
  if (key == "\x1b[B" || key == "\x1bOB" || key == "j") return Key::kDown;
  if (key == "\r" || key == "\n") return Key::kEnter;
  if (key == "\x1b" || key == "\x7f") return Key::kBack;
  if (key == "q" || key == "Q" || key == "\x03" || key == "\x04") return Key::kQuit;
  return Key::kOther;
}

Key Screen::read(std::chrono::milliseconds patience) {
  if (!unread_.empty()) return take_key(unread_);
  pollfd wait{STDIN_FILENO, POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(patience.count())) <= 0) return Key::kNone;
  char bytes[64];
  const ssize_t n = ::read(STDIN_FILENO, bytes, sizeof(bytes));
  if (n <= 0) return Key::kQuit;
  unread_.assign(bytes, static_cast<std::size_t>(n));
  return take_key(unread_);
}

}  // namespace muster::cli

// How far reading got, on a terminal and only where it takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace muster::cli {

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void file_begins(const std::string& file);
  // Cheap enough to be called for every object.
  void object_read();

 private:
  using Clock = std::chrono::steady_clock;
  void show();

  const bool is_shown_;  // standard error is a terminal
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_;
  std::string file_;
  double megabytes_ = 0;  // of the file
  std::uint64_t objects_ = 0;
  bool has_written_ = false;
};

}  // namespace muster::cli

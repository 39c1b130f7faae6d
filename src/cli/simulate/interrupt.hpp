// Ctrl-C as a question that a long run asks itself.
#pragma once

#include <csignal>

namespace muster::cli {

// While one lives, the first SIGINT is only noted, and the next ends the process as ever. One that is ignored
// stays so: the run is in the background.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool has_come() const;

 private:
  struct sigaction before_ {};
};

}  // namespace muster::cli

// Lets a long run check whether Ctrl-C was pressed.
#pragma once

#include <csignal>

namespace muster::cli {

// During the lifetime of this object, the first SIGINT only sets a flag; a second one ends the process as
// usual. If SIGINT is ignored, as in background processes, it stays ignored.
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

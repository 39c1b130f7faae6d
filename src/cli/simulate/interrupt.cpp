// The signal handler only sets a flag, because a handler may do little else safely.
#include "cli/simulate/interrupt.hpp"

namespace muster::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int) { interrupted = 1; }

}  // namespace

Interrupt::Interrupt() {
  interrupted = 0;
  struct sigaction noted {};
  noted.sa_handler = note_interrupt;
  noted.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &noted, &before_);
  if (before_.sa_handler == SIG_IGN) sigaction(SIGINT, &before_, nullptr);
}

Interrupt::~Interrupt() { sigaction(SIGINT, &before_, nullptr); }

bool Interrupt::has_come() const { return interrupted != 0; }

}  // namespace muster::cli

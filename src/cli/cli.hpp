// The command line as a function.
#pragma once

#include "terminal/exit_code.hpp"

namespace muster::cli {

int run(int argc, char** argv);

}  // namespace muster::cli

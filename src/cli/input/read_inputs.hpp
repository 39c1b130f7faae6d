// Reads the inputs of a command and prints what is wrong with them.
#pragma once

#include <optional>

#include "cli/input/read_inputs.hpp"
#include "loader/inputs.hpp"
#include "terminal/output.hpp"

namespace muster::cli {

// Reads all inputs and prints errors and warnings to standard error. Returns nullopt and sets `exit_code` if
// the command cannot go on. `notices` holds the messages of earlier readings, which are not repeated.
std::optional<loader::Inputs> read_inputs(const loader::InputOptions& options, int& exit_code);
std::optional<loader::Inputs> read_inputs(const loader::InputOptions& options, int& exit_code,
                                          Notices& notices);

}  // namespace muster::cli

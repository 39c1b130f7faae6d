// The command line as a function, and the exit codes of all commands.
#pragma once

namespace muster::cli {

// What every command ends with.
enum ExitCode {
  kSuccess = 0,
  kNo = 1,  // the answer is no: an invalid file, a job that does not fit
  kUsage = 2,
  kOutside = 3,  // something outside failed: a file that can not be read
};

int run(int argc, char** argv);

}  // namespace muster::cli

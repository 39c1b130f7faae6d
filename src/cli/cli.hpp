// The command line as a function, and the exit codes of all commands.
#pragma once

namespace muster::cli {

// What every command ends with.
enum ExitCode {
  kSuccess = 0,
  kNo = 1,  // the answer is no: an invalid file, a job that does not fit
  kUsage = 2,
  kOutside = 3,  // something outside failed: a file that can not be read, an output that can not be written
  kInterrupted = 130,  // cut short by Ctrl-C: what shells make of a program that SIGINT ended
};

int run(int argc, char** argv);

}  // namespace muster::cli

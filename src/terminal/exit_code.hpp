// The exit codes of all commands.
#pragma once

namespace muster {

enum ExitCode {
  kSuccess = 0,
  kNo = 1,               // a negative result: an invalid file, a job that does not fit
  kUsage = 2,            // the command line is wrong
  kExternalFailure = 3,  // an external failure: a file cannot be read, output cannot be written
  kInterrupted = 130,    // interrupted by Ctrl-C; shells report this code for a program that SIGINT ended
};

}  // namespace muster

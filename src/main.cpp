// The program muster; everything is in cli/.
#include "cli/cli.hpp"

int main(int argc, char** argv) { return muster::cli::run(argc, argv); }

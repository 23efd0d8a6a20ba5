#include "prescope/program.h"

int main(int argc, char** argv) { return prescope::program_main(argc, argv); }

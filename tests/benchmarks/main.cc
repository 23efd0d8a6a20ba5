#include <benchmark/benchmark.h>

#include <vector>

#include "benchmarks/bars.h"

int main(int argc, char** argv) {
  // What is compared should have been measured at the same time, on a machine that has moods.
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, interleaved);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
  prescope::benchmarks::BarReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}

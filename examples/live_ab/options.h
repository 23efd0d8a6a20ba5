#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "prescope/experiment_options.h"

namespace live_ab {

struct Options {
  double seconds = 10.0;             ///< (0, 86400]
  std::filesystem::path json;        ///< file of the last summary; empty: none
  std::filesystem::path store, log;  ///< files for observations; empty: none
  std::string fleet, server;         ///< whose decisions it follows, and its name there
  prescope::Mode mode = prescope::Mode::kObserve;
  std::uint32_t threads = 4;         ///< that search, [1, 256]
  std::uint32_t topics = 200;        ///< judged queries that users ask, [1, 50000]
  std::uint32_t documents = 30'000;  ///< [1000, 500000]
  std::uint64_t seed = 1;
  double rate = 0.0;   ///< queries a second, [0, 1e6]; 0: each thread asks when it has the answer
  bool serve = false;  ///< in a browser, too
  std::uint16_t port = 0;  ///< for that; 0: any that is free
  bool overhead = false;
  bool check = false;
  bool bad_arm = false;      ///< bm25 searches titles only, as after a mistake
  bool pause_worse = false;  ///< an arm that is confirmed worse is paused
};

/// Parses the command line; returns std::nullopt after printing the help. Throws
/// prescope::Error(kUsage).
[[nodiscard]] std::optional<Options> parse(int argc, char** argv);

}  // namespace live_ab

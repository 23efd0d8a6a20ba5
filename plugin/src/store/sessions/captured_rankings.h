#pragma once

#include <set>

#include "store/sessions/observation_reader.h"

namespace prescope {

/// The rankings of an arm, as far as a store has captured them.
struct CapturedRankings {
  enum class Kind {
    kDocids,  ///< of one generation of the index: of the newest that was captured
    kKeys,    ///< hashes of keys, the same in every generation and store
  };

  std::int64_t session = 0;
  std::string experiment{}, arm{};
  Kind kind = Kind::kDocids;
  std::uint64_t generation = 0;       ///< of docids
  std::uint64_t collection_size = 0;  ///< largest that was observed; 0 if unknown
  /// The ranking that each topic was served last, rank 1 first.
  std::map<std::string, std::vector<std::uint64_t>> topics{};
  std::uint64_t left_out = 0;  ///< rankings of earlier generations, or without their first page
  std::set<std::string> cut_off{};  ///< topics whose ranking was served further than captured
};

/// One for each session and arm that has any (see StoreLogOptions::captured_hits), in the order in
/// which they were first observed. Judged queries only. Throws as ObservationReader.
[[nodiscard]] std::vector<CapturedRankings> read_captured_rankings(
    const std::filesystem::path& store, const ObservationFilter& filter = {});

/// Returns whether the file begins as an SQLite file does. False for `-`, if it is unreadable, and
/// for a pipe, of which nothing is read.
[[nodiscard]] bool looks_like_store(const std::filesystem::path& path);

}  // namespace prescope

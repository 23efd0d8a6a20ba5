#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "prescope/experiment.h"
#include "prescope/run.h"

namespace prescope::run_file {

/// A host's request for one topic's ranking.
struct Request {
  std::string_view topic{};    ///< as the run file spells it
  std::uint32_t depth = 1000;  ///< hits from `first_rank` on, >= 1
  Rank first_rank = 1;         ///< >= 1, counted without excluded documents
  /// Leaves out docnos that have the key of one of these under the experiment's docno policy.
  std::span<const Docno> exclude{};
};

/// The rankings of one reading of a run file, served under one arm. It keeps this reading when the
/// file changes later. Thread-safe; copies share the reading.
class RunSearcher {
 public:
  /// Returns the docnos of a topic's ranking, observed once, under the QueryScope of the calling
  /// thread. A topic that the run lacks is served as an empty ranking: as with `trec_eval -c`, it
  /// counts as one for which nothing was found. The views are valid as long as this searcher or a
  /// copy of it. No latency is kept, because the time of a look-up is not that of the engine which
  /// made the run. Throws Error(kUsage) for a depth or first rank of 0, which is observed as a
  /// failed search. O(ranking).
  [[nodiscard]] std::vector<std::string_view> serve(const Request& request) const;

  /// Returns the run's topics, ascending by id; valid as long as this searcher or a copy of it.
  [[nodiscard]] std::span<const Run::Topic> topics() const noexcept;
  /// Returns the generation of the reading, as observations carry it.
  [[nodiscard]] std::uint64_t generation() const noexcept;

 private:
  friend class ObservedRun;
  struct Reading;
  RunSearcher(Experiment& experiment, ArmIndex arm, std::shared_ptr<const Reading> reading);
  [[nodiscard]] std::vector<std::string_view> look_up(const Request& request) const;

  Experiment* experiment_;
  ArmIndex arm_;
  std::shared_ptr<const Reading> reading_;
};

/// A TREC run file, whose rankings are shown to an experiment as if they were served now. Any
/// engine that can write one can so be compared with live engines. Each reading of the file is a
/// generation. Thread-safe.
class ObservedRun {
 public:
  /// Reads the file. Throws as `load_run`. The experiment must outlive this object and every
  /// searcher.
  ObservedRun(std::filesystem::path path, RunOrder order, Experiment& experiment);

  /// Returns a searcher for one arm on the last reading. Throws Error(kUsage) with the nearest arm.
  [[nodiscard]] RunSearcher searcher(std::string_view arm) const;

  /// Reads the file again if its device, inode, size or time of change has changed; returns false
  /// if not. Throws as `load_run`, also if the file is gone; the last reading then stays. A file
  /// that is rewritten in place may be read half written: write to another name, then rename.
  bool reopen();

 private:
  /// The facts that tell one content of a file from the next without reading it. All are 0 if it is
  /// missing.
  struct FileState {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t changed_s = 0, changed_ns = 0;
    friend bool operator==(const FileState&, const FileState&) = default;
  };
  [[nodiscard]] static FileState state_of(const std::filesystem::path& path) noexcept;
  void read(const FileState& state);

  std::filesystem::path path_;
  RunOrder order_;
  Experiment* experiment_;
  std::mutex reopening_;  // over file_state_, for as long as a reading takes
  FileState file_state_;
  mutable std::mutex mutex_;  // over reading_
  std::shared_ptr<const RunSearcher::Reading> reading_;
};

}  // namespace prescope::run_file

#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nightly/history.h"
#include "report/nightly/history_report.h"
#include "store/nights/store.h"

namespace prescope::serve {

/// What a store's file, and the write-ahead log beside it, look like from outside.
class FileStamp {
 public:
  /// As they are now; a file that is not there looks like nothing.
  explicit FileStamp(const std::filesystem::path& path);

  /// Whether what was read after this stamp was taken is what the same stamp stands for later: a
  /// file system's clock cannot tell two writes within some milliseconds apart.
  [[nodiscard]] bool is_settled() const noexcept { return is_settled_; }

  friend bool operator==(const FileStamp& a, const FileStamp& b) noexcept {
    return a.facts_ == b.facts_;
  }

 private:
  std::array<std::uint64_t, 8> facts_{};  // of each: device, inode, size, last write
  bool is_settled_ = true;
};

/// Adds means that were not stored, from the facts that were.
void add_means(const Store& store, std::span<const Measure> measures, std::vector<Night>& nights);

/// What a report on these nights of the store says: changes of `measures`, and the newest night of
/// each arm tested against its baseline and the last one accepted. `path` as it is to be shown.
[[nodiscard]] HistoryReport history_report(const Store& store, const std::string& path,
                                           std::span<const Night> nights,
                                           std::span<const std::string> measures,
                                           const HistoryFilter& filter);

/// The nights of a store as text, read again when its file has changed: others may write to it
/// meanwhile. Throws Error: kIo and kBadInput for a store that cannot be read now. Not thread-safe.
class Nights {
 public:
  using Text = std::shared_ptr<const std::string>;

  explicit Nights(std::filesystem::path store) : store_(std::move(store)) {}

  [[nodiscard]] const std::filesystem::path& store() const noexcept { return store_; }
  /// Whether there is any night, as far as was known when the store could be read last.
  [[nodiscard]] bool has_any() noexcept;
  /// What `prescope history --json` writes.
  [[nodiscard]] Text history();
  /// What `prescope gate --json` writes about evaluation `night` against evaluation `baseline`
  /// under the default rules. Throws Error(kUsage): a number that is not there; evaluations that
  /// cannot be compared.
  [[nodiscard]] Text compare(std::int64_t baseline, std::int64_t night);

 private:
  /// Forgets what is no longer so.
  void look();

  std::filesystem::path store_;
  std::optional<FileStamp> stamp_;  // nothing: what is known may be out of date
  Text history_;
  std::optional<bool> has_any_;
  std::map<std::pair<std::int64_t, std::int64_t>, Text> comparisons_;
  bool had_any_ = false;
};

}  // namespace prescope::serve

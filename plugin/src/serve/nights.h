#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "serve/file_stamp.h"

namespace prescope::serve {

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

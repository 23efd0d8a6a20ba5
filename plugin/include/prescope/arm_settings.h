#pragma once

#include <limits>

#include "prescope/engine.h"

#pragma GCC visibility push(default)
namespace prescope {

/// Reads one arm's settings for an engine and collects all complaints. Not thread-safe.
class ArmSettings {
 public:
  struct Range {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool least_is_excluded = false;
  };

  /// Complains about keys that are not in `keys`, and about a key set twice. `arm` must outlive
  /// this.
  ArmSettings(const ArmConfig& arm, std::span<const std::string_view> keys);

  /// Returns the first setting with this key, or null.
  [[nodiscard]] const ArmSetting* find(std::string_view key) const noexcept;
  /// Returns the number, or nothing with a complaint if it is not finite or not in the range.
  std::optional<double> number(std::string_view key, const Range& range);
  /// Returns the position of the setting's value in `names`. Complains about any other value, with
  /// the nearest name.
  std::optional<std::size_t> one_of(std::string_view key, std::span<const std::string_view> names);
  /// Complains about each of `keys` that is set: `"'b' has no meaning for ranker = tfidf; remedy"`.
  void refuse(std::span<const std::string_view> keys, std::string_view meaning_for,
              std::string_view remedy);

  void complain(const ArmSetting& setting, std::string_view complaint);
  /// Throws Error(kUsage) with a line for each complaint, if there are any.
  void throw_if_any() const;

 private:
  const ArmConfig& arm_;
  std::string complaints_;
};

}  // namespace prescope
#pragma GCC visibility pop

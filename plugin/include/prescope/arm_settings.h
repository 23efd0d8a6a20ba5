#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "prescope/engine.h"

namespace prescope {

/// Reads the settings of one arm for an engine, and keeps every complaint with its place, so that
/// the user hears of all of them at once. Not thread-safe.
class ArmSettings {
 public:
  struct Range {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool least_is_excluded = false;
  };

  /// `keys` are all that there are. Complains of any other, with the nearest, and of a key that is
  /// set twice. `arm` must outlive this object, and `keys` too.
  ArmSettings(const ArmConfig& arm, std::span<const std::string_view> keys);

  /// The setting of this key, or null. Where it is set twice, the first.
  [[nodiscard]] const ArmSetting* find(std::string_view key) const noexcept;
  /// The number set, or nothing where there is none. Complains, and gives nothing, where it is not
  /// a finite number of the range.
  std::optional<double> number(std::string_view key, const Range& range);
  /// The position of the name set, or nothing. Complains, with the nearest name, of any other.
  std::optional<std::size_t> one_of(std::string_view key, std::span<const std::string_view> names);
  /// Complains of each of `keys` that is set: `"'b' has no meaning for ranker = tfidf; remedy"`.
  void refuse(std::span<const std::string_view> keys, std::string_view meaning_for,
              std::string_view remedy);

  void complain(const ArmSetting& setting, std::string_view complaint);
  /// Throws Error(kUsage) with all complaints, a line each, where there are any.
  void throw_if_any() const;

 private:
  const ArmConfig& arm_;
  std::string complaints_;
};

}  // namespace prescope

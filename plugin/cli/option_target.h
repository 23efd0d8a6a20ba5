#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation_record.h"

namespace prescope::cli {

/// The variable that an option or argument sets, and which words it takes: numbers in a range with
/// both ends closed. A list takes every word given, anything else keeps the last. The variable must
/// outlive the parsing.
class OptionTarget {
 public:
  OptionTarget(std::string& text);
  OptionTarget(std::optional<std::string>& text);
  OptionTarget(std::vector<std::string>& list);
  OptionTarget(int& number);
  OptionTarget(std::uint32_t& number, std::uint32_t least = 0,
               std::uint32_t most = std::numeric_limits<std::uint32_t>::max());
  OptionTarget(std::optional<std::uint16_t>& number);
  OptionTarget(std::uint64_t& number);
  OptionTarget(std::optional<std::uint64_t>& number);
  OptionTarget(double& number);
  OptionTarget(std::optional<double>& number);
  /// As parse_utc_time reads it.
  OptionTarget(std::optional<UtcTime>& time);

  [[nodiscard]] bool is_list() const noexcept { return is_list_; }
  /// Sets the variable. Throws Error(kUsage) with what the word is not: "'x' is not a number".
  void take(const std::string& word) const { take_(word); }

 private:
  std::function<void(const std::string& word)> take_;
  bool is_list_ = false;
};

}  // namespace prescope::cli

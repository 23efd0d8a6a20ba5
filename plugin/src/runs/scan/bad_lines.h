#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace prescope {

/// The malformed lines of a file, or of a part of it: the first few with what is wrong, the rest
/// counted.
class BadLines {
 public:
  void add(std::uint64_t line, std::string problem);
  /// Those of the part that follows, whose line 1 is line `lines_before` + 1 of this.
  void append(const BadLines& part, std::uint64_t lines_before);
  [[nodiscard]] bool any() const noexcept { return count_ != 0; }
  /// Error(kBadInput), a line for each problem that is listed, where there is any.
  void throw_if_any(const std::string& path) const;

 private:
  static constexpr std::size_t kListed = 5;

  std::vector<std::pair<std::uint64_t, std::string>> first_;
  std::uint64_t count_ = 0;
};

}  // namespace prescope

#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace prescope {

/// A member of an archive that cannot be unpacked further. The members beside it can.
class DamagedMember : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where something stands, for messages.
struct InputPlace {
  std::string_view input;  ///< "ipg130416.zip/a.xml"
  std::uint64_t line = 0;  ///< from 1; 0: none
};

/// The bytes of one file, or of one member of an archive, in order, with a window that grows as its
/// reader asks for it.
class CitationInput {
 public:
  /// Reads up to `size` bytes and returns their number, 0 only at the end, and is then not called
  /// again.
  using Read = std::function<std::size_t(char* into, std::size_t size)>;

  /// `place`: for messages, "ipg130416.zip/a.xml". `longest_line`: see `next_line`.
  CitationInput(std::string place, Read read, std::size_t longest_line)
      : place_(std::move(place)), read_(std::move(read)), longest_line_(longest_line) {}
  CitationInput(const CitationInput&) = delete;
  CitationInput& operator=(const CitationInput&) = delete;

  [[nodiscard]] const std::string& place() const noexcept { return place_; }
  [[nodiscard]] InputPlace at(std::uint64_t line) const noexcept {
    return {.input = place_, .line = line};
  }
  /// Returns the place of the line last returned.
  [[nodiscard]] InputPlace here() const noexcept { return at(line_number_); }
  /// Returns the bytes that were read and not taken; valid until the next call of another function.
  [[nodiscard]] std::string_view window() const noexcept {
    return std::string_view(bytes_).substr(begin_);
  }
  /// Appends bytes to the window; returns false at the end.
  bool read_more();
  /// Appends bytes until the window has `size` or the input ends.
  void fill(std::size_t size) {
    while (window().size() < size && read_more()) continue;
  }
  /// Drops the first bytes of the window.
  void take(std::size_t size) noexcept { begin_ += size; }

  /// Gives the next line without its end, valid until the next call; returns false at the end.
  /// Throws Error(kBadInput) for a line that is longer than the longest.
  bool next_line(std::string_view& line);
  /// Returns the number of the line last returned, from 1.
  [[nodiscard]] std::uint64_t line_number() const noexcept { return line_number_; }

 private:
  std::string place_;
  Read read_;
  std::size_t longest_line_;
  std::string bytes_;
  std::size_t begin_ = 0;
  bool is_at_end_ = false;
  std::uint64_t line_number_ = 0;
};

}  // namespace prescope

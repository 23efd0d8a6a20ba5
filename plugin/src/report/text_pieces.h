#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace prescope {

/// Takes the next piece of an output.
using TextSink = std::function<void(std::string_view text)>;

/// Text on its way to a sink, in pieces of about 64 KB, so that an output of any length needs no
/// more. Numbers are those of the C locale.
class TextPieces {
 public:
  /// `sink` must outlive this.
  explicit TextPieces(const TextSink& sink) : sink_(&sink) {}

  TextPieces& operator<<(std::string_view text) {
    if (pending_.size() + text.size() > kPiece) finish();
    pending_ += text;
    return *this;
  }
  TextPieces& operator<<(char c) { return *this << std::string_view(&c, 1); }
  TextPieces& operator<<(std::uint64_t number);
  TextPieces& operator<<(std::uint32_t number) { return *this << std::uint64_t{number}; }
  /// The shortest digits that read back as the same double.
  TextPieces& operator<<(double number);
  /// As score_text, right-aligned in `width` columns.
  void score(std::optional<double> score, std::size_t width = 0);
  void spaces(std::size_t count);

  /// Hands on what is left.
  void finish();

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16U;

  const TextSink* sink_;
  std::string pending_;
};

}  // namespace prescope

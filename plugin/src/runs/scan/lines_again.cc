#include "runs/scan/lines_again.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "prescope/error.h"
#include "runs/scan/docno_hash.h"
#include "runs/scan/run_line.h"
#include "runs/scan/text_window.h"

namespace prescope {

namespace {

/// Lines of an input by their places, which ascend. Where the input can be read from anywhere, what
/// is far from all of them is not read: a little at a time where they are scattered, much where
/// they stand close together.
class LinesByPlace {
 public:
  explicit LinesByPlace(const RunInput& input) : input_(&input) { start_at(0); }

  /// The line and its line feed, followed by kPadding bytes; empty behind the input's end. Valid
  /// until the next call.
  std::string_view line(std::uint64_t place) {
    if (input_->has_random_access() && place > end() + kFar) start_at(place);
    while (place >= end()) {
      if (!read_on(window_->end())) return {};
    }
    for (std::size_t searched = 0;;) {
      const char* const at = window_->begin() + (place - begin_);
      const auto size = static_cast<std::size_t>(window_->end() - at);
      const void* const feed = std::memchr(at + searched, '\n', size - searched);
      if (feed != nullptr) {
        return {at, static_cast<std::size_t>(static_cast<const char*>(feed) + 1 - at)};
      }
      searched = size;
      if (!read_on(at)) window_->end_last_line();
    }
  }

 private:
  static constexpr std::size_t kFirstBlock = std::size_t{1} << 9U;
  static constexpr std::size_t kLargestBlock = std::size_t{1} << 16U;
  static constexpr std::uint64_t kFar = std::uint64_t{1} << 12U;

  [[nodiscard]] std::uint64_t end() const noexcept {
    return begin_ + static_cast<std::uint64_t>(window_->end() - window_->begin());
  }
  void start_at(std::uint64_t place) {
    reader_ = input_->reader(place);
    window_ = std::make_unique<TextWindow>(*reader_, kFirstBlock);
    begin_ = place;
  }
  bool read_on(const char* needed) {
    begin_ += static_cast<std::uint64_t>(needed - window_->begin());
    const bool more = window_->read_on(needed);
    window_->double_room(kLargestBlock);
    return more;
  }

  const RunInput* input_;
  std::unique_ptr<ByteReader> reader_;
  std::unique_ptr<TextWindow> window_;
  std::uint64_t begin_ = 0;  // of the window
};

/// Empty where the line is none with a hit.
std::string_view docno_of(const LineScan& scan, std::string_view line) {
  RegularLine regular;
  const char* const end = line.data() + line.size();
  if (scan.split(line.data(), end, {&regular, 1}) == 1) {
    return line.substr(regular.docno, regular.docno_size);
  }
  RunLine hit;
  std::string problem;
  if (line.empty() ||
      parse_run_line(line.substr(0, line.size() - 1), hit, problem) != LineKind::kHit) {
    return {};
  }
  return hit.docno;
}

}  // namespace

void read_docnos_again(const LineReading& reading, const RunInput& input,
                       std::span<WantedLine* const> lines) {
  std::vector<WantedLine*> in_order(lines.begin(), lines.end());
  std::ranges::sort(in_order, {}, [](const WantedLine* line) { return line->kept.place(); });
  const DocnoNormalizer& docnos = reading.qrels.docnos();
  DocnoBuffer buffer;
  LinesByPlace text(input);
  for (WantedLine* const wanted : in_order) {
    wanted->docno = docno_of(reading.scan, text.line(wanted->kept.place()));
    const std::uint64_t hash = hash_copied(docnos.key(wanted->docno, buffer));
    if (ScatteredLine::short_hash(hash) == wanted->kept.hash()) continue;
    input.check_unchanged();
    throw Error(
        ErrorCode::kIo,
        fmt::format("{}: changed while it was read; run again when it is complete", input.name()));
  }
}

}  // namespace prescope

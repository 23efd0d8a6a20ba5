#include "core/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/columns.h"
#include "core/convert_lines.h"
#include "core/text_file.h"
#include "prescope/error.h"

namespace prescope {
namespace {

using Sink = std::function<void(std::string_view)>;

/// Lines on their way out, in pieces.
class LineWriter {
 public:
  LineWriter(LineLayout layout, const Sink& sink) : layout_(layout), sink_(&sink) {}

  void add(const FileLine& line) {
    constexpr std::size_t kPiece = std::size_t{1} << 16U;
    append_line(pending_, line, layout_);
    if (pending_.size() >= kPiece) finish();
  }
  void finish() {
    if (!pending_.empty()) (*sink_)(pending_);
    pending_.clear();
  }

 private:
  LineLayout layout_;
  const Sink* sink_;
  std::string pending_;
};

/// The lines of each topic together, topics in the order of their first lines.
class CollectedTopics {
 public:
  void add(FileLine line) {
    const auto [at, is_new] = position_.try_emplace(line.topic, topics_.size());
    if (is_new) topics_.emplace_back();
    topics_[at->second].push_back(std::move(line));
  }
  [[nodiscard]] std::vector<std::vector<FileLine>>& topics() noexcept { return topics_; }

 private:
  std::unordered_map<std::string, std::size_t> position_;
  std::vector<std::vector<FileLine>> topics_;
};

/// The first malformed lines, so that the user hears of several at once.
class MalformedLines {
 public:
  void add(const Error& error) {
    constexpr std::uint64_t kListed = 5;
    if (count_++ < kListed) {
      message_ += fmt::format("{}{}", message_.empty() ? "" : "\n", error.what());
    } else {
      ++more_;
    }
  }
  [[nodiscard]] bool any() const noexcept { return count_ > 0; }
  void throw_if_any() const {
    if (!any()) return;
    const std::string rest =
        more_ == 0 ? ""
                   : fmt::format("\nand {} more malformed line{}", more_, more_ == 1 ? "" : "s");
    throw Error(ErrorCode::kBadInput, message_ + rest);
  }

 private:
  std::string message_;
  std::uint64_t count_ = 0, more_ = 0;
};

/// Scores that fall from line to line, and ranks that say the same.
void score_by_order(std::vector<FileLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].rank = i + 1;
    lines[i].score = static_cast<double>(lines.size() - i);
  }
}

void sort_by_score(std::vector<FileLine>& lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const FileLine& a, const FileLine& b) {
    return a.score != b.score ? a.score > b.score : a.docno > b.docno;
  });
}

/// One conversion, from its first line on.
class Conversion {
 public:
  Conversion(LineLayout from, const ConvertOptions& options, const Sink& sink)
      : from_(from), options_(options), out_({from.kind, options.to}, sink) {}

  void add(FileLine line, const TextFile& file) {
    if (from_.kind == FileKind::kRun) {
      prepare(line, file);
      if (scored() || options_.to == FileFormat::kClefIp) return collected_.add(std::move(line));
    }
    out_.add(line);
  }
  void finish() {
    for (std::vector<FileLine>& lines : collected_.topics()) {
      scored() ? score_by_order(lines) : sort_by_score(lines);
      for (const FileLine& line : lines) out_.add(line);
    }
    out_.finish();
  }
  [[nodiscard]] bool scored() const noexcept {
    return has_scores_ == false ||
           (from_.kind == FileKind::kRun && options_.scores == ConvertOptions::Scores::kFromOrder);
  }

 private:
  void prepare(FileLine& line, const TextFile& file) {
    if (!has_scores_) has_scores_ = line.score.has_value();
    if (*has_scores_ != line.score.has_value()) {
      throw file.bad_line(*has_scores_ ? "no score, unlike the lines before; give every line one"
                                       : "a score, unlike the lines before; give every line one");
    }
    if (!options_.tag.empty()) line.tag = options_.tag;
    if (line.tag.empty()) line.tag = "run";
    const std::uint64_t position = ++lines_of_[line.topic];
    if (!line.rank) line.rank = position;
  }

  LineLayout from_;
  ConvertOptions options_;
  LineWriter out_;
  CollectedTopics collected_;
  std::optional<bool> has_scores_;
  std::unordered_map<std::string, std::uint64_t> lines_of_;
};

bool is_skipped(std::string_view line) { return trimmed(line).empty() || line.starts_with('#'); }

}  // namespace

Converted convert(const std::filesystem::path& path, const ConvertOptions& options,
                  const Sink& sink) {
  Converted result;
  std::optional<Conversion> conversion;
  LineLayout layout;
  MalformedLines bad;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (is_skipped(line)) continue;
    try {
      if (!conversion) {
        layout = layout_of(line, options, file);
        conversion.emplace(layout, options, sink);
      }
      FileLine parsed = parse_line(line, layout, file);
      ++result.lines;
      if (!bad.any()) conversion->add(std::move(parsed), file);
    } catch (const Error& error) {
      if (!conversion || error.code() != ErrorCode::kBadInput) throw;
      bad.add(error);
    }
  }
  bad.throw_if_any();
  if (!conversion) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: empty; expected a run or judgements", path.string()));
  }
  conversion->finish();
  result.kind = layout.kind;
  result.from = layout.format;
  result.scored = conversion->scored();
  return result;
}

}  // namespace prescope

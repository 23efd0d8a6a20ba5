#include "runs/run_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/text_file.h"
#include "prescope/error.h"
#include "runs/scan/run_lines.h"

namespace prescope {

namespace {

struct ScoredDocno {
  Docno docno;
  float score = 0.0F;
};

/// The order in which trec_eval 9 puts a topic's lines; it ignores the rank column.
bool before_in_trec_order(const ScoredDocno& a, const ScoredDocno& b) {
  return a.score != b.score ? a.score > b.score : a.docno > b.docno;
}

/// A NaN is refused: it has no place in an order. Infinities have one.
float parse_run_score(std::string_view text, const TextFile& file) {
  const auto score = whole_number<double>(text);
  if (score && !std::isnan(*score)) return static_cast<float>(*score);
  throw file.bad_line(fmt::format("score '{}' is not a number; {}", text, kExpectedRunLine));
}

void refuse_white_space(std::string_view what, std::string_view text) {
  if (!text.empty() && text.find_first_of(" \t\r\n\v\f") == std::string_view::npos) return;
  throw Error(ErrorCode::kBadInput,
              fmt::format("{} '{}' is empty or contains white space, which a TREC run file cannot "
                          "carry; rename it",
                          what, text));
}

/// Floats counted in ascending order, so that one less is the next smaller float; both zeros are 0.
std::int32_t ordinal(float value) noexcept {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int32_t>::min() - bits;
}

float from_ordinal(std::int32_t position) noexcept {
  return std::bit_cast<float>(position >= 0 ? position
                                            : std::numeric_limits<std::int32_t>::min() - position);
}

/// Returns finite scores that fall strictly from hit to hit and differ from the engine's only if
/// those do not. At the lower end of the floats, earlier scores make room for the hits that follow.
std::vector<float> falling_scores(std::span<const Hit> hits) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  std::vector<float> scores;
  std::int32_t last = ordinal(kLargest) + 1;
  auto lowest = ordinal(-kLargest) + static_cast<std::int32_t>(hits.size());
  for (const Hit& hit : hits) {
    const float wanted = std::isnan(hit.score) ? kLargest : hit.score;
    last = std::max(std::min(ordinal(wanted), last - 1), --lowest);
    scores.push_back(from_ordinal(last));
  }
  return scores;
}

}  // namespace

Run load_run(const std::filesystem::path& path, RunOrder order) {
  constexpr std::size_t kColumns = Columns::kKept;
  Run run;
  std::map<TopicId, std::vector<ScoredDocno>> topics;  // which may be interleaved in the file
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const Columns columns = split_columns(line, kColumns, kColumns);
    if (columns.count < kColumns) {
      throw file.bad_line(fmt::format("{} column{}; {}", columns.count,
                                      columns.count == 1 ? "" : "s", kExpectedRunLine));
    }
    const auto& [topic, q0, docno, rank, score, tag] = columns.text;
    if (topics.empty()) run.tag = tag;
    topics[TopicId(topic)].push_back({Docno(docno), parse_run_score(score, file)});
  }
  if (topics.empty()) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: no rankings; {} lines", path.string(), kExpectedRunLine));
  }
  for (auto& [id, hits] : topics) {
    if (order == RunOrder::kTrec) std::sort(hits.begin(), hits.end(), before_in_trec_order);
    Run::Topic& ranked = run.topics.emplace_back(Run::Topic{id, {}});
    ranked.docnos.reserve(hits.size());
    for (ScoredDocno& hit : hits) ranked.docnos.push_back(std::move(hit.docno));
  }
  return run;
}

RunWriter::RunWriter(std::filesystem::path path, std::string tag)
    : path_(std::move(path)), partial_(path_.string() + ".partial"), tag_(std::move(tag)) {
  refuse_white_space("run tag", tag_);
  out_.open(partial_, std::ios::binary | std::ios::trunc);
  if (!out_) {
    throw Error(ErrorCode::kIo,
                fmt::format("{}: cannot be written; check the folder", partial_.string()));
  }
}

RunWriter::~RunWriter() {
  if (!out_.is_open()) return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void RunWriter::add(const TopicId& topic, std::span<const Hit> hits) {
  refuse_white_space("topic", topic.text());
  for (const Hit& hit : hits) refuse_white_space("docno", hit.docno.text());
  const std::vector<float> scores = falling_scores(hits);
  fmt::memory_buffer lines;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    // Nine digits identify a float exactly, also for a reader that parses doubles.
    fmt::format_to(std::back_inserter(lines), "{} Q0 {} {} {:.9g} {}\n", topic.text(),
                   hits[i].docno.text(), i + 1, scores[i], tag_);
  }
  out_.write(lines.data(), static_cast<std::streamsize>(lines.size()));
}

void RunWriter::finish() {
  out_.flush();
  const bool written = out_.good();
  out_.close();
  std::error_code failed;
  if (written && out_.good()) {
    std::filesystem::rename(partial_, path_, failed);
    if (!failed) return;
  }
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
  throw Error(ErrorCode::kIo, fmt::format("{}: cannot be written{}; is the disk full?",
                                          path_.string(), failed ? ": " + failed.message() : ""));
}

}  // namespace prescope

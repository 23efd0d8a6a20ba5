#include "runs/run_file.h"

#include <cmath>
#include <limits>

#include "base/errors.h"
#include "base/random_bits.h"
#include "runs/scan/topics_of_run.h"

namespace prescope {

namespace {

void refuse_white_space(std::string_view what, std::string_view text) {
  if (!text.empty() && text.find_first_of(" \t\r\n\v\f") == std::string_view::npos) return;
  throw bad_input_error(
      "{} '{}' is empty or contains white space, which a TREC run file cannot carry; rename it",
      what, text);
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
  Run run;
  TopicReading reading{.scattered = true};
  reading.take = [&](std::string_view topic, const TopicLines& lines) {
    Run::Topic& added = run.topics.emplace_back(Run::Topic{TopicId(topic), {}});
    added.docnos.reserve(lines.size());
    for (const std::uint32_t line : lines.ranked(order)) {
      added.docnos.emplace_back(lines.docno(line));
    }
  };
  run.tag = read_whole_run(path, reading, [] {}).tag;
  std::ranges::sort(run.topics, {}, &Run::Topic::id);
  return run;
}

RunWriter::RunWriter(std::filesystem::path path, std::string tag)
    : path_(std::move(path)),
      partial_(fmt::format("{}.{:016x}.partial", path_.string(), random_bits())),
      tag_(std::move(tag)) {
  refuse_white_space("run tag", tag_);
  out_.open(partial_, std::ios::binary | std::ios::trunc);
  if (!out_) throw io_error("{}: cannot be written; check the folder", partial_.string());
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
  throw io_error("{}: cannot be written{}; is the disk full?", path_.string(),
                 failed ? ": " + failed.message() : "");
}

}  // namespace prescope

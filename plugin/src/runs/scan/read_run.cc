#include "runs/scan/read_run.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/threads.h"
#include "prescope/error.h"
#include "runs/scan/topic_facts.h"
#include "runs/scan/topics_of_run.h"

namespace prescope {

namespace {

/// Result of reading consecutive lines of a run.
struct RunPart {
  RunFacts facts;  ///< topics in the order of the lines
  std::set<std::string, std::less<>> unjudged;
  RunTotals totals;
};

RunPart read_part(const Qrels& qrels, ByteSource& bytes, TopicReading reading) {
  RunPart part;
  TopicFacts facts(qrels);
  reading.is_wanted = [&](std::string_view topic) {
    if (qrels.find(topic)) return true;
    part.unjudged.emplace(topic);
    return false;
  };
  reading.take = [&](const TopicLines& lines) {
    facts.add(*qrels.find(lines.topic), lines, part.facts);
  };
  part.totals = read_topics(bytes, reading);
  return part;
}

void append(RunPart& all, RunPart part) {
  const auto shift = static_cast<std::uint32_t>(all.facts.retrieved.size());
  for (RunFacts::Topic topic : part.facts.topics) {
    topic.first_retrieved += shift;
    all.facts.topics.push_back(topic);
  }
  const auto append_list = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append_list(all.facts.retrieved, part.facts.retrieved);
  append_list(all.facts.repeats, part.facts.repeats);
  all.unjudged.merge(part.unjudged);
  RunTotals& totals = all.totals;
  if (part.totals.hits != 0) totals.tag = std::move(part.totals.tag);
  totals.hits += part.totals.hits;
  totals.bad_lines.append(part.totals.bad_lines, totals.lines);
  totals.lines += part.totals.lines;
  totals.came_again = totals.came_again || part.totals.came_again;
}

/// The first line of another topic than that of the line behind `offset`.
std::uint64_t topic_border(const ByteSource& file, std::uint64_t offset) {
  const auto bytes = file.from(offset);
  std::string text;
  std::string topic;
  bool in_line = true;  // the one that `offset` is in
  for (std::array<char, 1U << 14U> block;;) {
    const std::size_t got = bytes->read(block.data(), block.size(), 0);
    if (got == 0) return file.size();
    text.append(block.data(), got);
    std::size_t begin = 0;
    for (std::size_t feed = 0; (feed = text.find('\n', begin)) != std::string::npos;) {
      const auto line = std::string_view(text).substr(begin, feed - begin);
      const auto name = line.substr(0, line.find_first_of(" \t"));
      if (!in_line && topic.empty()) topic = name;
      if (!in_line && name != topic) return offset + begin;
      in_line = false;
      begin = feed + 1;
    }
    text.erase(0, begin);
    offset += begin;
  }
}

/// Returns the offsets at which parts of the file begin, and its end. There are more parts than
/// threads, because topics differ in length and processors in speed.
std::vector<std::uint64_t> part_borders(const ByteSource& file, const ReadingDetails& details) {
  constexpr std::uint64_t kPartsOfAThread = 8;
  const std::uint64_t parts =
      std::min(kPartsOfAThread * details.threads, file.size() / details.smallest_part);
  std::vector<std::uint64_t> borders = {0};
  for (std::uint64_t i = 1; i < parts; ++i) {
    const std::uint64_t near = file.size() / parts * i;
    if (near < borders.back()) continue;
    const std::uint64_t border = topic_border(file, near);
    if (border < file.size()) borders.push_back(border);
  }
  borders.push_back(file.size());
  return borders;
}

RunPart read_in_parts(const Qrels& qrels, ByteSource& file, const TopicReading& reading,
                      const ReadingDetails& details) {
  if (details.threads < 2 || !file.has_random_access()) return read_part(qrels, file, reading);
  const std::vector<std::uint64_t> borders = part_borders(file, details);
  std::vector<RunPart> parts(borders.size() - 1);
  in_parallel(parts.size(), details.threads, [&](std::size_t i) {
    TopicReading own = reading;
    own.size = borders[i + 1] - borders[i];
    parts[i] = read_part(qrels, *file.from(borders[i]), own);
  });
  RunPart all;
  for (RunPart& part : parts) append(all, std::move(part));
  return all;
}

/// Sorts the topics and their retrieved documents. Returns true if no topic occurs twice.
bool put_in_qrels_order(RunFacts& facts) {
  const auto by_topic = [](const auto& a, const auto& b) { return a.topic < b.topic; };
  if (!std::ranges::is_sorted(facts.topics, by_topic)) {
    std::ranges::sort(facts.topics, by_topic);
    std::vector<Retrieved> retrieved;
    retrieved.reserve(facts.retrieved.size());
    for (RunFacts::Topic& topic : facts.topics) {
      const std::span<const Retrieved> own = facts.of(topic);
      topic.first_retrieved = static_cast<std::uint32_t>(retrieved.size());
      retrieved.insert(retrieved.end(), own.begin(), own.end());
    }
    facts.retrieved = std::move(retrieved);
    std::ranges::sort(facts.repeats, by_topic);
  }
  return std::ranges::adjacent_find(facts.topics, {}, &RunFacts::Topic::topic) ==
         facts.topics.end();
}

}  // namespace

RunFacts read_run(const Qrels& qrels, ByteSource& file, ScorePrecision precision,
                  const ReadingDetails& details) {
  TopicReading reading{.precision = precision, .find_masks = details.find_masks};
  // A source that cannot be read again is kept in memory at once.
  reading.scattered = !details.expects_topics_together || !file.is_regular();
  RunPart run;
  if (!reading.scattered) run = read_in_parts(qrels, file, reading, details);
  bool is_whole = !reading.scattered && !run.totals.came_again && put_in_qrels_order(run.facts);
  if (!is_whole) {
    reading.scattered = true;
    run = file.is_regular() ? read_part(qrels, *file.reopened(), reading)
                            : read_part(qrels, file, reading);
    put_in_qrels_order(run.facts);
  }
  file.check_unchanged();
  run.totals.bad_lines.throw_if_any(file.name());
  if (run.totals.hits == 0) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: no rankings; {} lines", file.name(), kExpectedRunLine));
  }
  RunFacts facts = std::move(run.facts);
  facts.tag = std::move(run.totals.tag);
  facts.lines = run.totals.hits;
  facts.unjudged_topics = run.unjudged.size();
  constexpr std::size_t kNamed = 5;
  for (const std::string& name : run.unjudged) {
    if (facts.unjudged.size() < kNamed) facts.unjudged.emplace_back(name);
  }
  return facts;
}

RunFacts read_run_facts(const Qrels& qrels, const std::filesystem::path& path,
                        const ReadRunOptions& options) {
  ByteSource file(path);
  RunFacts facts = read_run(qrels, file, options.score, {.threads = options.threads});
  facts.path = path.string();
  return facts;
}

}  // namespace prescope

#include "runs/read_runs.h"

#include <cmath>
#include <ranges>

#include "base/errors.h"
#include "base/text_file.h"
#include "base/threads.h"
#include "citations/citation_qrels.h"
#include "runs/unmet_ids.h"

namespace prescope {

namespace {

/// Result of reading consecutive lines of a run.
struct RunPart {
  RunFacts facts;  ///< topics in the order of the lines
  std::set<std::string, std::less<>> unjudged;
  RunTotals totals;
  /// False if the parts of the file begin with other tags or numbers of columns, so that only a
  /// reading from its beginning tells which lines differ from the first.
  bool begins_alike = true;
};

RunPart read_part(const Qrels& qrels, ByteSource& bytes, TopicReading reading) {
  RunPart part;
  TopicFacts facts(qrels);
  reading.is_wanted = [&](std::string_view topic) {
    if (qrels.find(topic)) return true;
    part.unjudged.emplace(topic);
    return false;
  };
  reading.take = [&](std::string_view topic, const TopicLines& lines) {
    facts.add(*qrels.find(topic), lines, part.facts);
  };
  part.totals = read_topics(bytes, reading);
  return part;
}

/// Adds what is compared with the first line.
void add_first_line(RunPart& all, const RunTotals& part) {
  RunTotals& totals = all.totals;
  totals.has_unusual_bytes = totals.has_unusual_bytes || part.has_unusual_bytes;
  if (totals.hits == 0) {
    totals.columns = part.columns;
    totals.tags = part.tags;
    totals.tags.first_other += totals.lines;
    return;
  }
  if (totals.columns != part.columns || totals.tags.first != part.tags.first) {
    all.begins_alike = false;
  }
  if (part.tags.other_lines == 0) return;
  if (totals.tags.other_lines == 0) {
    totals.tags.other = part.tags.other;
    totals.tags.first_other = totals.lines + part.tags.first_other;
  }
  totals.tags.other_lines += part.tags.other_lines;
}

void append(RunPart& all, RunPart part) {
  const auto shift = static_cast<std::uint32_t>(all.facts.retrieved.size());
  for (RunFacts::Topic topic : part.facts.topics) {
    topic.first_retrieved += shift;
    all.facts.topics.push_back(topic);
  }
  std::ranges::copy(part.facts.retrieved, std::back_inserter(all.facts.retrieved));
  std::ranges::move(part.facts.repeats, std::back_inserter(all.facts.repeats));
  all.unjudged.merge(part.unjudged);
  RunTotals& totals = all.totals;
  if (part.totals.hits != 0) add_first_line(all, part.totals);
  if (part.totals.hits != 0) totals.tag = std::move(part.totals.tag);
  totals.hits += part.totals.hits;
  totals.bad_lines.append(part.totals.bad_lines, totals.lines);
  totals.lines += part.totals.lines;
  totals.came_again = totals.came_again || part.totals.came_again;
}

/// The first line behind `offset` that begins another topic.
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
std::vector<std::uint64_t> part_borders(const ByteSource& file, const ReadRunOptions& options) {
  constexpr std::uint64_t kPartsOfAThread = 8;
  const std::uint64_t parts =
      std::min(kPartsOfAThread * options.threads, file.size() / options.smallest_part);
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
                      const ReadRunOptions& options) {
  if (options.threads < 2 || !file.has_random_access()) return read_part(qrels, file, reading);
  const std::vector<std::uint64_t> borders = part_borders(file, options);
  std::vector<RunPart> parts(borders.size() - 1);
  in_parallel(parts.size(), options.threads, [&](std::size_t i) {
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

void add_unjudged(RunFacts& facts, const std::set<std::string, std::less<>>& names) {
  constexpr std::size_t kNamed = 5;
  facts.unjudged_topics = names.size();
  for (const std::string& name : names | std::views::take(kNamed)) {
    facts.unjudged.emplace_back(name);
  }
}

std::string short_name(const std::string& path) {
  constexpr std::array<std::string_view, 6> kEndings = {".gz",   ".run", ".res",
                                                        ".trec", ".txt", ".prel"};
  if (path == "-") return "stdin";
  std::filesystem::path name = std::filesystem::path(path).filename();
  while (std::ranges::find(kEndings, name.extension().string()) != kEndings.end()) {
    name = name.stem();
  }
  return name.empty() ? path : name.string();
}

}  // namespace

RunFacts read_run(const Qrels& qrels, ByteSource& file, const ReadRunOptions& options) {
  TopicReading reading{.precision = options.score};
  // A source that cannot be read again is kept in memory at once.
  reading.scattered = !options.expects_topics_together || !file.is_regular();
  RunPart run = reading.scattered ? read_part(qrels, file, reading)
                                  : read_in_parts(qrels, file, reading, options);
  if (run.totals.came_again || !run.begins_alike || !put_in_qrels_order(run.facts)) {
    reading.scattered = true;
    run = read_part(qrels, *file.reopened(), reading);
    put_in_qrels_order(run.facts);
  }
  check_run(file, run.totals);
  RunFacts facts = std::move(run.facts);
  facts.tag = std::move(run.totals.tag);
  facts.tags = std::move(run.totals.tags);
  facts.has_unusual_bytes = run.totals.has_unusual_bytes;
  facts.lines = run.totals.hits;
  add_unjudged(facts, run.unjudged);
  return facts;
}

void refuse_without_topics(const Qrels& qrels, std::string_view run) {
  if (qrels.finds_topics()) {
    throw usage_error(
        "{}: the judgements find their topics as they come, which is for live experiments; load "
        "them for the topics of the run",
        run);
  }
  if (qrels.topics().empty()) throw bad_input_error("{}: the qrels have no topic", run);
}

RunBuilder::RunBuilder(const Qrels& qrels, std::string name, Lines order)
    : qrels_(qrels), topic_facts_(qrels), topics_(reading_) {
  refuse_without_topics(qrels, name);
  facts_.path = std::move(name);
  reading_.scattered = order == Lines::kScattered;
  reading_.is_wanted = [this](std::string_view topic) {
    const bool is_judged = qrels_.find(topic).has_value();
    if (!is_judged) unjudged_.emplace(topic);
    return is_judged;
  };
  reading_.take = [this](std::string_view topic, const TopicLines& lines) {
    topic_facts_.add(*qrels_.find(topic), lines, facts_);
  };
}

void RunBuilder::check_name(std::string_view name, std::string_view column) {
  bool has_blank = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    has_blank = has_blank || c == ' ' || (c >= '\t' && c <= '\r');
    facts_.has_unusual_bytes = facts_.has_unusual_bytes || byte >= 0x80 || c == '"' || c == '\'';
  }
  if (!name.empty() && !has_blank) return;
  const std::string of_topic = column == "docno" ? fmt::format(", topic '{}'", topic_) : "";
  const std::string place = fmt::format("{}: line {}{}", facts_.path, facts_.lines + 1, of_topic);
  if (name.empty()) throw bad_input_error("{}: the {} is empty", place, column);
  throw bad_input_error("{}: the {} '{}' has white space in it, which separates columns; rename it",
                        place, column, name);
}

void RunBuilder::begin_topic(std::string_view topic) {
  check_name(topic, "topic");
  if (topic.front() == '#') {
    throw bad_input_error("{}: line {}: the topic '{}' begins with '#', as a comment does",
                          facts_.path, facts_.lines + 1, topic);
  }
  topic_ = topic;
  kept_->begin_topic(topic);
  own_ = topics_.lines_of(without_mark(topic));
}

bool RunBuilder::add(std::string_view topic, std::string_view docno, double score) {
  if (topic.empty() || topic != topic_) begin_topic(topic);
  if (topics_.came_again()) return false;
  check_name(docno, "docno");
  if (std::isnan(score)) {
    throw bad_input_error(
        "{}: line {}: the score of docno '{}' for topic '{}' is NaN; expected a number",
        facts_.path, facts_.lines + 1, docno, topic);
  }
  ++facts_.lines;
  kept_->add(docno);
  if (own_ != nullptr) own_->add_exactly(docno, score);
  return true;
}

RunFacts RunBuilder::finish() {
  if (facts_.lines == 0) throw bad_input_error("{}: no rankings", facts_.path);
  topics_.finish();
  put_in_qrels_order(facts_);
  facts_.tag = facts_.tags.first = "columns";
  facts_.kept = std::move(kept_);
  add_unjudged(facts_, unjudged_);
  check_common_topics(qrels_, "the judgements", facts_);
  return std::move(facts_);
}

RunFacts read_run_facts(const Qrels& qrels, const std::filesystem::path& path,
                        const ReadRunOptions& options) {
  ByteSource file(path);
  RunFacts facts = read_run(qrels, file, options);
  facts.path = path.string();
  return facts;
}

std::vector<RunFacts> read_runs(const Qrels& qrels, std::span<const std::string> paths,
                                const ReadRunOptions& options) {
  ReadRunOptions each = options;
  if (std::min<std::size_t>(options.threads, paths.size()) > 1) each.threads = 1;
  std::vector<RunFacts> runs(paths.size());
  in_parallel(paths.size(), options.threads,
              [&](std::size_t i) { runs[i] = read_run_facts(qrels, paths[i], each); });
  return runs;
}

void check_common_topics(const Qrels& qrels, const std::string& qrels_name, const RunFacts& run) {
  if (!run.topics.empty()) return;
  if (const auto unmet = find_unmet_ids(qrels, run)) {
    throw bad_input_error("{}: no topic in common with {}: {}", run.path, qrels_name,
                          unmet_ids_words(*unmet));
  }
  throw bad_input_error(
      "{}: no topic in common with {}: it has '{}', the qrels have '{}'; expected the same topic "
      "ids in both",
      run.path, qrels_name, run.unjudged.empty() ? "" : run.unjudged.front().text(),
      qrels.topics().front().id().text());
}

JudgedRuns load_runs(const std::string& qrels, const QrelsOptions& qrels_options,
                     std::span<const std::string> paths, const ReadRunOptions& options) {
  Qrels judgements = load_judgements(qrels, qrels_options, [&] { return topics_of_runs(paths); });
  std::vector<RunFacts> facts = read_runs(judgements, paths, options);
  for (const RunFacts& run : facts) check_common_topics(judgements, qrels, run);
  return {.qrels = std::move(judgements), .facts = std::move(facts)};
}

std::vector<std::string> run_names(std::span<const std::string> paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(short_name(path));
  std::vector<std::string> unique = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) unique[i] = paths[i];
  }
  return unique;
}

}  // namespace prescope

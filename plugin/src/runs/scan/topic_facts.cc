#include "runs/scan/topic_facts.h"

#include <numeric>

#include "base/hash.h"

namespace prescope {

namespace {

/// Returns a hash of the key that takes a multiplication for every eight bytes: enough for a table
/// that lives as long as a topic.
std::uint64_t quick_hash(std::string_view key) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (key.size() < kWord) return key_hash(key);
  std::uint64_t hash = word_at(key.data() + key.size() - kWord);
  do {
    // Half a byte apart, so that the digits of two words do not meet.
    hash = (std::rotl(hash, 4) ^ word_at(key.data())) * 0x9E3779B97F4A7C15U;
    key.remove_prefix(kWord);
  } while (key.size() > kWord);
  return hash;
}

struct Tie {
  std::uint32_t above = 0;   ///< lines of a higher score
  std::uint32_t tied = 0;    ///< lines of this score
  std::uint32_t before = 0;  ///< of these, lines that trec_eval puts first
};

/// Looks at all lines, or at those of this score only if the scores fall.
Tie tie_of(const TopicLines& lines, std::uint32_t line, bool falls) noexcept {
  const double score = lines.score(line);
  std::uint32_t i = falls ? line : 0;
  while (i > 0 && lines.score(i - 1) == score) --i;
  Tie tie{.above = i};
  for (; i < lines.size() && !(falls && lines.score(i) < score); ++i) {
    tie.above += lines.score(i) > score ? 1 : 0;
    if (lines.score(i) != score) continue;
    ++tie.tied;
    tie.before += lines.docno(i) > lines.docno(line) ? 1 : 0;
  }
  return tie;
}

Retrieved placed(JudgementIndex judgement, std::uint32_t line, const Tie& tie) noexcept {
  return {.judgement = judgement,
          .trec_rank = tie.above + tie.before + 1,
          .file_rank = line + 1,
          .first_tied = tie.above + 1,
          .last_tied = tie.above + tie.tied};
}

/// The order of the scores and docnos in the file.
struct FileOrder {
  bool falls = true;  ///< no score is above the one before it
  ScoreOrder scores = ScoreOrder::kOther;
  bool is_trec_order = true;    ///< and of the same scores the docnos fall too
  std::uint32_t looked_at = 1;  ///< most lines that tie_of() looks at
};

/// Returns whether no score from `line` on is below the one before it.
bool rises_from(const TopicLines& lines, std::uint32_t line) noexcept {
  while (line < lines.size() && lines.score(line - 1) <= lines.score(line)) ++line;
  return line == lines.size();
}

FileOrder file_order_of(const TopicLines& lines) noexcept {
  FileOrder order;
  std::uint32_t first_tied = 0;
  for (std::uint32_t i = 1; i < lines.size(); ++i) {
    const double before = lines.score(i - 1), score = lines.score(i);
    if (score < before) {
      first_tied = i;
      continue;
    }
    if (score > before) {
      const bool rises = first_tied == 0 && rises_from(lines, i);
      return {.falls = false,
              .scores = rises ? ScoreOrder::kRising : ScoreOrder::kOther,
              .is_trec_order = false,
              .looked_at = lines.size()};
    }
    order.looked_at = std::max(order.looked_at, i + 1 - first_tied);
    if (order.is_trec_order) order.is_trec_order = lines.docno(i - 1) >= lines.docno(i);
  }
  if (first_tied == 0 && lines.size() > 1) order.scores = ScoreOrder::kTied;
  return order;
}

}  // namespace

/// Makes room for the documents of a topic, and forgets those of the topic before.
void TopicFacts::begin(std::uint32_t documents) {
  constexpr std::size_t kSlots = 16;  // for each document, so that most find an empty one at once
  first_ += judged_and_lines_;
  judged_and_lines_ = documents;
  if (slots_.size() >= kSlots * documents && first_ <= UINT32_MAX - documents) return;
  slots_.assign(std::bit_ceil(kSlots * documents + 2), 0);
  first_ = 1;
}

/// Finds the lines of judged documents and of repeated ones. Returns whether any is repeated.
bool TopicFacts::find_documents(std::span<const Judgement> judgements, const TopicLines& lines) {
  judged_ = static_cast<std::uint32_t>(judgements.size());
  begin(judged_ + lines.size());
  const int shift = 64 - std::countr_zero(slots_.size());
  for (std::uint32_t i = 0; i < judged_; ++i) {
    std::size_t slot = quick_hash(judgements[i].key) >> shift;
    while (slots_[slot] >= first_) slot = (slot + 1) % slots_.size();
    slots_[slot] = first_ + i;
  }
  known_.clear();
  DocnoBuffer buffer;
  const std::uint32_t size = lines.size(), first = first_, first_line = first_ + judged_;
  for (std::uint32_t i = 0; i < size; ++i) {
    std::uint32_t* const slot = &slots_[quick_hash(key_of(lines, i, buffer)) >> shift];
    if (*slot < first) {
      *slot = first_line + i;
    } else {
      add_if_known(judgements, lines, i, static_cast<std::size_t>(slot - slots_.data()));
    }
  }
  std::vector<bool> found(judged_);
  bool repeats = false;
  for (const auto& [line, document] : known_) {
    repeats = repeats || document >= judged_ || found[document];
    if (document < judged_) found[document] = true;
  }
  return repeats;
}

/// Looks for the line's document from `slot` on, and puts it into an empty slot if it is new.
void TopicFacts::add_if_known(std::span<const Judgement> judgements, const TopicLines& lines,
                              std::uint32_t line, std::size_t slot) {
  DocnoBuffer buffer, other_buffer;
  const std::string_view key = key_of(lines, line, buffer);
  for (; slots_[slot] >= first_; slot = (slot + 1) % slots_.size()) {
    const std::uint32_t document = slots_[slot] - first_;
    const bool matches =
        key == (document < judged_ ? std::string_view(judgements[document].key)
                                   : key_of(lines, document - judged_, other_buffer));
    if (matches) return known_.push_back({line, document});
  }
  slots_[slot] = first_ + judged_ + line;
}

void TopicFacts::add_retrieved(const TopicLines& lines, bool falls, RunFacts& facts) const {
  for (const auto& [line, judgement] : known_) {
    facts.retrieved.push_back(placed(JudgementIndex(judgement), line, tie_of(lines, line, falls)));
  }
}

void TopicFacts::add_sorted(const TopicLines& lines, RunFacts::Topic& topic,
                            RunFacts& facts) const {
  constexpr std::size_t kUnseen = SIZE_MAX;
  std::vector<std::size_t> places(judged_ + lines.size(), kUnseen);  // by document, in retrieved
  std::vector<std::uint32_t> documents(lines.size());                // by line
  std::iota(documents.begin(), documents.end(), judged_);
  for (const auto& [line, document] : known_) documents[line] = document;
  const std::vector<std::uint32_t> order = lines.ranked(RunOrder::kTrec);
  std::uint32_t first = 0, end = 0;  // of the lines that tie
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t line = order[i], document = documents[line];
    if (i == end) {
      first = i;
      while (end < order.size() && lines.score(order[end]) == lines.score(line)) ++end;
    }
    std::size_t& place = places[document];
    if (place == kUnseen) {
      place = facts.retrieved.size();
      if (document >= judged_) continue;
      const Tie tie{.above = first, .tied = end - first, .before = i - first};
      facts.retrieved.push_back(placed(JudgementIndex(document), line, tie));
      continue;
    }
    if (topic.duplicates++ == 0) {
      facts.repeats.push_back({topic.topic, Docno(lines.docno(line)), i + 1});
    }
    if (document >= judged_) continue;
    Rank& file_rank = facts.retrieved[place].file_rank;
    file_rank = std::min(file_rank, line + 1);
  }
  if (qrels_.collapses()) collapse(documents, order, topic, facts);
}

/// Moves ranks up by the number of repeated documents before them.
void TopicFacts::collapse(std::span<const std::uint32_t> documents,
                          std::span<const std::uint32_t> order, RunFacts::Topic& topic,
                          RunFacts& facts) const {
  // The number of documents that the first lines have, by number of lines.
  const auto documents_before = [&](const auto& line_at) {
    std::vector<bool> is_seen(judged_ + documents.size());
    std::vector<std::uint32_t> counts(documents.size() + 1);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::uint32_t document = documents[line_at(i)];
      counts[i + 1] = counts[i] + (is_seen[document] ? 0 : 1);
      is_seen[document] = true;
    }
    return counts;
  };
  const auto by_score = documents_before([&](std::size_t i) { return order[i]; });
  const auto by_line = documents_before([](std::size_t i) { return i; });
  for (Retrieved& one : std::span(facts.retrieved).subspan(topic.first_retrieved)) {
    one.trec_rank = by_score[one.trec_rank];
    one.file_rank = by_line[one.file_rank];
    one.first_tied = std::min(by_score[one.first_tied - 1] + 1, one.trec_rank);
    one.last_tied = std::max(by_score[one.last_tied], one.trec_rank);
  }
  topic.num_ret = by_score.back();
}

void TopicFacts::add(TopicIndex index, const TopicLines& lines, RunFacts& facts) {
  const FileOrder order = file_order_of(lines);
  RunFacts::Topic topic{.topic = index,
                        .num_ret = lines.size(),
                        .orders_differ = !order.is_trec_order,
                        .scores = order.scores,
                        .first_retrieved = static_cast<std::uint32_t>(facts.retrieved.size())};
  // Sorting costs about as much for each line as counting a rank does for a hundred lines.
  constexpr std::uint64_t kLookedAtPerSorted = 128;
  const bool repeats = find_documents(qrels_.topic(index).judgements(), lines);
  if (repeats || known_.size() * order.looked_at > kLookedAtPerSorted * lines.size()) {
    add_sorted(lines, topic, facts);
  } else {
    add_retrieved(lines, order.falls, facts);
  }
  topic.num_retrieved = static_cast<std::uint32_t>(facts.retrieved.size()) - topic.first_retrieved;
  std::ranges::sort(std::span(facts.retrieved).subspan(topic.first_retrieved), {},
                    &Retrieved::trec_rank);
  facts.topics.push_back(topic);
}

}  // namespace prescope

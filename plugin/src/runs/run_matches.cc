#include "runs/run_matches.h"

#include <map>
#include <unordered_map>

#include "base/hash.h"
#include "base/text_file.h"
#include "judgements/patent_number.h"
#include "runs/run_source.h"
#include "runs/scan/run_lines.h"

namespace prescope {

namespace {

/// Lines of judged topics that are looked at for documents in another form. A run whose series are
/// all found alike gives less reason to look. All lines are read once a document was met.
constexpr std::uint64_t kLinesOfAnyRun = 2'000, kLinesOfOddRun = 50'000;

/// Judged docnos of a topic by what they have in common with a docno in another form.
using ByForm =
    std::unordered_map<std::string, std::vector<std::string_view>, TextHash, std::equal_to<>>;

/// How a judged document that was not retrieved stands in the run.
struct Met {
  OtherForm form = OtherForm::kNone;
  std::string other{};
};
using MetByDocno = std::unordered_map<std::string_view, Met>;

OtherForm form_under_policies(std::string_view docno, std::string_view other) {
  DocnoBuffer buffer, other_buffer;
  const bool is_same = patent_key(docno, DocnoPolicy::kPublication, buffer) ==
                       patent_key(other, DocnoPolicy::kPublication, other_buffer);
  return is_same ? OtherForm::kPublication : OtherForm::kPatent;
}

/// Looks for judged documents that the run did not retrieve in each line.
class OtherForms {
 public:
  OtherForms(const Qrels& qrels, const RunFacts& facts) : qrels_(&qrels), facts_(&facts) {}

  void add(TopicIndex topic, std::string_view docno) {
    if (last_ == nullptr || last_topic_ != topic) {
      const auto [at, is_new] = topics_.try_emplace(topic.value());
      if (is_new) at->second = unfound(topic);
      last_ = &at->second;
      last_topic_ = topic;
    }
    DocnoBuffer buffer;
    if (!last_->by_patent.empty()) {
      const auto found = last_->by_patent.find(patent_key(docno, DocnoPolicy::kPatent, buffer));
      if (found != last_->by_patent.end()) return meet(last_->by_patent, found, docno);
    }
    // The country of one of the two may be missing.
    const bool has_digits_only = !docno.empty() && is_digit(docno.front());
    if (has_digits_only) add_digits(*last_);
    ByForm& by_digits = has_digits_only ? last_->by_digits : last_->without_country;
    if (by_digits.empty()) return;
    const auto found = by_digits.find(digits_of(docno));
    if (found != by_digits.end()) meet(by_digits, found, docno, OtherForm::kDigits);
  }
  [[nodiscard]] const MetByDocno& met() const noexcept { return met_; }

 private:
  struct Topic {
    ByForm by_patent, without_country;
    ByForm by_digits;                       // once a line has a docno without a country
    std::vector<std::string_view> unfound;  // not yet in by_digits
  };

  [[nodiscard]] Topic unfound(TopicIndex topic) const {
    const std::span<const Judgement> judgements = qrels_->topic(topic).judgements();
    const RunFacts::Topic* const in_run = facts_->find(topic);
    std::vector<bool> is_found(judgements.size());
    if (in_run != nullptr) {
      for (const Retrieved& one : facts_->of(*in_run)) is_found[one.judgement.value()] = true;
    }
    Topic forms;
    for (std::size_t i = 0; i < judgements.size(); ++i) {
      if (!is_found[i]) add_forms(judgements[i].docno.text(), forms);
    }
    // Two publications of a patent that are both judged are no forms of one docno.
    for (std::size_t i = 0; i < judgements.size(); ++i) {
      DocnoBuffer buffer;
      if (!is_found[i] || forms.by_patent.empty()) continue;
      const auto same = forms.by_patent.find(
          patent_key(judgements[i].docno.text(), DocnoPolicy::kPatent, buffer));
      if (same != forms.by_patent.end()) forms.by_patent.erase(same);
    }
    return forms;
  }
  void add_forms(std::string_view docno, Topic& forms) const {
    DocnoBuffer buffer;
    if (qrels_->docnos().policy() < DocnoPolicy::kPatent) {
      forms.by_patent[std::string(patent_key(docno, DocnoPolicy::kPatent, buffer))].push_back(
          docno);
    }
    forms.unfound.push_back(docno);
    if (!has_country(docno)) add_digits(docno, forms.without_country);
  }
  static void add_digits(std::string_view docno, ByForm& by_digits) {
    const std::string digits = digits_of(docno);
    if (!digits.empty()) by_digits[digits].push_back(docno);
  }
  static void add_digits(Topic& topic) {
    for (const std::string_view docno : topic.unfound) add_digits(docno, topic.by_digits);
    topic.unfound.clear();
  }
  /// The documents have been met. Later lines need not meet one again, unless in a nearer form: A1
  /// and B1 of a patent may both be there in another spelling.
  void meet(ByForm& forms, ByForm::iterator found, std::string_view other,
            std::optional<OtherForm> form = {}) {
    std::erase_if(found->second, [&](std::string_view docno) {
      if (docno == other) return true;  // it was judged and retrieved: no form of itself
      const OtherForm met_in = form ? *form : form_under_policies(docno, other);
      const auto [at, is_new] = met_.try_emplace(docno, Met{met_in, std::string(other)});
      if (!is_new && met_in < at->second.form) at->second = {met_in, std::string(other)};
      return met_in != OtherForm::kPatent;
    });
    if (found->second.empty()) forms.erase(found);
  }

  const Qrels* qrels_;
  const RunFacts* facts_;
  std::unordered_map<std::uint32_t, Topic> topics_;
  TopicIndex last_topic_{};
  Topic* last_ = nullptr;
  MetByDocno met_;
};

/// Reads the run until so many lines of judged topics have nothing in another form.
OtherForms other_forms(const Qrels& qrels, const RunFacts& facts, ByteSource& file,
                       std::uint64_t most_lines) {
  OtherForms forms(qrels, facts);
  RunLines lines(file);
  std::string topic_name;
  std::optional<TopicIndex> topic;
  std::uint64_t looked_at = 0;
  for (RunLine line; lines.next(line);) {
    if (line.topic != topic_name) {
      topic_name = line.topic;
      topic = qrels.find(line.topic);
    }
    if (!topic) continue;
    if (++looked_at > most_lines && forms.met().empty()) break;
    forms.add(*topic, line.docno);
  }
  return forms;
}

/// Calls `use` with each judgement of the run's topics, and whether the run retrieved it.
template <class Use>
void for_each_judged(const Qrels& qrels, const RunFacts& facts, Use&& use) {
  std::vector<bool> is_found;
  for (const RunFacts::Topic& topic : facts.topics) {
    const std::span<const Judgement> judgements = qrels.topic(topic.topic).judgements();
    is_found.assign(judgements.size(), false);
    for (const Retrieved& one : facts.of(topic)) is_found[one.judgement.value()] = true;
    for (std::size_t i = 0; i < judgements.size(); ++i) {
      use(std::string_view(judgements[i].docno.text()), is_found[i]);
    }
  }
}

/// Returns whether some series is found less than half as often as the others, or never.
bool has_odd_series(const Qrels& qrels, const RunFacts& facts) {
  constexpr std::uint64_t kFewestOfSeries = 10;
  struct Tally {
    std::uint64_t judged = 0, found = 0;
  };
  std::map<SeriesId, Tally> series;
  Tally all;
  for_each_judged(qrels, facts, [&](std::string_view docno, bool is_found) {
    Tally& counts = series[series_id(docno)];
    ++counts.judged;
    ++all.judged;
    counts.found += is_found ? 1 : 0;
    all.found += is_found ? 1 : 0;
  });
  return std::ranges::any_of(series, [&](const auto& one) {
    const auto [judged, found] = one.second;
    const std::uint64_t others = all.judged - judged, others_found = all.found - found;
    if (judged < kFewestOfSeries) return false;
    return found == 0 || 2 * found * others < others_found * judged;
  });
}

/// Returns each judged document of the run's topics once.
std::vector<JudgedMatch> judged_matches(const Qrels& qrels, const RunFacts& facts,
                                        const MetByDocno& met) {
  std::unordered_map<std::string_view, JudgedMatch> documents;
  for_each_judged(qrels, facts, [&](std::string_view docno, bool is_found) {
    JudgedMatch& one = documents.try_emplace(docno, JudgedMatch{.docno = docno}).first->second;
    one.is_found = one.is_found || is_found;
  });
  std::vector<JudgedMatch> judged;
  for (auto& [docno, one] : documents) {
    const auto other = met.find(docno);
    if (other != met.end()) {
      one.form = other->second.form;
      one.other = other->second.other;
    }
    judged.push_back(one);
  }
  std::ranges::sort(judged, {}, &JudgedMatch::docno);
  return judged;
}

}  // namespace

std::vector<std::string> run_match_report(const Qrels& qrels, const RunFacts& facts) {
  const bool is_odd = has_odd_series(qrels, facts);
  MetByDocno met;
  if (const auto file = reopened(facts)) {
    met = other_forms(qrels, facts, *file, is_odd ? kLinesOfOddRun : kLinesOfAnyRun).met();
  }
  if (!is_odd && met.empty()) return {};
  return match_report(series_matches(judged_matches(qrels, facts, met)), MatchPlace::kRun);
}

}  // namespace prescope

#include "prescope/qrels.h"

#include <bit>
#include <memory_resource>
#include <set>
#include <tuple>

#include "base/errors.h"
#include "base/hash.h"
#include "judgements/found_topics.h"
#include "judgements/judgement_line.h"

namespace prescope {

namespace {

/// Returns null if the options name no families.
std::shared_ptr<const FamilyMap> families_of(const QrelsOptions& options) {
  if (options.families != nullptr || options.family_map.empty()) return options.families;
  return std::make_shared<const FamilyMap>(FamilyMap::load(options.family_map));
}

DocnoNormalizer normalizer_of(const QrelsOptions& options, const FamilyMap* families) {
  const DocnoPolicy policy = options.docno;
  if (policy != DocnoPolicy::kFamily) return DocnoNormalizer(policy);
  if (options.family_source != nullptr) {
    const bool has_map = families != nullptr && !families->empty();
    return (has_map ? DocnoNormalizer(policy, *families)
                    : DocnoNormalizer::with_families_of_topics())
        .with(options.family_source);
  }
  if (families == nullptr) {
    throw usage_error(
        "docno policy 'family' needs a family map (the program: --family-map): a file of lines "
        "\"docno family\"");
  }
  return DocnoNormalizer(policy, *families);
}

void check_collapses(const QrelsOptions& options) {
  if (!options.collapses || options.docno != DocnoPolicy::kRaw) return;
  throw usage_error(
      "collapsed rankings need a docno policy under which several docnos are one document: "
      "family (by a family map, or of a citation store), patent or publication");
}

}  // namespace

DocnoNormalizer make_normalizer(const QrelsOptions& options) {
  return normalizer_of(options, families_of(options).get());
}

CitationCategories::CitationCategories() {
  for (const char letter : {'X', 'E', 'I'}) grades_[letter] = 3;
  grades_['Y'] = 2;
  for (const char letter : {'A', 'D', 'L', 'O', 'P', 'T', '&'}) grades_[letter] = 1;
}

namespace {

bool is_category(char letter) noexcept { return (letter >= 'A' && letter <= 'Z') || letter == '&'; }

}  // namespace

void CitationCategories::set(std::string_view letter, Grade grade) {
  if (letter.size() != 1 || !is_category(letter[0])) {
    throw usage_error("citation category '{}'; expected one letter A-Z, or &", letter);
  }
  grades_[letter[0]] = grade;
  given_[std::string(letter)] = grade;
}

std::optional<CitationCategories::Graded> CitationCategories::grade(
    std::string_view token) const noexcept {
  constexpr std::size_t kMostLetters = 3;  // a word is not a list of categories
  constexpr Grade kCited = 1;
  std::optional<Graded> highest;
  std::size_t letters = 0;
  bool is_unknown = false;  // the letter before
  for (const char character : token) {
    if (std::string_view(",;/|+()[]").find(character) != std::string_view::npos) {
      letters = 0;
      is_unknown = false;
      continue;
    }
    const char letter = ascii_upper(character);
    const auto found = grades_.find(letter);
    const bool is_known = found != grades_.end();
    // An unknown letter among others is rather a word, or a language.
    if (!is_category(letter) || ++letters > kMostLetters || is_unknown) return std::nullopt;
    if (!is_known && letters > 1) return std::nullopt;
    is_unknown = !is_known;
    const Grade grade = is_known ? found->second : kCited;
    if (!highest) highest = Graded{.grade = grade};
    highest->grade = std::max(highest->grade, grade);
    highest->has_unknown = highest->has_unknown || !is_known;
  }
  return highest;
}

TopicQrels::TopicQrels(TopicId id, std::vector<Judgement> judgements, Grade min_grade,
                       std::vector<Alias> aliases) {
  const auto relevant = [min_grade](const Judgement& j) { return j.grade >= min_grade; };
  if (!std::ranges::is_sorted(judgements, {}, &Judgement::key)) {
    std::ranges::sort(judgements, {}, &Judgement::key);
  }
  const auto num_rel = static_cast<std::uint32_t>(std::ranges::count_if(judgements, relevant));
  std::ranges::sort(aliases, {}, &Alias::key);
  data_ = std::make_shared<const Data>(
      Data{std::move(id), std::move(judgements), std::move(aliases), min_grade, num_rel});
}

std::optional<JudgementIndex> TopicQrels::find(std::string_view key) const noexcept {
  const auto alias = std::ranges::lower_bound(data_->aliases, key, {}, &Alias::key);
  if (alias != data_->aliases.end() && alias->key == key) return alias->judgement;
  const std::vector<Judgement>& all = data_->judgements;
  const auto at = std::ranges::lower_bound(all, key, {}, &Judgement::key);
  if (at == all.end() || at->key != key) return std::nullopt;
  return JudgementIndex(static_cast<std::uint32_t>(at - all.begin()));
}

/// Collects the judgements of a file or a list, and merges those of one document.
class Qrels::Builder {
 public:
  /// `path` names the source of the lines in errors; empty if they are in memory.
  Builder(const QrelsOptions& options, std::string path)
      : options_(options),
        families_(families_of(options)),
        docnos_(normalizer_of(options, families_.get())),
        path_(std::move(path)) {
    check_collapses(options);
  }

  /// Topics may come in any order. `number` is the line's.
  void add(std::string_view topic, std::string_view docno, const ParsedGrade& grade,
           std::uint64_t number, std::string_view about = {}) {
    if (grade.has_unknown && unknown_category_.lines++ == 0) {
      unknown_category_.example = grade.text;
      unknown_category_.first_line = number;
    }
    if (last_ == nullptr || last_->first != topic) {
      last_ = &*topics_.try_emplace(std::string(topic)).first;
    }
    DocnoBuffer buffer;
    const std::string_view own = copy(docno), key = docnos_.key(own, buffer);
    last_->second.push_back({own, key.data() == own.data() ? key : copy(key), copy(about),
                             grade.value, number, grade.is_category});
  }
  [[nodiscard]] bool empty() const noexcept { return topics_.empty(); }

  /// Throws Error(kBadInput) if one spelling has two grades.
  [[nodiscard]] Qrels build() {
    Qrels qrels;
    qrels.docnos_ = std::move(docnos_);
    qrels.min_grade_ = options_.min_grade;
    qrels.rule_ = options_.rule;
    qrels.collapses_ = options_.collapses;
    std::vector<TopicQrels> topics;
    topics.reserve(topics_.size());
    for (auto& [topic, lines] : topics_) {
      topics.emplace_back(TopicId(topic), folded(topic, std::move(lines)), options_.min_grade);
    }
    qrels.set_topics(std::move(topics));
    if (families_ != nullptr) qrels.families_ = families_of_topics(qrels.topics_);
    qrels.totals_.repeated = repeated_;
    qrels.totals_.merged = merged_;
    qrels.unknown_category_ = unknown_category_;
    qrels.first_repeat_ = std::move(first_repeat_);
    qrels.num_slots_ = std::bit_ceil(2 * qrels.topics_.size() + 1);
    const auto slots = std::make_shared<Slot[]>(qrels.num_slots_);
    for (std::uint32_t i = 0; i < qrels.topics_.size(); ++i) {
      const TopicId& id = qrels.topics_[i].id();
      std::size_t slot = key_hash(id.text());
      while (slots[slot & (qrels.num_slots_ - 1)].topic != kUnjudgedTopic) ++slot;
      slots[slot & (qrels.num_slots_ - 1)] = {id, TopicIndex(i)};
    }
    qrels.slots_ = slots;
    return qrels;
  }

 private:
  [[nodiscard]] std::shared_ptr<const Families> families_of_topics(
      const SharedList<TopicQrels>& topics) const {
    const DocnoNormalizer patents(DocnoPolicy::kPatent);
    std::unordered_map<std::string_view, FamilyIndex> numbers;
    Families families;
    families.without = families_->without_family();
    for (const TopicQrels& topic : topics) {
      DocnoBuffer buffer;
      const std::string_view family = families_->find(patents.key(topic.id().text(), buffer));
      FamilyIndex number(static_cast<std::uint32_t>(families.count));
      if (!family.empty()) number = numbers.try_emplace(family, number).first->second;
      if (number.value() == families.count) ++families.count;
      families.of_topic.push_back(number);
    }
    return std::make_shared<const Families>(std::move(families));
  }

  struct JudgedLine {
    std::string_view docno, key, about;  // in texts_
    Grade grade = 0;
    std::uint64_t number = 0;
    bool is_category = false;
  };
  using JudgedLines = std::vector<JudgedLine>;

  [[nodiscard]] std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* const to = static_cast<char*>(texts_.allocate(text.size() + 1, 1));
    return {to, text.copy(to, text.size())};
  }

  [[nodiscard]] std::vector<Judgement> folded(std::string_view topic, JudgedLines lines) {
    std::ranges::sort(lines, {}, [](const JudgedLine& line) {
      return std::tie(line.key, line.docno, line.number);
    });
    std::vector<Judgement> judgements;
    judgements.reserve(lines.size());
    for (auto begin = lines.begin(), end = begin; begin != lines.end(); begin = end) {
      end = std::find_if(begin, lines.end(),
                         [&](const JudgedLine& line) { return line.key != begin->key; });
      judgements.push_back(folded(topic, std::span(begin, end)));
    }
    return judgements;
  }

  /// Returns the earliest spelling of a document, with its highest grade.
  [[nodiscard]] Judgement folded(std::string_view topic, std::span<const JudgedLine> same_key) {
    const JudgedLine *first = &same_key[0], *highest = first;
    for (std::size_t i = 1; i < same_key.size(); ++i) {
      const JudgedLine &earlier = same_key[i - 1], &line = same_key[i];
      const bool same_spelling = earlier.docno == line.docno;
      const bool differ = same_spelling && earlier.grade != line.grade;
      if (differ && !(earlier.is_category && line.is_category)) {
        throw bad_input_error(
            "{}: docno '{}' of topic '{}' has grade {}, but grade {} at {}; keep one of the two "
            "lines",
            place(line), line.docno, topic, line.grade, earlier.grade, place(earlier));
      }
      ++(same_spelling && !differ ? repeated_ : merged_);
      if (same_spelling && !differ && (!first_repeat_ || line.number < first_repeat_->line)) {
        first_repeat_ = {TopicId(topic), Docno(line.docno), line.number};
      }
      if (line.grade > highest->grade) highest = &line;
      if (line.number < first->number) first = &line;
    }
    return {Docno(first->docno), std::string(first->key), highest->grade,
            std::string(highest->about)};
  }

  [[nodiscard]] std::string place(const JudgedLine& line) const {
    return path_.empty() ? fmt::format("judgement {}", line.number)
                         : fmt::format("{}:{}", path_, line.number);
  }

  const QrelsOptions& options_;
  std::shared_ptr<const FamilyMap> families_;  // null without a map
  DocnoNormalizer docnos_;
  std::string path_;
  std::pmr::monotonic_buffer_resource texts_;
  std::map<std::string, JudgedLines, std::less<>> topics_;
  std::pair<const std::string, JudgedLines>* last_ = nullptr;
  std::size_t repeated_ = 0, merged_ = 0;
  UnknownCategory unknown_category_;
  std::optional<Repeat> first_repeat_;
};

Qrels Qrels::load(const std::filesystem::path& path, const QrelsOptions& options) {
  if (!options.rule.empty()) {
    throw usage_error(
        "rule '{}': has no meaning for a qrels file ({}), which has its judgements already; give a "
        "citation store, or leave it out",
        options.rule, path.string());
  }
  Builder judgements(options, path.string());
  JudgementLines lines(options.categories);
  TextFile file(path, TextFile::Bytes::kAnyButNul);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const JudgementLine judged = lines.parse(line, file);
    judgements.add(judged.topic, judged.docno, judged.grade, file.line_number());
  }
  if (!judgements.empty()) return judgements.build();
  throw bad_input_error("{}: no judgements; {} lines", path.string(), kExpectedJudgement);
}

Qrels Qrels::from_lines(std::span<const Line> lines, const QrelsOptions& options) {
  Builder judgements(options, {});
  std::uint64_t number = 0;
  for (const Line& line : lines) {
    ++number;
    if (line.topic.empty()) throw bad_input_error("line {}: the topic is empty", number);
    if (line.docno.empty()) {
      throw bad_input_error("line {}, topic '{}': the docno is empty", number, line.topic.text());
    }
    judgements.add(line.topic.text(), line.docno.text(), {.value = line.grade}, number, line.about);
  }
  return judgements.build();
}

Qrels Qrels::from_source(std::shared_ptr<JudgementSource> source, const QrelsOptions& options) {
  check_collapses(options);
  Qrels qrels;
  qrels.docnos_ = options.docno == DocnoPolicy::kFamily
                      ? DocnoNormalizer::with_families_of_topics().with(options.family_source)
                      : DocnoNormalizer(options.docno);
  qrels.min_grade_ = options.min_grade;
  qrels.rule_ = options.rule;
  qrels.collapses_ = options.collapses;
  qrels.found_ = std::make_shared<FoundTopics>(std::move(source), options);
  return qrels;
}

std::string Qrels::source_version() const {
  return found_ == nullptr ? std::string() : found_->source().version();
}

std::size_t Qrels::num_found() const noexcept { return found_->size(); }
const TopicQrels& Qrels::found_topic(TopicIndex i) const noexcept { return found_->topic(i); }

std::optional<TopicIndex> Qrels::look_up(std::string_view topic_id) const noexcept {
  return found_ == nullptr ? find(topic_id) : found_->look_up(topic_id);
}

Qrels::Lookups Qrels::lookups() const noexcept {
  return found_ == nullptr ? Lookups() : found_->lookups();
}

FamilyIndex Qrels::family(TopicIndex i) const noexcept {
  if (found_ != nullptr) return found_->family(i);
  return families_ == nullptr ? FamilyIndex(i.value()) : families_->of_topic[i.value()];
}

std::size_t Qrels::num_families() const noexcept {
  if (found_ != nullptr) return found_->num_families();
  return families_ == nullptr ? topics_.size() : families_->count;
}

std::string_view Qrels::found_family(TopicIndex i) const noexcept {
  return found_ == nullptr ? std::string_view() : found_->family_name(i);
}

Qrels::Totals Qrels::totals() const noexcept {
  return found_ == nullptr ? totals_ : found_->totals();
}

void Qrels::Totals::add(const TopicQrels& topic) noexcept {
  judgements += topic.judgements().size();
  relevant += topic.num_rel();
  with_relevant += topic.num_rel() > 0 ? 1U : 0U;
}

void Qrels::Totals::remove(const TopicQrels& topic) noexcept {
  judgements -= topic.judgements().size();
  relevant -= topic.num_rel();
  with_relevant -= topic.num_rel() > 0 ? 1U : 0U;
}

std::optional<TopicIndex> Qrels::find(std::string_view topic_id) const noexcept {
  if (found_ != nullptr) return found_->find(topic_id);
  for (std::size_t i = key_hash(topic_id);; ++i) {
    const Slot& slot = slots_[static_cast<std::ptrdiff_t>(i & (num_slots_ - 1))];
    if (slot.topic == kUnjudgedTopic) return std::nullopt;
    if (slot.id.text() == topic_id) return slot.topic;
  }
}

void Qrels::set_topics(std::vector<TopicQrels> topics) {
  for (const TopicQrels& topic : topics) totals_.add(topic);
  topics_ = SharedList(std::move(topics));
}

void Qrels::set_topic(TopicIndex i, TopicQrels topic) {
  totals_.add(topic);
  totals_.remove(topics_[i.value()]);
  topics_.set(i.value(), std::move(topic));
}

// Changes of judgements; the result is a new value.

namespace {

constexpr std::size_t kMostNamed = 10;

/// A document's new grade, or none if it is withdrawn.
struct Change {
  Docno docno;
  std::optional<Grade> grade;
};
using ChangesByKey = std::map<std::string, Change, std::less<>>;

/// Changes by topic and key, checked against the judgements that they are of.
class CheckedChanges {
 public:
  CheckedChanges(const Qrels& qrels, const JudgementChanges& changes) : qrels_(qrels) {
    for (const Qrels::Line& line : changes.judged) change(line.topic, line.docno, line.grade);
    for (const auto& [topic, docno] : changes.withdrawn) change(topic, docno, std::nullopt);
    if (num_problems_ > problems_.size()) {
      problems_.push_back(fmt::format("and {} more", num_problems_ - problems_.size()));
    }
    if (problems_.empty()) return;
    throw usage_error("changed judgements: {}; nothing was changed", fmt::join(problems_, "; "));
  }

  [[nodiscard]] const std::map<TopicIndex, ChangesByKey>& by_topic() const { return by_topic_; }

 private:
  void problem(std::string text) {
    if (num_problems_++ < kMostNamed) problems_.push_back(std::move(text));
  }

  void change(const TopicId& id, const Docno& docno, std::optional<Grade> grade) {
    const std::optional<TopicIndex> topic = qrels_.find(id.text());
    if (!topic && !unknown_.insert(id).second) return;
    if (!topic) {
      return problem(fmt::format("topic '{}' is not in the qrels; expected one of their {} topics",
                                 id.text(), qrels_.topics().size()));
    }
    std::string key = qrels_.docnos().key(docno);
    if (!grade && !qrels_.topic(*topic).find(key)) {
      return problem(fmt::format("docno '{}' of topic '{}' is withdrawn, but was not judged",
                                 docno.text(), id.text()));
    }
    const auto [at, is_first] = by_topic_[*topic].try_emplace(std::move(key), Change{docno, grade});
    const std::optional<Grade> before = at->second.grade;
    if (is_first || before == grade) return;
    problem(
        grade ? fmt::format("docno '{}' of topic '{}' is given grade {} and grade {}; keep one",
                            docno.text(), id.text(), *before, *grade)
              : fmt::format("docno '{}' of topic '{}' is judged and withdrawn; keep one of the two",
                            docno.text(), id.text()));
  }

  const Qrels& qrels_;
  std::map<TopicIndex, ChangesByKey> by_topic_;
  std::set<TopicId> unknown_;
  std::vector<std::string> problems_;
  std::size_t num_problems_ = 0;
};

/// A document keeps the spelling under which it was first judged.
std::vector<Judgement> changed(std::span<const Judgement> judgements, ChangesByKey changes) {
  std::vector<Judgement> result;
  for (const Judgement& judgement : judgements) {
    const auto change = changes.extract(judgement.key);
    if (change.empty()) {
      result.push_back(judgement);
    } else if (const auto grade = change.mapped().grade) {
      result.push_back({judgement.docno, judgement.key, *grade});
    }
  }
  for (const auto& [key, change] : changes) result.push_back({change.docno, key, *change.grade});
  return result;
}

}  // namespace

Qrels Qrels::with(const JudgementChanges& changes) const {
  if (finds_topics()) {
    throw usage_error(
        "judgements that are found as topics come cannot be changed; change their source, such as "
        "the citation store, and begin the experiment anew; nothing was changed");
  }
  const CheckedChanges checked(*this, changes);
  Qrels result = *this;
  for (const auto& [topic, by_key] : checked.by_topic()) {
    const TopicQrels& before = result.topic(topic);
    TopicQrels now(before.id(), changed(before.judgements(), by_key), min_grade_);
    result.set_topic(topic, std::move(now));
  }
  return result;
}

}  // namespace prescope

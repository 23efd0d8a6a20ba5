#include "judgements/docno.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/text_file.h"
#include "prescope/docno.h"
#include "prescope/error.h"

namespace prescope {

namespace {

constexpr std::array<std::string_view, 4> kPolicyNames = {"raw", "publication", "patent", "family"};
constexpr std::string_view kSeparators = " -./,_";
/// A family is never equal to a patent key: no patent key holds a colon.
constexpr std::string_view kFamilyPrefix = "family:";

bool is_capital(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_separator(char c) noexcept {
  return kSeparators.find(c) != std::string_view::npos;
}

/// By byte: how it stands in a compact docno, and whether it stands there at all.
struct CompactByte {
  char upper = '\0';
  bool kept = true;
};

constexpr std::array<CompactByte, 256> kCompact = [] {
  std::array<CompactByte, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    const char c = static_cast<char>(byte);
    table[byte] = {c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c, !is_separator(c)};
  }
  return table;
}();

/// Copies `docno` without separators, in upper case.
std::string_view compact(std::string_view docno, DocnoBuffer& buffer) noexcept {
  std::size_t size = 0;
  for (const char c : docno) {
    const CompactByte& byte = kCompact[static_cast<unsigned char>(c)];
    buffer[size] = byte.upper;
    size += byte.kept ? 1 : 0;
  }
  return {buffer.data(), size};
}

/// Where the number and the kind code of a compact patent number begin.
struct PatentNumber {
  std::size_t digits = 0;
  std::size_t kind = 0;  ///< the size of the text where there is no kind code
};

/// False where `text` is not COUNTRY [LETTERS] DIGITS [KIND].
bool parse(std::string_view text, PatentNumber& number) noexcept {
  constexpr std::size_t kMinLetters = 2, kMaxLetters = 4;  // country, then letters of the number
  const auto end_of = [text](std::size_t from, auto matches) {
    while (from < text.size() && matches(text[from])) ++from;
    return from;
  };
  number.digits = end_of(0, is_capital);
  number.kind = end_of(number.digits, is_digit);
  if (number.digits < kMinLetters || number.digits > kMaxLetters) return false;
  if (number.kind == number.digits) return false;
  const std::string_view kind = text.substr(number.kind);
  return kind.empty() ||
         (is_capital(kind[0]) && (kind.size() == 1 || (kind.size() == 2 && is_digit(kind[1]))));
}

std::string_view patent_key(std::string_view docno, DocnoPolicy policy,
                            DocnoBuffer& buffer) noexcept {
  if (docno.empty() || docno.size() > buffer.size()) return docno;
  PatentNumber number;
  const auto key_end = [&](std::string_view text) {
    return policy == DocnoPolicy::kPublication ? text.size() : number.kind;
  };
  // Most docnos of an index are compact, and begin with their key.
  if (parse(docno, number) && docno[number.digits] != '0') return docno.substr(0, key_end(docno));
  if (is_separator(docno.front()) || is_separator(docno.back())) return docno;
  const std::string_view text = compact(docno, buffer);
  if (!parse(text, number)) return docno;
  const std::size_t end = key_end(text);
  std::size_t significant = number.digits;
  while (significant + 1 < number.kind && text[significant] == '0') ++significant;
  if (significant == number.digits) return text.substr(0, end);
  std::copy(buffer.begin() + significant, buffer.begin() + end, buffer.begin() + number.digits);
  return text.substr(0, end - (significant - number.digits));
}

}  // namespace

DocnoPolicy parse_docno_policy(std::string_view text) {
  const auto* found = std::find(kPolicyNames.begin(), kPolicyNames.end(), text);
  if (found == kPolicyNames.end()) {
    throw Error(ErrorCode::kUsage, unknown_name_message("docno policy", text, kPolicyNames));
  }
  return static_cast<DocnoPolicy>(found - kPolicyNames.begin());
}

std::string_view to_string(DocnoPolicy policy) noexcept {
  return kPolicyNames[static_cast<std::size_t>(policy)];
}

FamilyMap FamilyMap::load(const std::filesystem::path& path) {
  FamilyMap map;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const Columns columns = split_columns(line, 2, 2);
    if (columns.count != 2) {
      throw file.bad_line(fmt::format("{} columns; expected 2, \"docno family\"", columns.count));
    }
    try {
      map.add(Docno(columns.text[0]), columns.text[1]);
    } catch (const Error& error) {
      throw file.bad_line(error.what());
    }
  }
  return map;
}

void FamilyMap::add(const Docno& docno, std::string_view family) {
  DocnoBuffer buffer;
  const std::string_view key = patent_key(docno.text(), DocnoPolicy::kPatent, buffer);
  const auto [at, added] = families_.try_emplace(std::string(key), kFamilyPrefix);
  if (added) {
    at->second += family;
  } else if (std::string_view(at->second).substr(kFamilyPrefix.size()) != family) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("patent {} has family '{}' and also '{}'; keep one of them", key,
                            at->second.substr(kFamilyPrefix.size()), family));
  }
}

std::string_view FamilyMap::find(std::string_view patent_key) const noexcept {
  const auto found = families_.find(patent_key);
  return found == families_.end() ? std::string_view() : found->second;
}

DocnoNormalizer::DocnoNormalizer(DocnoPolicy policy, FamilyMap families) : policy_(policy) {
  if (policy != DocnoPolicy::kFamily) return;
  if (families.empty()) {
    throw Error(ErrorCode::kUsage,
                "docno policy 'family' has no families; give a file of lines \"docno family\"");
  }
  families_ = std::make_shared<const FamilyMap>(std::move(families));
}

std::string_view DocnoNormalizer::key(std::string_view docno, DocnoBuffer& buffer) const noexcept {
  if (policy_ == DocnoPolicy::kRaw) return docno;
  const std::string_view key = patent_key(docno, policy_, buffer);
  if (policy_ != DocnoPolicy::kFamily) return key;
  const std::string_view family = families_->find(key);
  return family.empty() ? key : family;
}

std::string DocnoNormalizer::key(const Docno& docno) const {
  DocnoBuffer buffer;
  return std::string(key(docno.text(), buffer));
}

namespace {

constexpr std::size_t kLinesOfSample = 1000;
/// Less than one in this many of what matches already is chance: newswire names that look like
/// patent numbers.
constexpr std::uint64_t kWorthAWord = 50;

/// How many judgements the first lines find under one policy.
class Sample {
 public:
  Sample(const Qrels& qrels, DocnoNormalizer docnos) : qrels_(&qrels), docnos_(std::move(docnos)) {}

  void add(TopicIndex topic, std::string_view docno) {
    DocnoBuffer buffer;
    const std::string_view key = docnos_.key(docno, buffer);
    std::vector<Group>& groups = groups_of(topic);
    const auto at = std::ranges::lower_bound(groups, key, {}, &Group::name);
    if (at == groups.end() || at->key != key) return;
    matched_ += at->judgements;
    at->judgements = 0;
  }
  [[nodiscard]] std::uint64_t matched() const noexcept { return matched_; }

 private:
  /// The judgements of a topic that are the same document, as long as none of them was found.
  struct Group {
    std::string key;
    std::uint64_t judgements = 0;
    [[nodiscard]] std::string_view name() const noexcept { return key; }
  };

  std::vector<Group>& groups_of(TopicIndex topic) {
    const auto [at, is_new] = groups_.try_emplace(topic);
    if (is_new) at->second = make_groups(topic);
    return at->second;
  }
  [[nodiscard]] std::vector<Group> make_groups(TopicIndex topic) const {
    std::vector<Group> groups;
    for (const Judgement& judgement : qrels_->topic(topic).judgements()) {
      groups.push_back({docnos_.key(judgement.docno), 1});
    }
    std::ranges::sort(groups, {}, &Group::key);
    std::size_t last = 0;
    for (std::size_t i = 1; i < groups.size(); ++i) {
      if (groups[i].key == groups[last].key) {
        ++groups[last].judgements;
      } else if (++last != i) {
        groups[last] = std::move(groups[i]);
      }
    }
    groups.resize(std::min(groups.size(), last + 1));
    return groups;
  }

  const Qrels* qrels_;
  DocnoNormalizer docnos_;
  std::map<TopicIndex, std::vector<Group>> groups_;
  std::uint64_t matched_ = 0;
};

/// The policy that finds most in the first lines, where that is worth a word.
std::optional<DocnoPolicy> promising_policy(const Qrels& qrels, const std::string& path) {
  const std::vector<DocnoPolicy> policies = coarser_policies(qrels.docnos().policy());
  Sample now(qrels, qrels.docnos());
  std::vector<Sample> others;
  for (const DocnoPolicy policy : policies) others.emplace_back(qrels, DocnoNormalizer(policy));
  TextFile file(path);
  std::size_t left = kLinesOfSample;
  for (std::string_view line; left > 0 && file.next(line);) {
    const Columns columns = split_columns(line, Columns::kKept, Columns::kKept);
    const auto topic = columns.count < Columns::kKept || line.starts_with('#')
                           ? std::nullopt
                           : qrels.find(columns.text[0]);
    if (!topic) continue;
    --left;
    now.add(*topic, columns.text[2]);
    for (Sample& other : others) other.add(*topic, columns.text[2]);
  }
  const auto best = std::ranges::max_element(others, {}, &Sample::matched);
  if (best == others.end() || !is_worth_a_word(now.matched(), best->matched())) return std::nullopt;
  return policies[static_cast<std::size_t>(best - others.begin())];
}

std::uint64_t distinct_docnos(const Qrels& qrels) {
  std::unordered_set<std::string_view> docnos;
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) docnos.insert(judgement.docno.text());
  }
  return docnos.size();
}

/// Docnos of `qrels` whose key in `matched`, the same topics under any policy, was retrieved.
std::uint64_t matched_docnos(const Qrels& qrels, const Qrels& matched, const RunFacts& facts) {
  std::unordered_set<std::string_view> docnos;
  std::unordered_set<std::string_view> keys;
  for (const RunFacts::Topic& topic : facts.topics) {
    keys.clear();
    for (const Retrieved& document : facts.of(topic)) {
      keys.insert(matched.topic(topic.topic).judgements()[document.judgement.value()].key);
    }
    for (const Judgement& judgement : qrels.topic(topic.topic).judgements()) {
      DocnoBuffer buffer;
      const auto key = matched.docnos().key(judgement.docno.text(), buffer);
      if (keys.contains(key)) docnos.insert(judgement.docno.text());
    }
  }
  return docnos.size();
}

}  // namespace

bool is_worth_a_word(std::uint64_t matched, std::uint64_t would_match) noexcept {
  return would_match > matched && (would_match - matched) * kWorthAWord >= matched;
}

std::vector<DocnoPolicy> coarser_policies(DocnoPolicy policy) {
  std::vector<DocnoPolicy> coarser;
  for (const DocnoPolicy each : {DocnoPolicy::kPublication, DocnoPolicy::kPatent}) {
    if (each > policy) coarser.push_back(each);
  }
  return coarser;
}

Qrels under_policy(const Qrels& qrels, DocnoPolicy policy) {
  std::vector<Qrels::Line> lines;
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) {
      lines.push_back({topic.id(), judgement.docno, judgement.grade});
    }
  }
  return Qrels::from_lines(lines, {.docno = policy, .min_grade = qrels.min_grade()});
}

std::optional<DocnoHint> find_docno_hint(const Qrels& qrels, const RunFacts& facts,
                                         const ReadRunOptions& options) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(facts.path, unknown)) return std::nullopt;
  if (coarser_policies(qrels.docnos().policy()).empty()) return std::nullopt;
  const std::optional<DocnoPolicy> policy = promising_policy(qrels, facts.path);
  if (!policy) return std::nullopt;
  const Qrels other = under_policy(qrels, *policy);
  const RunFacts other_facts = read_run_facts(other, facts.path, options);
  const DocnoHint hint{.policy = *policy,
                       .judged = distinct_docnos(qrels),
                       .matched = matched_docnos(qrels, qrels, facts),
                       .would_match = matched_docnos(qrels, other, other_facts)};
  return is_worth_a_word(hint.matched, hint.would_match) ? std::optional(hint) : std::nullopt;
}

}  // namespace prescope

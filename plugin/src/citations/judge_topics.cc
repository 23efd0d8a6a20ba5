#include "citations/judge_topics.h"

#include "base/errors.h"
#include "base/json_lines.h"
#include "citations/citation_links.h"

namespace prescope {

namespace {

using Level = CitationRule::Level;

/// A date as a number that can be compared. If the day or the month is not known, a cited document
/// was published on the last possible day, and a topic filed on the first.
std::uint32_t last_day(const PartialDate& date) noexcept {
  return date.year * 10'000U + (date.month == 0 ? 12U : date.month) * 100U +
         (date.day == 0 ? 31U : date.day);
}
std::uint32_t first_day(const PartialDate& date) noexcept {
  return date.year * 10'000U + std::max<unsigned>(date.month, 1) * 100U +
         std::max<unsigned>(date.day, 1);
}

bool has_blank(std::string_view docno) noexcept { return std::ranges::any_of(docno, is_blank); }

std::string blank_refusal(std::string_view docno) {
  return fmt::format(
      "docno '{}' has white space in it, which separates the columns of judgements; expected "
      "docnos "
      "without, with a tab behind if the line has more",
      docno);
}

/// Returns the last day on which a publication may have been published: the one of this kind, or if
/// the store does not know its date, the earliest of the patent. 0 if the store knows none.
std::uint32_t publication_day(const CitationStore& store, const std::string& key,
                              std::string_view kind) {
  std::uint32_t of_kind = 0, earliest = 0;
  if (const auto document = store.find(key)) {
    document->for_each_publication([&](const PublicationFacts& facts) {
      if (!facts.published.is_known()) return;
      const std::uint32_t day = last_day(facts.published);
      if (facts.kind == kind) of_kind = day;
      earliest = earliest == 0 ? day : std::min(earliest, day);
    });
  }
  return of_kind != 0 ? of_kind : earliest;
}

}  // namespace

Collection Collection::load(const std::filesystem::path& path) {
  Collection collection;
  if (is_json_lines(path)) {
    JsonLines lines(path);
    for (JsonLines::Object object; lines.next(object);) {
      JsonLines::Element id;
      if (object["id"].get(id) != simdjson::SUCCESS) {
        throw lines.file().bad_line("no 'id'; expected {\"id\": \"EP0971326B1\", ...}");
      }
      const std::string_view docno = lines.as_name("id", lines.string("id", id));
      if (has_blank(docno)) throw lines.file().bad_line(blank_refusal(docno));
      collection.add(docno);
    }
  } else {
    TextFile file(path);
    for (std::string_view line; file.next(line);) {
      if (trimmed(line).empty() || line.starts_with('#')) continue;
      const std::string_view docno = trimmed(line.substr(0, line.find('\t')));
      if (has_blank(docno)) throw file.bad_line(blank_refusal(docno));
      collection.add(docno);
    }
  }
  if (collection.size() > 0) return collection;
  throw bad_input_error("{}: no documents; expected a docno on each line, or JSON lines with 'id'",
                        path.string());
}

void Collection::add(std::string_view docno) {
  std::vector<std::string>& same = by_key_[document_number(docno).key];
  if (std::ranges::find(same, docno) != same.end()) return;
  same.emplace_back(docno);
  docnos_.emplace_back(docno);
}

const std::vector<std::string>* Collection::find(const std::string& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &found->second;
}

std::string about_citation(const JudgedCitation& citation) {
  std::vector<std::string> parts;
  for (const std::string& part : {citation.categories, citation.source, citation.phase}) {
    if (!part.empty()) parts.push_back(part);
  }
  if (citation.date.is_known()) parts.push_back(date_text(citation.date));
  if (!citation.cited.empty()) parts.push_back("as " + citation.cited);
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The facts of a topic that rules need.
struct TopicJudge::Topic {
  std::string key;
  std::vector<FamilyMember> family;  // itself among them
  std::uint32_t priority = 0;        // the first day that it may be of; 0: unknown

  [[nodiscard]] bool has_member(const std::string& key_of_member) const {
    return std::ranges::binary_search(family, key_of_member, {}, &FamilyMember::key);
  }
};

TopicJudge::TopicJudge(const CitationStore& store, CitationRule rule, const Collection* collection)
    : store_(&store), rule_(std::move(rule)), collection_(collection) {}

TopicJudge::Topic TopicJudge::topic_of(const std::string& key) {
  Topic topic{.key = key, .family = {}};
  // Members of a family often follow each other.
  if (!std::ranges::binary_search(last_family_, topic.key, {}, &FamilyMember::key)) {
    last_family_ = family_of(*store_, topic.key);
  }
  topic.family = last_family_;
  if (const auto document = store_->find(topic.key)) {
    document->for_each_publication([&](const PublicationFacts& facts) {
      if (!facts.priority.is_known()) return;
      const std::uint32_t day = first_day(facts.priority);
      topic.priority = topic.priority == 0 ? day : std::min(topic.priority, day);
    });
  }
  return topic;
}

const std::vector<JudgedCitation>& TopicJudge::judge(std::string_view topic) {
  return judge_patent(document_number(topic).key);
}

const std::vector<JudgedCitation>& TopicJudge::judge_patent(const std::string& key) {
  had_citations_ = false;
  judged_.clear();
  result_.clear();
  const Topic topic = topic_of(key);
  if (rule_.level == Level::kDirect) {
    judge_member(topic, topic.key);
  } else {
    for (const FamilyMember& member : topic.family) judge_member(topic, member.key);
  }
  for (auto& [name, judged] : judged_) result_.push_back(std::move(judged));
  if (had_citations_ && topic.priority == 0) ++counts_.topics_without_priority;
  const bool has_any = !result_.empty();
  counts_.topics += has_any ? 1 : 0;
  counts_.topics_without += had_citations_ && !has_any ? 1 : 0;
  counts_.judgements += result_.size();
  return result_;
}

/// A document that says by whom it is cited says it of every member of the citing family, and of no
/// other document than itself.
void TopicJudge::judge_member(const Topic& topic, const std::string& member) {
  const auto document = store_->find(member);
  if (!document) return;
  const bool is_own = member == topic.key || rule_.level == Level::kFamily;
  LinkCursor links = document->links();
  while (const StoredLink* link = links.next()) {
    const LinkRole role = link->attributes->role;
    if (role == LinkRole::kCites && is_own) {
      judge_link(topic, member, *link, rule_.level != Level::kDirect);
    } else if (role == LinkRole::kReported && rule_.level != Level::kDirect) {
      judge_link(topic, member, *link, rule_.level == Level::kFamily);
    }
  }
}

void TopicJudge::judge_link(const Topic& topic, const std::string& citing, const StoredLink& link,
                            bool names_family) {
  had_citations_ = true;
  ++counts_.citations;
  const std::string cited = link.document.text();
  const LinkAttributes& attributes = *link.attributes;
  if (topic.has_member(cited)) {
    ++counts_.within_family;
    return;
  }
  const CitedBy by = cited_by(attributes.source, attributes.phase, &counts_.source_words);
  const std::optional<Grade> grade = grade_of(citing, attributes, by);
  if (!grade) return;
  const bool interferes = is_interfering(attributes.categories);
  if (interferes && !rule_.keeps_interfering) {
    ++counts_.interfering;
  } else if (!interferes && !rule_.keeps_later && is_later(topic, link, cited)) {
    ++counts_.later;
  } else {
    add(link, cited, *grade, names_family);
  }
}

/// Returns std::nullopt, having counted the citation, if the rule leaves it out because of who
/// cited.
std::optional<Grade> TopicJudge::grade_of(std::string_view citing, const LinkAttributes& attributes,
                                          CitedBy by) {
  constexpr Grade kNotRelevant = 0, kCited = 1, kCitedByExaminer = 2;
  const bool is_clef_ip = rule_.name == CitationRule::Name::kClefIp;
  if (by == CitedBy::kApplicant) {
    ++counts_.of_applicants;
    return rule_.keeps_applicant ? std::optional(kNotRelevant) : std::nullopt;
  }
  if (by == CitedBy::kThirdParty || (by == CitedBy::kOther && is_clef_ip)) {
    ++counts_.of_others;
    return std::nullopt;
  }
  if (by == CitedBy::kUnknown) ++counts_.unknown_source;
  const auto own_grade = whole_number<Grade>(attributes.categories);
  if (own_grade) return is_clef_ip ? std::min(*own_grade, kCited) : *own_grade;
  if (is_clef_ip) return kCited;
  if (attributes.categories.empty()) {
    const bool is_of_us_examiner = by == CitedBy::kOffice && country_of(citing) == "US";
    return is_of_us_examiner ? kCitedByExaminer : kCited;
  }
  const auto graded = rule_.categories.grade(attributes.categories);
  if (!graded || graded->has_unknown) {
    if (counts_.category_words.citations++ == 0) {
      counts_.category_words.example = attributes.categories;
    }
  }
  return graded ? graded->grade : kCited;
}

/// The date in the citation counts. Without one, the date of the cited publication counts, else the
/// earliest publication of the patent.
bool TopicJudge::is_later(const Topic& topic, const StoredLink& link, const std::string& cited) {
  if (topic.priority == 0) return false;
  std::uint32_t published = link.date.is_known() ? last_day(link.date) : 0;
  if (published == 0) {
    published = publication_day(*store_, cited, link.attributes->kind);
  }
  if (published == 0) ++counts_.unknown_date;
  return published >= topic.priority;
}

void TopicJudge::add(const StoredLink& link, const std::string& cited, Grade grade,
                     bool names_family) {
  JudgedCitation judged{.grade = grade,
                        .categories = std::string(link.attributes->categories),
                        .source = std::string(link.attributes->source),
                        .phase = std::string(link.attributes->phase),
                        .date = link.date};
  const std::string cited_docno = publication_docno(cited, link.attributes->kind);
  std::vector<FamilyMember> documents{{cited, std::string(link.attributes->kind)}};
  if (names_family) documents = family_of(*store_, cited);
  bool is_there = false;
  for (const FamilyMember& member : documents) {
    const bool is_cited = member.key == cited;
    judged.key = member.key;
    judged.cited = is_cited ? std::string() : cited_docno;
    if (collection_ == nullptr) {
      judged.docno = is_cited ? cited_docno : publication_docno(member.key, member.kind);
      add_document(judged);
      continue;
    }
    const std::vector<std::string>* const docnos = collection_->find(member.key);
    if (docnos == nullptr) continue;
    is_there = true;
    for (const std::string& docno : *docnos) {
      judged.docno = docno;
      add_document(judged);
    }
  }
  if (collection_ != nullptr && !is_there) ++counts_.outside_collection;
}

/// Of several citations of a document, the one with the highest grade stays.
void TopicJudge::add_document(JudgedCitation judged) {
  const auto [at, is_new] = judged_.try_emplace(judged.docno, judged);
  if (!is_new && at->second.grade < judged.grade) at->second = std::move(judged);
}

}  // namespace prescope

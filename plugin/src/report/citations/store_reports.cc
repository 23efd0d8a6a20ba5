#include "base/text_file.h"
#include "report/citations/citation_reports.h"

namespace prescope {

inline void to_json(Json& json, const PartialDate& date) {
  json = date.is_known() ? Json(date_text(date)) : Json(nullptr);
}
PRESCOPE_JSON_MEMBERS(ShownCitation, docno, categories, source, phase, date, is_reported)
PRESCOPE_JSON_MEMBERS(ShownDocument::Publication, docno, published, priority, language, sections)

namespace {

ReportTable citation_table(const std::string& title, const std::vector<ShownCitation>& citations) {
  ReportTable table{.title = fmt::format("{} ({})", title, citations.size())};
  for (const ShownCitation& citation : citations) {
    table.add_row()
        .left("document", citation.docno)
        .left("published", date_text(citation.date))
        .left("category", citation.categories)
        .left("source", citation.is_reported ? "the cited document" : citation.source)
        .left("phase", citation.phase);
  }
  return table;
}

/// A distribution: what is counted ("topics"), by what ("relevant documents").
struct Distribution {
  std::string id, counted, by;
  std::vector<std::pair<std::string, std::uint64_t>> counts;
};

/// A table, and a bar for each entry that shows its share of all.
ReportSection section_of(const Distribution& distribution) {
  const auto& [id, counted, by, counts] = distribution;
  ReportSection section{.heading = fmt::format("{} by {}", counted, by)};
  section.heading.front() = ascii_upper(section.heading.front());
  ReportTable table;
  page::PartBars bars{.words = {id, section.heading, fmt::format("Share of all {}.", counted)},
                      .axis = fmt::format("{} (%)", counted),
                      .parts = {counted}};
  std::uint64_t all = 0;
  for (const auto& [name, count] : counts) all += count;
  for (const auto& [name, count] : counts) {
    const std::string label = name.empty() ? "(not given)" : name;
    const double share = static_cast<double>(count) / static_cast<double>(all);
    table.add_row()
        .left(by, label)
        .right(counted, grouped_text(count))
        .right("share", fmt::format("{:.1f} %", 100.0 * share));
    bars.bars.push_back({label, {count}, all});
  }
  if (counts.empty()) return section;
  section.tables.push_back(std::move(table));
  section.figures.push_back({fmt::format("Share of all {}.", counted), std::move(bars)});
  return section;
}

/// Returns the largest counts first, and the sum of the others last.
std::vector<std::pair<std::string, std::uint64_t>> largest(const StoreStatistics::Counts& counts) {
  constexpr std::size_t kShown = 15;
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& one) { return one.second; });
  if (sorted.size() <= kShown) return sorted;
  std::uint64_t rest = 0;
  for (std::size_t i = kShown; i < sorted.size(); ++i) rest += sorted[i].second;
  const std::size_t others = sorted.size() - kShown;
  sorted.resize(kShown);
  sorted.emplace_back(fmt::format("{} others", others), rest);
  return sorted;
}

std::vector<std::pair<std::string, std::uint64_t>> binned(
    const std::map<std::uint64_t, std::uint64_t>& counts) {
  constexpr std::uint64_t kEnds[] = {0, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, UINT64_MAX};
  std::vector<std::pair<std::string, std::uint64_t>> bins;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : kEnds) {
    std::uint64_t sum = 0;
    for (auto at = counts.lower_bound(begin); at != counts.end() && at->first <= end; ++at) {
      sum += at->second;
    }
    const std::string name = begin == end        ? std::to_string(end)
                             : end == UINT64_MAX ? fmt::format("{} or more", begin)
                                                 : fmt::format("{} to {}", begin, end);
    if (sum > 0) bins.emplace_back(name, sum);
    begin = end + 1;
  }
  return bins;
}

}  // namespace

ReportDocument shown_document_report(const ShownDocument& document) {
  ReportDocument report{.title = document.key};
  report.headline = fmt::format("{} cites {} and is cited by {}", document.key,
                                count_text(document.cites.size(), "document"),
                                grouped_text(document.cited_by.size()));
  for (const ShownDocument::Publication& publication : document.publications) {
    std::vector<std::string> words;
    const auto add = [&](std::string_view what, const std::string& value) {
      if (!value.empty()) words.push_back(fmt::format("{} {}", what, value));
    };
    add("published", date_text(publication.published));
    add("priority", date_text(publication.priority));
    add("language", publication.language);
    add("IPC sections", publication.sections);
    report.subject.push_back({publication.docno, fmt::format("{}", fmt::join(words, ", "))});
  }
  if (!document.family.empty()) report.subject.push_back({"family", listed(document.family)});
  ReportSection section;
  if (!document.cites.empty()) section.tables.push_back(citation_table("Cites", document.cites));
  if (!document.cited_by.empty()) {
    section.tables.push_back(citation_table("Cited by", document.cited_by));
  }
  report.sections.push_back(std::move(section));
  report.result = {{"document", document.key},
                   {"publications", document.publications},
                   {"family", document.family},
                   {"cites", document.cites},
                   {"cited_by", document.cited_by}};
  report.csv.columns = {"direction", "docno", "published", "categories", "source", "phase"};
  const auto add_rows = [&](const char* direction, const std::vector<ShownCitation>& citations) {
    for (const ShownCitation& one : citations) {
      report.csv.rows.push_back(
          {direction, one.docno, date_text(one.date), one.categories, one.source, one.phase});
    }
  };
  add_rows("cites", document.cites);
  add_rows("cited by", document.cited_by);
  return report;
}

ReportDocument store_report(const StoreStatistics& statistics, const std::string& store,
                            const CitationRule& rule) {
  ReportDocument report{.title = fmt::format("Citations of {}", store)};
  const std::uint64_t citations = statistics.counts.links_of(LinkRole::kCites);
  report.headline =
      fmt::format("{}: {} and {}", store, count_text(statistics.counts.documents, "document"),
                  count_text(citations, "citation"));
  report.subject = {
      {"rule", fmt::format("{}: {}", rule.text(), rule.words())},
      {"topics", fmt::format("{} with {}", grouped_text(statistics.judging.topics),
                             count_text(statistics.judging.judgements, "judgement"))}};
  const std::vector<std::pair<std::string, std::uint64_t>> years(statistics.years.begin(),
                                                                 statistics.years.end());
  for (const Distribution& distribution : std::initializer_list<Distribution>{
           {"relevant", "topics", "relevant documents", binned(statistics.relevant_per_topic)},
           {"citations", "documents", "citations", binned(statistics.citations_per_document)},
           {"categories", "citations", "category", largest(statistics.categories)},
           {"sources", "citations", "source", largest(statistics.sources)},
           {"phases", "citations", "phase", largest(statistics.phases)},
           {"authorities", "citations", "cited authority", largest(statistics.cited_countries)},
           {"years", "publications", "year", years}}) {
    report.sections.push_back(section_of(distribution));
  }
  report.notes = judging_notes(statistics.judging, rule);
  report.result = {{"store", store},
                   {"rule", rule.text()},
                   {"documents", statistics.counts.documents},
                   {"publications", statistics.counts.publications},
                   {"citations", citations},
                   {"topics", statistics.judging.topics},
                   {"judgements", statistics.judging.judgements},
                   {"categories", statistics.categories},
                   {"sources", statistics.sources},
                   {"phases", statistics.phases},
                   {"cited_authorities", statistics.cited_countries},
                   {"years", statistics.years}};
  report.csv.columns = {"distribution", "value", "count"};
  const auto add_rows = [&](const char* name, const auto& counts) {
    for (const auto& [value, count] : counts) report.csv.rows.push_back({name, value, count});
  };
  add_rows("relevant documents per topic", statistics.relevant_per_topic);
  add_rows("citations per document", statistics.citations_per_document);
  add_rows("category", statistics.categories);
  add_rows("source", statistics.sources);
  add_rows("phase", statistics.phases);
  add_rows("cited authority", statistics.cited_countries);
  add_rows("year", statistics.years);
  return report;
}

std::vector<std::string> judging_notes(const JudgingCounts& counts, const CitationRule& rule) {
  std::vector<std::string> notes;
  const auto add = [&](std::uint64_t count, std::string_view words) {
    if (count > 0) notes.push_back(fmt::format("{}: {}", words, grouped_text(count)));
  };
  add(counts.within_family, "citations within the topic's own family, left out");
  add(counts.of_applicants, rule.keeps_applicant ? "citations by applicants, kept with grade 0"
                                                 : "citations by applicants, left out");
  add(counts.of_others, "citations by third parties and others, left out");
  add(counts.interfering,
      "citations of categories E and P, published later by definition, left out");
  add(counts.later,
      "citations of art that was published on or after the topic's priority, left out");
  add(counts.outside_collection, "citations of documents that the collection lacks");
  add(counts.topics_without, "topics that cite, and have no judgement by the rule");
  add(counts.unknown_source, "citations kept without knowing who cited");
  add(counts.unknown_date, "citations kept without knowing when the document was published");
  add(counts.topics_without_priority,
      "topics without a priority date; the dates of their citations do not matter");
  const auto add_words = [&](const UnknownWord& word, std::string_view what) {
    if (word.citations == 0) return;
    notes.push_back(fmt::format("citations with an unknown {}, kept: {}, the first is '{}'", what,
                                grouped_text(word.citations), word.example));
  };
  add_words(counts.source_words, "source or phase");
  add_words(counts.category_words, "category");
  return notes;
}

}  // namespace prescope

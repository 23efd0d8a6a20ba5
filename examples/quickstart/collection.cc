#include "collection.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace quickstart {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using Kind = Publication::Kind;

constexpr sys_days kFirstFiling{std::chrono::year{1990} / 1 / 2};
constexpr std::uint32_t kFilingDays = 20 * 365;
constexpr days kToApplication{548};  // eighteen months: EP A1, WO A1
constexpr days kToGrant{1461};       // four years: EP B1, US B2
constexpr int kNearestOf = 2;  // of so many candidates of its problem, the more similar is cited
constexpr std::uint32_t kMinCitations = 3, kMaxCitations = 12;
// Enough earlier patents must exist for the citations of the last part, from which topics come.
constexpr std::uint32_t kMinDocumentsPerTopic = 8;

// Share of inventions that have the document, in 1/1000.
constexpr std::uint32_t kGranted = 450, kWorld = 120, kUnitedStates = 130;

Invention make_invention(const Vocabulary& vocabulary, const Zipf& problems, const Zipf& general,
                         Random& random) {
  Invention made;
  made.subject = random.below(vocabulary.subjects.size());
  const Subject& subject = vocabulary.subjects[made.subject];
  made.field = random.below(subject.fields.size());
  const Field& field = subject.fields[made.field];
  made.problem = problems.draw(random);
  static const Zipf kNames(Concept::kNames, 2);
  for (const std::uint32_t i : field.problems[made.problem].concepts) {
    if (!made.uses.empty() && !random.chance(700)) continue;
    made.uses.push_back({.concept_index = i, .name = kNames.draw(random)});
  }
  for (int i = 0; i < 2; ++i) made.own_words.push_back(general.draw(random));
  return made;
}

/// The publications of the invention with this number, A1 first.
std::vector<Publication> publish(const Invention& invention, std::uint32_t number, Random& random) {
  const sys_days application = invention.filed + kToApplication;
  const sys_days grant = invention.filed + kToGrant;
  const int year = int(std::chrono::year_month_day(application).year());
  const std::uint32_t ep = 1'000'003 + 7 * number;
  const auto make = [&](Kind kind, std::string docno, sys_days published) {
    return Publication{std::move(docno), kind, number, published};
  };
  std::vector<Publication> made{make(Kind::kEpA1, fmt::format("EP{}A1", ep), application)};
  if (random.chance(kGranted)) made.push_back(make(Kind::kEpB1, fmt::format("EP{}B1", ep), grant));
  if (random.chance(kWorld)) {
    made.push_back(make(Kind::kWoA1, fmt::format("WO{}{:06}A1", year, number + 11), application));
  }
  if (random.chance(kUnitedStates)) {
    made.push_back(make(Kind::kUsB2, fmt::format("US{}B2", 6'000'101 + 9 * number), grant));
  }
  return made;
}

void add_inventions(Collection& collection, Random& random) {
  const Vocabulary& vocabulary = collection.vocabulary;
  const Zipf problems(vocabulary.subjects[0].fields[0].problems.size(), 3);
  const Zipf general(vocabulary.general.words().size(), 400);
  const std::uint32_t wanted = collection.options.documents;
  while (collection.publications.size() < wanted) {
    Invention made = make_invention(vocabulary, problems, general, random);
    const auto number = std::uint32_t(collection.inventions.size());
    const auto first = std::uint32_t(collection.publications.size());
    // The date follows from the share of the collection made so far, so that filings are spread
    // evenly.
    made.filed = kFirstFiling + days(std::uint64_t{kFilingDays} * first / wanted);
    std::vector<Publication> documents = publish(made, number, random);
    documents.resize(std::min<std::size_t>(documents.size(), wanted - first));
    made.first_publication = first;
    made.num_publications = std::uint32_t(documents.size());
    std::move(documents.begin(), documents.end(), std::back_inserter(collection.publications));
    collection.inventions.push_back(std::move(made));
  }
}

/// Finds citations for a topic: earlier inventions, weighted by how much they have in common with
/// it.
class PriorArt {
 public:
  explicit PriorArt(const Collection& collection) : collection_(collection) {
    for (std::uint32_t i = 0; i < collection.inventions.size(); ++i) {
      const Invention& made = collection.inventions[i];
      by_problem_[{made.subject, made.field, made.problem}].push_back(i);
      by_field_[{made.subject, made.field}].push_back(i);
      by_subject_[made.subject].push_back(i);
    }
  }

  /// Draws one citation of `citing`, mostly of its own problem; std::nullopt if it was not earlier.
  std::optional<std::pair<std::uint32_t, char>> draw(const Invention& citing,
                                                     Random& random) const {
    const std::uint32_t nearness = random.below(1000);
    const bool same_problem = nearness < 720, same_field = nearness < 930;
    const auto& candidates = same_problem
                                 ? by_problem_.at({citing.subject, citing.field, citing.problem})
                             : same_field ? by_field_.at({citing.subject, citing.field})
                                          : by_subject_.at(citing.subject);
    std::uint32_t cited = candidates[random.below(candidates.size())];
    for (int i = 1; same_problem && i < kNearestOf; ++i) {
      const std::uint32_t other = candidates[random.below(candidates.size())];
      if (in_common(citing, other) > in_common(citing, cited)) cited = other;
    }
    const auto publication = draw_publication(citing, collection_.inventions[cited], random);
    if (!publication) return std::nullopt;
    return std::pair{*publication, category(same_problem, random)};
  }

 private:
  /// Things that both inventions use under the same name.
  std::size_t in_common(const Invention& citing, std::uint32_t other) const {
    const auto& uses = collection_.inventions[other].uses;
    return std::size_t(std::count_if(citing.uses.begin(), citing.uses.end(), [&](const auto& use) {
      return std::find(uses.begin(), uses.end(), use) != uses.end();
    }));
  }

  /// One of the family's documents that was public when `citing` was filed.
  std::optional<std::uint32_t> draw_publication(const Invention& citing, const Invention& cited,
                                                Random& random) const {
    std::vector<std::uint32_t> earlier;
    for (std::uint32_t i = 0; i < cited.num_publications; ++i) {
      const std::uint32_t at = cited.first_publication + i;
      if (collection_.publications[at].published < citing.filed) earlier.push_back(at);
    }
    if (earlier.empty()) return std::nullopt;
    return earlier[random.below(earlier.size())];
  }

  /// Patents that solve the same problem take novelty away more often.
  static char category(bool same_problem, Random& random) {
    const std::uint32_t draw = random.below(1000);
    if (same_problem) return draw < 450 ? 'X' : draw < 750 ? 'Y' : 'A';
    return draw < 60 ? 'X' : draw < 260 ? 'Y' : 'A';
  }

  const Collection& collection_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>
      by_problem_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> by_field_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_subject_;
};

/// The citations of one search report: distinct families, strongest category first.
std::vector<Citation> search_report(const Collection& collection, const PriorArt& prior_art,
                                    const Invention& citing, Random& random) {
  std::uint32_t wanted = kMinCitations;
  while (wanted < kMaxCitations && random.chance(680)) ++wanted;
  std::vector<Citation> report;
  std::set<std::uint32_t> cited;
  for (std::uint32_t tries = 0; report.size() < wanted && tries < 20 * kMaxCitations; ++tries) {
    const auto drawn = prior_art.draw(citing, random);
    if (!drawn) continue;
    if (!cited.insert(collection.publications[drawn->first].invention).second) continue;
    report.push_back({.topic = 0, .publication = drawn->first, .category = drawn->second});
  }
  std::sort(report.begin(), report.end(), [](const Citation& a, const Citation& b) {
    const auto order = [](char category) { return category == 'A' ? 'Z' : category; };
    return std::pair(order(a.category), a.publication) <
           std::pair(order(b.category), b.publication);
  });
  return report;
}

/// Topics come from the later half of the filings, spread evenly, each with a full search report.
void add_topics(Collection& collection, Random& random) {
  const PriorArt prior_art(collection);
  const std::size_t half = collection.inventions.size() / 2;
  std::vector<std::uint32_t> candidates;
  for (std::size_t i = half; i < collection.inventions.size(); ++i) {
    candidates.push_back(std::uint32_t(i));
  }
  for (std::size_t i = candidates.size(); i > 1; --i) {
    std::swap(candidates[i - 1], candidates[random.below(i)]);
  }
  for (const std::uint32_t i : candidates) {
    if (collection.topics.size() == collection.options.topics) break;
    const Invention& citing = collection.inventions[i];
    std::vector<Citation> report = search_report(collection, prior_art, citing, random);
    if (report.size() < kMinCitations) continue;
    for (Citation& citation : report) citation.topic = std::uint32_t(collection.topics.size());
    collection.citations.insert(collection.citations.end(), report.begin(), report.end());
    collection.topics.push_back(citing.first_publication);
  }
}

}  // namespace

Collection make_collection(const CollectionOptions& options) {
  if (options.topics == 0 || options.documents / kMinDocumentsPerTopic < options.topics) {
    throw std::invalid_argument(fmt::format(
        "{} documents are too few for {} topics; at least one topic and {} documents for "
        "each topic are needed",
        options.documents, options.topics, kMinDocumentsPerTopic));
  }
  Random random(options.seed);
  Collection collection{.options = options,
                        .vocabulary = make_vocabulary(random),
                        .inventions = {},
                        .publications = {},
                        .topics = {},
                        .citations = {}};
  add_inventions(collection, random);
  add_topics(collection, random);
  if (collection.topics.size() < options.topics) {
    throw std::invalid_argument(
        fmt::format("only {} of {} topics found enough earlier patents to cite",
                    collection.topics.size(), options.topics));
  }
  return collection;
}

}  // namespace quickstart

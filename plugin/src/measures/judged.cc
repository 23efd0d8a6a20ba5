#include "measures/definitions.h"

namespace prescope {

namespace {

enum class JudgedAs { kRelevant, kNotRelevant, kUnjudged };

/// A negative grade means: pooled, but not judged.
JudgedAs judged_as(Grade grade, Grade min_grade) noexcept {
  if (grade >= min_grade) return JudgedAs::kRelevant;
  return grade >= 0 ? JudgedAs::kNotRelevant : JudgedAs::kUnjudged;
}

}  // namespace

double binary_preference(const JudgedRanks& ranks) {
  const auto not_relevant =
      static_cast<std::uint32_t>(std::ranges::count_if(ranks.grades, [&](Grade grade) {
        return judged_as(grade, ranks.min_grade) == JudgedAs::kNotRelevant;
      }));
  const auto most_above = static_cast<double>(std::min(ranks.num_rel, not_relevant));
  std::uint32_t above = 0;  // judged not relevant
  double sum = 0.0;
  for (const GradedRank& document : ranks.judged) {
    const JudgedAs judged = judged_as(document.grade, ranks.min_grade);
    if (judged == JudgedAs::kNotRelevant) ++above;
    if (judged != JudgedAs::kRelevant) continue;
    sum +=
        above == 0 ? 1.0 : 1.0 - static_cast<double>(std::min(above, ranks.num_rel)) / most_above;
  }
  return ranks.num_rel == 0 ? 0.0 : sum / static_cast<double>(ranks.num_rel);
}

double inferred_ap(const JudgedRanks& ranks) {
  constexpr double kSmoothing = 1e-5;
  double relevant = 0.0, not_relevant = 0.0, unjudged = 0.0;  // above
  double sum = 0.0;
  for (const GradedRank& document : ranks.judged) {
    switch (judged_as(document.grade, ranks.min_grade)) {
      case JudgedAs::kNotRelevant:
        not_relevant += 1.0;
        break;
      case JudgedAs::kUnjudged:
        unjudged += 1.0;
        break;
      case JudgedAs::kRelevant: {
        // The document itself, and what stands above it: in the pool with the frequency seen, and
        // then relevant with the (smoothed) frequency seen among the judged ones. The terms are in
        // trec_eval's order, so that both round alike.
        const double above = static_cast<double>(document.rank) - 1.0;
        sum += document.rank == 1
                   ? 1.0
                   : 1.0 / (above + 1.0) +
                         (above / (above + 1.0)) * ((relevant + not_relevant + unjudged) / above) *
                             ((relevant + kSmoothing) / (relevant + not_relevant + 2 * kSmoothing));
        relevant += 1.0;
      }
    }
  }
  return ranks.num_rel == 0 ? 0.0 : sum / static_cast<double>(ranks.num_rel);
}

constexpr MeasureDefinition kBinaryPreference{
    .name = "bpref",
    .meaning =
        "How seldom a document judged not relevant stands above a relevant one; documents that "
        "nobody judged do not count.",
    .formula =
        "sum of 1 - min(a, R) / min(N, R) over the relevant documents found, divided by R = n; a "
        "counts the documents judged not relevant above it, N all of them",
    .source = "Buckley & Voorhees, SIGIR 2004, as corrected in trec_eval 8; trec_eval bpref",
    .range = "[0, R]; no value where grades are not known",
    .example =
        "n = 3, N = 2; relevant at ranks 1 and 5, judged not relevant at 2: "
        "(1 + (1 - 1 / 2)) / 3 = 0.5",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = [](const Measure&, const JudgedRanks& ranks) -> std::optional<double> {
      if (ranks.grades.empty()) return std::nullopt;
      return binary_preference(ranks);
    }};

constexpr MeasureDefinition kInferredAp{
    .name = "infAP",
    .meaning =
        "Average precision estimated where only a sample of the pool was judged; a negative grade "
        "marks a pooled document that was not.",
    .formula =
        "mean over the n relevant documents of 1/r + (r-1)/r * d/(r-1) * (x+e)/(x+y+2e), 0 where "
        "not found; above rank r there are d pooled documents, x of them relevant, y not; e = "
        "0.00001",
    .source = "Yilmaz & Aslam, CIKM 2006; trec_eval infAP",
    .range = "[0, 1]; no value where grades are not known",
    .example =
        "n = 2; rank 1 unpooled, 2 relevant, 3 judged not relevant, 4 relevant: "
        "(1/2 + 0 + 1/4 + 3/4 * 2/3 * 1/2) / 2 = 0.5",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = [](const Measure&, const JudgedRanks& ranks) -> std::optional<double> {
      if (ranks.grades.empty()) return std::nullopt;
      return inferred_ap(ranks);
    }};

constexpr MeasureDefinition kJudgedShare{
    .name = "Judged",
    .meaning =
        "The share of the N documents read that somebody judged; how far the other measures can "
        "be trusted.",
    .formula = "judged / min(N, served), where judged counts grades >= 0 at ranks <= N",
    .source =
        "Sakai & Kando, Information Retrieval 2008; trec_eval unj_N is 1 - Judged@N where at least "
        "N documents were served",
    .range = "[0, 1]; no value where nothing was served or grades are not known",
    .example = "of the documents at ranks 1 to 5, those at 1, 2 and 4 are judged: Judged@5 = 0.6",
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const Rank depth = std::min(last_rank(measure), ranks.num_ret);
      if (ranks.grades.empty() || depth == 0) return std::nullopt;
      const auto judged = std::ranges::count_if(ranks.judged, [depth](const GradedRank& document) {
        return document.rank <= depth && document.grade >= 0;
      });
      return static_cast<double>(judged) / static_cast<double>(depth);
    }};

}  // namespace prescope

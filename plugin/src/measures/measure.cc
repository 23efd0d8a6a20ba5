#include "prescope/measure.h"

#include <array>

#include "base/errors.h"
#include "measures/definitions.h"

namespace prescope {

namespace {

constexpr std::array kTable = {&kPres,
                               &kRecall,
                               &kAveragePrecision,
                               &kNormalizedDiscountedGain,
                               &kExponentialGain,
                               &kExpectedReciprocalRank,
                               &kPrecision,
                               &kRPrecision,
                               &kReciprocalRank,
                               &kSuccess,
                               &kBinaryPreference,
                               &kInferredAp,
                               &kRankBiasedPrecision,
                               &kGeometricMap,
                               &kFMeasure,
                               &kFApRecall,
                               &kSetPrecision,
                               &kSetF,
                               &kRNorm,
                               &kPresEst,
                               &kJudgedShare};

}  // namespace

std::span<const MeasureDefinition* const> measure_table() noexcept { return kTable; }

std::string Measure::name() const {
  std::string name(definition_->name);
  // fmt prints the shortest digits that read back as the same double, in any locale.
  if (definition_->parameter) name += fmt::format("{}", parameter_);
  if (min_grade_) name += fmt::format("(rel={})", *min_grade_);
  if (cutoff_) name += fmt::format("@{}", cutoff_->value());
  return name;
}

/// Scores the ranking as if documents were relevant from this measure's grade on.
std::optional<double> Measure::score_from_grade(const JudgedRanks& ranks) const {
  thread_local std::vector<Rank> relevant;  // keeps its memory
  const auto is_relevant = [this](Grade grade) { return grade >= *min_grade_; };
  JudgedRanks own = ranks;
  own.min_grade = *min_grade_;
  own.num_rel = static_cast<std::uint32_t>(std::ranges::count_if(ranks.grades, is_relevant));
  if (own.num_rel == 0) return std::nullopt;  // there are none, or grades are not known
  relevant.clear();
  for (const GradedRank& document : ranks.judged) {
    if (is_relevant(document.grade)) relevant.push_back(document.rank);
  }
  own.relevant = relevant;
  return definition_->score(*this, own);
}

std::vector<Measure> parse_measures(std::string_view list) {
  constexpr std::string_view kSeparators = ", \t";
  std::vector<Measure> measures;
  std::size_t begin = 0;
  while ((begin = list.find_first_not_of(kSeparators, begin)) != std::string_view::npos) {
    std::size_t end = begin;
    for (bool in_brackets = false; end < list.size(); ++end) {
      if (!in_brackets && kSeparators.find(list[end]) != std::string_view::npos) break;
      if (list[end] == '(' || list[end] == ')') in_brackets = list[end] == '(';
    }
    measures.push_back(Measure::parse(list.substr(begin, end - begin)));
    begin = end;
  }
  if (!measures.empty()) return measures;
  throw usage_error("no measure given; name at least one, as in PRES@100,R@1000");
}

std::vector<Measure> default_measures(std::span<const Cutoff> cutoffs) {
  std::vector<Measure> measures;
  for (const Cutoff cutoff : cutoffs) {
    for (const MeasureDefinition* definition : {&kPres, &kRecall, &kAveragePrecision}) {
      measures.push_back(Measure::parse(fmt::format("{}@{}", definition->name, cutoff.value())));
    }
  }
  return measures;
}

}  // namespace prescope

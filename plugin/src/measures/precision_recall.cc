#include "measures/definitions.h"

namespace prescope {

constexpr MeasureDefinition kPrecision{
    .name = "P",
    .meaning = "Precision: the share of the N documents read that is known to be relevant.",
    .formula = "found / N, where found counts ranks <= N",
    .source = "trec_eval P_N: the divisor is N, also where fewer documents were served",
    .range = "[0, 1]; at most n / N",
    .example = "found at ranks 1, 3 and 12: P@10 = 2 / 10 = 0.2",
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return static_cast<double>(read_ranks(measure, ranks).size()) /
             static_cast<double>(last_rank(measure));
    }};

constexpr MeasureDefinition kRecall{
    .name = "R",
    .meaning = "Recall: the share of the known relevant documents found within the N read.",
    .formula = "found / n, where found counts ranks <= N; without N, every rank served",
    .source = "trec_eval recall_N",
    .range = "[0, 1]; at most N / n",
    .example = "n = 4, found at ranks 1 and 98: R@100 = 2 / 4 = 0.5, R@10 = 1 / 4 = 0.25",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return hits_read(measure, ranks).recall(ranks.num_rel);
    }};

constexpr MeasureDefinition kRPrecision{
    .name = "Rprec",
    .meaning = "Precision at rank n, where it equals recall: n is the topic's own cutoff.",
    .formula = "found / n, where found counts ranks <= n",
    .source = "trec_eval Rprec; Buckley & Voorhees in TREC, MIT Press 2005, chapter 3",
    .range = "[0, 1]",
    .example = "n = 4, found at ranks 1, 3 and 5: Rprec = 2 / 4 = 0.5",
    .cutoff = MeasureDefinition::CutoffRule::kNone,
    .score = [](const Measure&, const JudgedRanks& ranks) -> std::optional<double> {
      return static_cast<double>(count_until(ranks.relevant, ranks.num_rel)) /
             static_cast<double>(ranks.num_rel);
    }};

constexpr MeasureDefinition kReciprocalRank{
    .name = "RR",
    .meaning = "How early the first relevant document arrives.",
    .formula = "1 / r_1; 0 where none is found (within N, where a cutoff is given)",
    .source = "trec_eval recip_rank; Voorhees, TREC-8 question answering track, 1999",
    .range = "[0, 1]",
    .example = "found at ranks 4, 7 and 9: RR = 1 / 4 = 0.25, RR@3 = 0",
    .cutoff = MeasureDefinition::CutoffRule::kOptional,
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      const std::span<const Rank> read = read_ranks(measure, ranks);
      return read.empty() ? 0.0 : 1.0 / static_cast<double>(read.front());
    }};

constexpr MeasureDefinition kSuccess{
    .name = "Success",
    .meaning = "Whether the N documents read have a relevant one among them.",
    .formula = "1 where some r_j <= N, else 0",
    .source = "trec_eval success_N",
    .range = "0 or 1; its mean is the share of topics that succeed",
    .example = "found at ranks 4 and 9: Success@5 = 1, Success@3 = 0",
    .score = [](const Measure& measure, const JudgedRanks& ranks) -> std::optional<double> {
      return read_ranks(measure, ranks).empty() ? 0.0 : 1.0;
    }};

}  // namespace prescope

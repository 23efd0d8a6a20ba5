// trec_eval's measures, and prescope's own that read grades, against the textbook definitions, each
// applied to a ranking written out document by document. The expected values share no code with
// what they test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "support/dense_topic.h"
#include "trec_eval/requests.h"

namespace prescope {
namespace {

constexpr int kTopics = 15'000;  // in each of seven tests
constexpr std::uint64_t kSeed = 20101119;
constexpr double kTrecEvalTolerance = 1e-11;

using Values = std::map<std::string, double>;

double count(const DenseTopic& topic, std::size_t depth,
             bool (DenseTopic::*is)(std::size_t) const) {
  double found = 0;
  for (std::size_t i = 0; i < topic.served.size() && i < depth; ++i)
    found += (topic.*is)(i) ? 1 : 0;
  return found;
}

double found(const DenseTopic& topic, std::size_t depth = SIZE_MAX) {
  return count(topic, depth, &DenseTopic::relevant);
}

/// R.
double all_relevant(const DenseTopic& topic) {
  double sum = 0;
  for (const Grade grade : topic.grades()) sum += grade >= topic.min_grade ? 1 : 0;
  return sum;
}

double average_precision(const DenseTopic& topic, std::size_t depth = SIZE_MAX) {
  double sum = 0;
  for (std::size_t i = 0; i < topic.served.size() && i < depth; ++i) {
    if (topic.relevant(i)) sum += found(topic, i + 1) / static_cast<double>(i + 1);
  }
  return sum > 0 ? sum / all_relevant(topic) : 0;
}

double interpolated(const DenseTopic& topic, double share) {
  const double wanted = std::round(share * all_relevant(topic));
  double highest = 0;
  for (std::size_t depth = 1; depth <= topic.served.size(); ++depth) {
    const double so_far = found(topic, depth);
    if (so_far >= wanted) highest = std::max(highest, so_far / static_cast<double>(depth));
  }
  return highest;
}

Values ranks_of_relevant(const DenseTopic& topic) {
  const double r = all_relevant(topic);
  Values values{{"map", average_precision(topic)}, {"num_rel", r}, {"num_rel_ret", found(topic)}};
  values["Rprec"] = r > 0 ? found(topic, static_cast<std::size_t>(r)) / r : 0;
  double bin_g = 0, eleven = 0;
  values["recip_rank"] = 0;
  for (std::size_t i = topic.served.size(); i-- > 0;) {
    if (!topic.relevant(i)) continue;
    values["recip_rank"] = 1.0 / static_cast<double>(i + 1);
    bin_g += 1 / std::log2(2 + static_cast<double>(i) - found(topic, i));
  }
  values["binG"] = r > 0 ? bin_g / r : 0;
  const double precisions = average_precision(topic) * r;
  values["yaap"] = std::log((1 + precisions) / (1 + r - precisions));
  for (int tenth = 0; tenth <= 10; ++tenth) {
    const double value = interpolated(topic, tenth / 10.0);
    values[fmt::format("iprec_at_recall_{:.2f}", tenth / 10.0)] = value;
    eleven += value / 11;
  }
  values["11pt_avg"] = eleven;
  return values;
}

Values at_cutoffs(const DenseTopic& topic) {
  const double r = all_relevant(topic);
  Values values;
  for (const std::size_t n : {1U, 2U, 5U, 17U, 100U}) {
    const double hits = found(topic, n), cutoff = static_cast<double>(n);
    values[fmt::format("P_{}", n)] = hits / cutoff;
    values[fmt::format("recall_{}", n)] = r > 0 ? hits / r : 0;
    values[fmt::format("map_cut_{}", n)] = average_precision(topic, n);
    values[fmt::format("relative_P_{}", n)] = r > 0 ? hits / std::min(r, cutoff) : 0;
    values[fmt::format("success_{}", n)] = hits > 0 ? 1 : 0;
    const double read = std::min(cutoff, static_cast<double>(topic.served.size()));
    values[fmt::format("unj_{}", n)] = (read - count(topic, n, &DenseTopic::judged)) / cutoff;
  }
  for (const double multiple : {0.2, 1.0, 2.0}) {
    const double depth = std::floor(multiple * r + 0.9);
    values[fmt::format("Rprec_mult_{:.2f}", multiple)] =
        depth > 0 ? found(topic, static_cast<std::size_t>(depth)) / depth : 0;
  }
  return values;
}

Values of_judgements(const DenseTopic& topic) {
  const double r = all_relevant(topic);
  double not_relevant = 0, bpref = 0, inf_ap = 0;
  for (const Grade grade : topic.grades()) {
    not_relevant += grade >= 0 && grade < topic.min_grade ? 1 : 0;
  }
  constexpr double kSmoothing = 0.00001;
  for (std::size_t i = 0; i < topic.served.size(); ++i) {
    if (!topic.relevant(i)) continue;
    const double above = count(topic, i, &DenseTopic::judged_not_relevant);
    bpref += above > 0 ? 1 - std::min(above, r) / std::min(not_relevant, r) : 1;
    const double rank = static_cast<double>(i + 1), relevant = found(topic, i);
    double pooled = 0;
    for (std::size_t j = 0; j < i; ++j) pooled += topic.served[j] ? 1 : 0;
    inf_ap += 1 / rank;
    if (i == 0) continue;
    inf_ap += (rank - 1) / rank * (pooled / (rank - 1)) * (relevant + kSmoothing) /
              (relevant + above + 2 * kSmoothing);
  }
  return {{"bpref", r > 0 ? bpref / r : 0}, {"infAP", r > 0 ? inf_ap / r : 0}};
}

/// Gains of the documents served, and of the best ranking of all.
struct Gains {
  std::vector<double> served, ideal;

  explicit Gains(const DenseTopic& topic, const std::map<Grade, double>& given = {}) {
    const auto gain = [&](Grade grade) {
      const auto at = given.find(grade);
      return at != given.end() ? at->second : std::max<double>(0, grade);
    };
    for (const auto& grade : topic.served) served.push_back(grade ? gain(*grade) : 0);
    for (const Grade grade : topic.grades()) ideal.push_back(grade < 0 ? 0 : gain(grade));
    std::sort(ideal.begin(), ideal.end(), std::greater{});
    std::erase_if(ideal, [](double worth) { return worth <= 0; });
  }
  [[nodiscard]] static double dcg(const std::vector<double>& gains, std::size_t depth = SIZE_MAX) {
    double sum = 0;
    for (std::size_t i = 0; i < gains.size() && i < depth; ++i) {
      sum += gains[i] / std::log2(static_cast<double>(i + 2));
    }
    return sum;
  }
  [[nodiscard]] double ndcg(std::size_t depth = SIZE_MAX) const {
    return ideal.empty() ? 0 : dcg(served, depth) / dcg(ideal, depth);
  }
};

double ndcg_rel(const Gains& gains) {
  if (gains.ideal.empty()) return 0;
  double sum = 0, met = 0;
  for (std::size_t i = 0; i < gains.served.size(); ++i) {
    if (gains.served[i] <= 0) continue;
    sum += gains.ndcg(i + 1);
    ++met;
  }
  const auto all = static_cast<double>(gains.ideal.size());
  return (sum + (all - met) * gains.ndcg()) / all;
}

double r_ndcg(const Gains& gains) {
  double sum = 0, places = 0;
  const std::size_t end = gains.ideal.size();
  for (std::size_t depth = 1; depth <= end; ++depth) {
    if (depth < end && gains.ideal[depth] == gains.ideal[depth - 1]) continue;
    sum += gains.ndcg(depth);
    ++places;
  }
  if (end > 0 && gains.served.size() > end + 1) {
    sum += gains.ndcg();
    ++places;
  }
  return places > 0 ? sum / places : 0;
}

double g(const Gains& gains) {
  double sum = 0, cost = 0, gained = 0;
  for (std::size_t i = 0; i < gains.served.size(); ++i) {
    cost += i < gains.ideal.size() ? std::max(1.0, gains.ideal[i]) : 1.0;
    gained += gains.served[i];
    sum += gains.served[i] / std::log2(2 + cost - gained);
  }
  const double all = std::accumulate(gains.ideal.begin(), gains.ideal.end(), 0.0);
  return all > 0 ? sum / all : 0;
}

Values of_gains(const DenseTopic& topic) {
  const Gains gains(topic), given(topic, {{0, 0.0}, {1, 3.0}, {2, 9.0}, {4, 20.0}});
  Values values{{"dcg", Gains::dcg(gains.served)},
                {"ideal_dcg", Gains::dcg(gains.ideal)},
                {"ndcg", gains.ndcg()},
                {"ndcg_1=3,2=9,4=20", given.ndcg()},
                {"ndcg_rel", ndcg_rel(gains)},
                {"Rndcg", all_relevant(topic) > 0 ? r_ndcg(gains) : 0},
                {"G", g(gains)}};
  for (const std::size_t n : {1U, 3U, 20U, 100U}) {
    values[fmt::format("ndcg_cut_{}", n)] = gains.ndcg(n);
  }
  double rbp = 0, unjudged = 0;
  bool any_unjudged = false;
  for (std::size_t i = 0; i < topic.served.size(); ++i) {
    const double weight = std::pow(0.8, static_cast<double>(i));
    rbp += weight * gains.served[i] / std::max(1, topic.grades().front());
    if (topic.judged(i)) continue;
    unjudged += weight;
    any_unjudged = true;
  }
  values["rbp_p=0.8"] = 0.2 * rbp;
  const double behind = std::pow(0.8, static_cast<double>(topic.served.size()));
  values["rbp_resid_p=0.8"] = any_unjudged ? 0.2 * unjudged + behind : 0;
  return values;
}

Values of_sets(const DenseTopic& topic) {
  const double hits = found(topic), r = all_relevant(topic);
  const auto retrieved = static_cast<double>(topic.served.size());
  const double p = hits / retrieved, recall = r > 0 ? hits / r : 0;
  return {{"set_P", p},
          {"set_recall", recall},
          {"set_relative_P", r > 0 ? hits / std::min(r, retrieved) : 0},
          {"set_map", p * recall},
          {"set_F_2", hits > 0 ? 3 * p * recall / (2 * p + recall) : 0},
          {"utility_2,-1,-0.5,0.25",
           2 * hits - (retrieved - hits) - 0.5 * (r - hits) + 0.25 * (0 - retrieved - r + hits)},
          {"num_ret", retrieved},
          {"num_nonrel_judged_ret", count(topic, SIZE_MAX, &DenseTopic::judged_not_relevant)}};
}

using Expected = Values (*)(const DenseTopic&);

void expect_textbook(const std::vector<std::string>& measures, Expected expected_of) {
  const auto requests = trec_eval::parse_requests(measures).families;
  std::mt19937_64 random(kSeed);
  std::vector<double> values;
  for (int i = 0; i < kTopics && !::testing::Test::HasFailure(); ++i) {
    const DenseTopic topic = any_dense_topic(random);
    const SparseTopic sparse(topic);
    if (sparse.grades.empty()) continue;
    Values expected = expected_of(topic);
    for (const trec_eval::Request& request : requests) {
      values.assign(request.names.size(), NAN);
      request.score(sparse.ranks, values);
      for (std::size_t v = 0; v < values.size(); ++v) {
        const auto at = expected.find(request.names[v]);
        ASSERT_NE(at, expected.end()) << request.names[v];
        EXPECT_NEAR(values[v], at->second, kTrecEvalTolerance * std::max(1.0, std::abs(at->second)))
            << request.names[v] << ", topic " << i << " of seed " << kSeed;
        expected.erase(at);
      }
    }
    EXPECT_TRUE(expected.empty()) << expected.begin()->first << " was not scored";
  }
}

TEST(TrecEvalMeasures, OfRanksEqualTheTextbook) {
  expect_textbook({"map", "num_rel", "num_rel_ret", "Rprec", "recip_rank", "binG", "yaap",
                   "iprec_at_recall", "11pt_avg"},
                  ranks_of_relevant);
}

TEST(TrecEvalMeasures, AtCutoffsEqualTheTextbook) {
  std::vector<std::string> measures = {"Rprec_mult.0.2,1,2"};
  for (const char* name : {"P", "recall", "map_cut", "relative_P", "success", "unj"}) {
    measures.push_back(fmt::format("{}.1,2,5,17,100", name));
  }
  expect_textbook(measures, at_cutoffs);
}

TEST(TrecEvalMeasures, OfJudgementsEqualTheTextbook) {
  expect_textbook({"bpref", "infAP"}, of_judgements);
}

TEST(TrecEvalMeasures, OfGainsEqualTheTextbook) {
  expect_textbook({"dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "G", "ndcg_cut.1,3,20,100",
                   "rbp.p=0.8", "rbp_resid.p=0.8"},
                  [](const DenseTopic& topic) {
                    Values values = of_gains(topic);
                    values.erase("ndcg_1=3,2=9,4=20");
                    return values;
                  });
}

TEST(TrecEvalMeasures, OfGivenGainsEqualTheTextbook) {
  expect_textbook({"ndcg.1=3,2=9,4=20"}, [](const DenseTopic& topic) -> Values {
    return {{"ndcg_1=3,2=9,4=20", of_gains(topic).at("ndcg_1=3,2=9,4=20")}};
  });
}

TEST(TrecEvalMeasures, OfSetsEqualTheTextbook) {
  expect_textbook({"set_P", "set_recall", "set_relative_P", "set_map", "set_F.2",
                   "utility.2,-1,-0.5,0.25", "num_ret", "num_nonrel_judged_ret"},
                  of_sets);
}

double binary_rbp(const DenseTopic& topic, double p) {
  double sum = 0;
  for (std::size_t i = 0; i < topic.served.size(); ++i) {
    if (topic.relevant(i)) sum += std::pow(p, static_cast<double>(i));
  }
  return (1 - p) * sum;
}

TEST(OwnMeasures, ThatReadGradesEqualTheTextbook) {
  std::mt19937_64 random(kSeed);
  int with_relevant = 0;
  for (int i = 0; i < kTopics && !HasFailure(); ++i) {
    const DenseTopic topic = any_dense_topic(random);
    const SparseTopic sparse(topic);
    const bool has_relevant = sparse.ranks.num_rel > 0;
    with_relevant += has_relevant ? 1 : 0;
    const Gains gains(topic);
    const Values judgements = of_judgements(topic), ranks = ranks_of_relevant(topic);
    const double read = std::min<double>(7, static_cast<double>(topic.served.size()));
    const Values expected = {{"nDCG", gains.ndcg()},
                             {"nDCG@7", gains.ndcg(7)},
                             {"bpref", judgements.at("bpref")},
                             {"infAP", judgements.at("infAP")},
                             {"Rprec", ranks.at("Rprec")},
                             {"GMAP", average_precision(topic)},
                             {"GMAP@7", average_precision(topic, 7)},
                             {"Success@7", found(topic, 7) > 0 ? 1.0 : 0.0},
                             {"RBP0.8", binary_rbp(topic, 0.8)},
                             {"Judged@7", count(topic, 7, &DenseTopic::judged) / read}};
    for (const auto& [name, value] : expected) {
      const std::optional<double> score = Measure::parse(name).score(sparse.ranks);
      ASSERT_EQ(score.has_value(), has_relevant) << name;
      if (score) {
        EXPECT_NEAR(*score, value, kTrecEvalTolerance)
            << name << ", topic " << i << " of seed " << kSeed;
      }
    }
  }
  EXPECT_GT(with_relevant, kTopics / 2);
}

}  // namespace
}  // namespace prescope

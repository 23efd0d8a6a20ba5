#include "report/study/agreement_source.h"

namespace prescope {
namespace {

Json measures_json(const MeasureAgreement& of, const Agreement& agreement) {
  return {{"x", agreement.measures[of.x].name()},
          {"y", agreement.measures[of.y].name()},
          {"pairs", of.pairs()},
          {"same", of.same()},
          {"same_direction", of.same_direction},
          {"both_indistinguishable", of.both_indistinguishable},
          {"only_x_different", of.only_x_different},
          {"only_y_different", of.only_y_different},
          {"opposite", of.opposite},
          {"without_verdict", of.without_verdict}};
}

Json tested_json(const Agreement::Tested& tested) {
  if (!tested.difference) return {{"topics", nullptr}, {"verdict", to_string(tested.verdict)}};
  return {{"topics", tested.difference->counts.total()},
          {"difference", tested.difference->mean},
          {"decided_by", to_string(tested.difference->decided_by)},
          {"p_value", tested.difference->p_value},
          {"corrected", tested.corrected},
          {"verdict", to_string(tested.verdict)}};
}

Json pairs_json(const AgreementSource& source) {
  Json pairs = Json::array();
  for (std::size_t p = 0; p < source.agreement.pairs.size(); ++p) {
    const Agreement::Pair& pair = source.agreement.pairs[p];
    Json measures = Json::object();
    for (std::size_t m = 0; m < source.agreement.measures.size(); ++m) {
      measures[source.agreement.measures[m].name()] = tested_json(source.agreement.at(p, m));
    }
    pairs.push_back({{"a", source.names[pair.a]},
                     {"b", source.names[pair.b]},
                     {"measures", std::move(measures)}});
  }
  return pairs;
}

}  // namespace

Json agreement_json(const AgreementSource& source) {
  const Agreement& agreement = source.agreement;
  Json verdicts = Json::object(), agreements = Json::array();
  for (std::size_t m = 0; m < agreement.measures.size(); ++m) {
    const MeasureVerdicts& said = agreement.verdicts[m];
    verdicts[agreement.measures[m].name()] = {{"different", said.different},
                                              {"indistinguishable", said.indistinguishable},
                                              {"without_verdict", said.without_verdict}};
  }
  for (const auto& each : agreement.agreements) {
    agreements.push_back(measures_json(each, agreement));
  }
  return {{"options",
           {{"test", to_string(agreement.options.test)},
            {"alpha", agreement.options.alpha},
            {"correction", to_string(agreement.options.correction)},
            {"seed", agreement.options.sign_flip.seed},
            {"flips", agreement.options.sign_flip.flips}}},
          {"verdicts", std::move(verdicts)},
          {"agreements", std::move(agreements)},
          {"pairs", pairs_json(source)}};
}

StudyCsv agreement_csv(const AgreementSource& source) {
  StudyCsv csv{.columns = {"a", "b", "measure", "topics", "difference", "decided_by", "p_value",
                           "corrected", "verdict"}};
  for (std::size_t p = 0; p < source.agreement.pairs.size(); ++p) {
    const Agreement::Pair& pair = source.agreement.pairs[p];
    for (std::size_t m = 0; m < source.agreement.measures.size(); ++m) {
      const Agreement::Tested& tested = source.agreement.at(p, m);
      const auto& of = tested.difference;
      csv.rows.push_back(
          {source.names[pair.a], source.names[pair.b], source.agreement.measures[m].name(),
           of ? std::to_string(of->counts.total()) : "", of ? exact_text(of->mean) : "",
           of ? std::string(to_string(of->decided_by)) : "", of ? exact_text(of->p_value) : "",
           of ? exact_text(tested.corrected) : "", std::string(to_string(tested.verdict))});
    }
  }
  return csv;
}

}  // namespace prescope

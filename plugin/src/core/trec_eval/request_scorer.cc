#include "core/trec_eval/request_scorer.h"

#include <fmt/format.h>

namespace prescope::trec_eval {
namespace {

template <class Shape>
bool is(const Request& request) {
  return std::holds_alternative<Shape>(request.family->score);
}

std::vector<std::string> names_of(const Request& request) {
  std::vector<std::string> names;
  const std::string_view name = request.family->name;
  if (is<AtCutoffs>(request)) {
    for (const auto cutoff : request.cutoffs) names.push_back(fmt::format("{}_{}", name, cutoff));
  } else if (is<AtShares>(request)) {
    for (const double share : request.numbers) {
      names.push_back(fmt::format("{}_{:.2f}", name, share));
    }
  } else if (!is<OfRun>(request)) {
    names.push_back(request.parameters.empty() ? std::string(name)
                                               : fmt::format("{}_{}", name, request.parameters));
  }
  return names;
}

}  // namespace

RequestScorer::RequestScorer(Request request)
    : request_(std::move(request)),
      names_(names_of(request_)),
      gains_(request_.gains),
      powers_(request_.persistence) {}

bool RequestScorer::has_values() const noexcept {
  return !is<OfText>(request_) && !is<OfRun>(request_);
}

bool RequestScorer::reads_gains() const noexcept {
  return is<OfGains>(request_) || is<OfPersistence>(request_);
}

bool RequestScorer::zero_where_missing() const noexcept {
  return family().missing == Family::Missing::kZero &&
         (request_.parameters.empty() || is<AtCutoffs>(request_));
}

const GainScale& RequestScorer::scale(const JudgedRanks& ranks, const GainScale& by_grade) {
  if (request_.gains.empty()) return by_grade;
  gains_.set(ranks);
  return gains_;
}

void RequestScorer::score(const JudgedRanks& ranks, const GainScale& by_grade,
                          std::span<double> values) {
  const Score& score = family().score;
  if (const auto* one = std::get_if<OneValue>(&score)) {
    values[0] = (*one)(ranks);
  } else if (const auto* at_cutoffs = std::get_if<AtCutoffs>(&score)) {
    (*at_cutoffs)(ranks, request_.cutoffs, values);
  } else if (const auto* at_shares = std::get_if<AtShares>(&score)) {
    (*at_shares)(ranks, request_.numbers, values);
  } else if (const auto* of_numbers = std::get_if<OfNumbers>(&score)) {
    values[0] = (*of_numbers)(ranks, request_.numbers);
  } else if (const auto* of_gains = std::get_if<OfGains>(&score)) {
    values[0] = (*of_gains)(scale(ranks, by_grade).ranking());
  } else if (const auto* of_persistence = std::get_if<OfPersistence>(&score)) {
    values[0] = (*of_persistence)(ranks, scale(ranks, by_grade), powers_);
  }
}

const std::string& RequestScorer::text(const JudgedRanks& ranks) {
  std::get<OfText>(family().score)(ranks, request_.numbers.front(), text_);
  return text_;
}

}  // namespace prescope::trec_eval

#include "trec_eval/requests.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "prescope/error.h"

namespace prescope::trec_eval {

namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // clang 16 does not deduce it

/// A measure as written behind -m.
struct Written {
  std::string_view text, name, parameters;

  explicit Written(std::string_view measure) : text(measure), name(measure) {
    const std::size_t dot = measure.find('.');
    if (dot == std::string_view::npos) return;
    name = measure.substr(0, dot);
    parameters = measure.substr(dot + 1);
  }
  [[nodiscard]] bool has_dot() const { return name.size() < text.size(); }
};

[[noreturn]] void refuse(std::string_view name, std::string_view parameters,
                         const std::string& why) {
  throw Error(ErrorCode::kUsage, fmt::format("-m {}.{}: {}", name, parameters, why));
}

[[noreturn]] void refuse(const Request& request, const std::string& why) {
  refuse(request.family->name, request.parameters, why);
}

template <class Take>
void for_each_part(std::string_view list, const Take& take) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    take(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

double number_of(const Request& request, std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc() || stop != end || !std::isfinite(value)) {
    refuse(request, fmt::format("'{}' is not a number; numbers are separated by commas", text));
  }
  return value;
}

void read_numbers(Request& request) {
  for_each_part(request.parameters, [&](std::string_view part) {
    request.numbers.push_back(number_of(request, part));
  });
}

void sort_cutoffs(Request& request) {
  std::ranges::sort(request.numbers);
  if (std::ranges::adjacent_find(request.numbers) != request.numbers.end()) {
    refuse(request, "a cutoff is given twice");
  }
}

/// trec_eval reads 23.4 as 23.
void read_cutoffs(Request& request) {
  constexpr double kLargest = 1e15;
  for (double& number : request.numbers) number = std::trunc(number);
  sort_cutoffs(request);
  for (const double number : request.numbers) {
    if (number < 1.0 || number > kLargest) {
      refuse(request, fmt::format("cutoff {} is not a rank; expected at least 1", number));
    }
    request.cutoffs.push_back(static_cast<std::uint64_t>(number));
  }
}

void expect_numbers(const Request& request, std::size_t count) {
  if (request.numbers.size() == count) return;
  refuse(request, fmt::format("{} numbers; expected {}", request.numbers.size(), count));
}

LevelGain gain_of(const Request& request, std::string_view level, std::string_view gain) {
  Grade grade = 0;
  const char* const end = level.data() + level.size();
  const auto [stop, failed] = std::from_chars(level.data(), end, grade);
  if (failed != std::errc() || stop != end || grade < 0) {
    refuse(request,
           fmt::format("'{}' is not a grade; expected an integer from 0 on, as in 1=3.5", level));
  }
  return {grade, number_of(request, gain)};
}

void read_gains(Request& request, bool with_persistence) {
  if (request.parameters.empty()) return;
  for_each_part(request.parameters, [&](std::string_view part) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      refuse(request, fmt::format("'{}' has no '='; expected {}", part,
                                  with_persistence ? "p=0.8 or a gain such as 1=3.5"
                                                   : "gains such as 1=3.5,2=9"));
    }
    const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
    if (with_persistence && name == "p") {
      request.persistence = number_of(request, value);
    } else {
      request.gains.push_back(gain_of(request, name, value));
    }
  });
}

void read_parameters(Request& request) {
  const Family& family = *request.family;
  const bool takes_numbers = !family.defaults.empty();
  if (takes_numbers && !request.parameters.empty()) read_numbers(request);
  if (request.numbers.empty()) {
    request.numbers.assign(family.defaults.begin(), family.defaults.end());
  }
  const auto expect_none = [&] {
    if (!request.parameters.empty()) refuse(request, "this measure takes no parameters");
  };
  const auto expect_as_many_as_defaults = [&] { expect_numbers(request, family.defaults.size()); };
  std::visit(Overloaded{[&](AtCutoffs) { read_cutoffs(request); },
                        [&](AtShares) { sort_cutoffs(request); },
                        [&](OfNumbers) {
                          if (family.count != Family::Count::kAny) expect_as_many_as_defaults();
                        },
                        [&](OfText) { expect_as_many_as_defaults(); },
                        [&](OfGains) { read_gains(request, false); },
                        [&](OfPersistence) { read_gains(request, true); },
                        [&](OneValue) { expect_none(); }, [&](OfRun) { expect_none(); }},
             family.score);
}

bool is_own_family(std::string_view name) {
  return std::ranges::find(measure_table(), name, &MeasureDefinition::name) !=
         measure_table().end();
}

/// PRES.100,1000 or PRES@100; nothing where `written` names no measure.
std::vector<Measure> own_measures(const Written& written) {
  std::vector<Measure> measures;
  if (written.has_dot() && is_own_family(written.name)) {
    for_each_part(written.parameters, [&](std::string_view cutoff) {
      measures.push_back(Measure::parse(fmt::format("{}@{}", written.name, cutoff)));
    });
  } else {
    measures.push_back(Measure::parse(written.text));
  }
  return measures;
}

/// Whether prescope has a family that the name begins with: RBP0.8, F1@100.
bool looks_own(std::string_view text) {
  if (text.find('@') != std::string_view::npos) return true;
  return std::ranges::any_of(measure_table(), [&](const MeasureDefinition* definition) {
    if (!text.starts_with(definition->name)) return false;
    const std::string_view rest = text.substr(definition->name.size());
    return rest.empty() || rest.front() == '.' ||
           (definition->parameter && rest.front() >= '0' && rest.front() <= '9');
  });
}

[[noreturn]] void refuse_unknown(const Written& written) {
  if (std::ranges::find(names_not_offered(), written.name) != names_not_offered().end()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("-m {}: needs preferences or judgements of several judges (-R), which "
                            "prescope does not read; use trec_eval for it",
                            written.name));
  }
  std::vector<std::string_view> names;
  for (const Nickname& nickname : nicknames()) names.push_back(nickname.name);
  for (const Family* family : family_table()) names.push_back(family->name);
  for (const MeasureDefinition* definition : measure_table()) {
    const bool is_shared = std::ranges::find(names, definition->name) != names.end();
    if (!is_shared) names.push_back(definition->name);
  }
  throw Error(ErrorCode::kUsage, fmt::format("-m {}: {}", written.text,
                                             unknown_name_message("measure", written.name, names)));
}

/// By position in the family table; what stands behind the first '.' counts.
class Marks {
 public:
  [[nodiscard]] bool mark(std::string_view name, std::string_view parameters = {}) {
    const auto table = family_table();
    const auto family = std::ranges::find(table, name, &Family::name);
    if (family == table.end()) return false;
    std::string& known = marked_[family - table.begin()];
    if (known.empty()) known = parameters;
    return true;
  }
  [[nodiscard]] std::vector<Request> requests() const {
    std::vector<Request> requests;
    for (const auto& [position, parameters] : marked_) {
      requests.push_back(
          {.family = family_table()[static_cast<std::size_t>(position)], .parameters = parameters});
      read_parameters(requests.back());
    }
    return requests;
  }

 private:
  std::map<std::ptrdiff_t, std::string> marked_;
};

void add(const Written& written, Marks& marks, Requests& requests) {
  if (written.has_dot() && written.parameters.empty()) {
    throw Error(ErrorCode::kUsage, fmt::format("-m {}: no parameters behind the '.'; write {}",
                                               written.text, written.name));
  }
  const auto nickname = std::ranges::find(nicknames(), written.name, &Nickname::name);
  if (nickname != nicknames().end()) {
    if (written.has_dot()) refuse(written.name, written.parameters, "a nickname takes none");
    for (const std::string_view name : nickname->families) static_cast<void>(marks.mark(name));
  } else if (!marks.mark(written.name, written.parameters)) {
    if (!looks_own(written.text)) refuse_unknown(written);
    for (const Measure& measure : own_measures(written)) {
      const bool is_new = std::ranges::find(requests.own, measure) == requests.own.end();
      if (is_new) requests.own.push_back(measure);
    }
  }
}

}  // namespace

Requests parse_requests(std::span<const std::string> measures) {
  Requests requests;
  Marks marks;
  for (const std::string& measure : measures) add(Written(measure), marks, requests);
  if (measures.empty()) add(Written("official"), marks, requests);
  requests.families = marks.requests();
  return requests;
}

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

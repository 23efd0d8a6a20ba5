#include "trec_eval/requests.h"

#include <iterator>

#include "base/errors.h"
#include "base/text_file.h"
#include "measures/definitions.h"

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
  throw usage_error("-m {}.{}: {}", name, parameters, why);
}

[[noreturn]] void refuse(const Request& request, const std::string& why) {
  refuse(request.family->name, request.parameters, why);
}

double number_of(const Request& request, std::string_view text) {
  if (const auto value = finite_number(text)) return *value;
  refuse(request, fmt::format("'{}' is not a number; numbers are separated by commas", text));
}

void read_numbers(Request& request) {
  for (const std::string_view part : split(request.parameters, ',')) {
    request.numbers.push_back(number_of(request, part));
  }
}

void sort_cutoffs(Request& request) {
  std::ranges::sort(request.numbers);
  if (std::ranges::adjacent_find(request.numbers) != request.numbers.end()) {
    refuse(request, "a cutoff is given twice");
  }
}

/// trec_eval reads 23.4 as 23, and 1e3 as 1.
void read_cutoffs(Request& request) {
  constexpr double kLargest = 1e15;
  if (request.parameters.find_first_of("eE") != std::string::npos) {
    refuse(request, "a cutoff with an exponent; write its digits, as in 1000");
  }
  for (double& number : request.numbers) number = std::trunc(number);
  sort_cutoffs(request);
  for (const double number : request.numbers) {
    if (number < 1.0 || number > kLargest) {
      refuse(request, fmt::format("cutoff {} is not a rank; expected at least 1", number));
    }
  }
}

LevelGain gain_of(const Request& request, std::string_view level, std::string_view gain) {
  const auto grade = whole_number<Grade>(level);
  if (!grade || *grade < 0) {
    refuse(request,
           fmt::format("'{}' is not a grade; expected an integer from 0 on, as in 1=3.5", level));
  }
  return {*grade, number_of(request, gain)};
}

void read_gains(Request& request, bool with_persistence) {
  if (request.parameters.empty()) return;
  for (const std::string_view part : split(request.parameters, ',')) {
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
  }
}

template <class Shape>
bool is(const Request& request) {
  return std::holds_alternative<Shape>(request.family->score);
}

void read_parameters(Request& request) {
  const Family& family = *request.family;
  const std::size_t count = family.defaults.size();
  const bool takes_numbers = count > 0;
  if (takes_numbers && !request.parameters.empty()) read_numbers(request);
  if (request.numbers.empty()) {
    request.numbers.assign(family.defaults.begin(), family.defaults.end());
  }
  if (is<AtCutoffs>(request)) {
    read_cutoffs(request);
  } else if (is<AtShares>(request)) {
    sort_cutoffs(request);
  } else if (is<OfGains>(request) || is<OfPersistence>(request)) {
    read_gains(request, is<OfPersistence>(request));
  } else if (!takes_numbers) {
    request.parameters.clear();  // as in trec_eval: map.5 is map
  } else if (family.count == Family::Count::kAsDefaults && request.numbers.size() != count) {
    refuse(request, fmt::format("{} numbers; expected {}", request.numbers.size(), count));
  }
}

/// Returns the measures of PRES.100,1000 or PRES@100.
std::vector<Measure> own_measures(const Written& written) {
  const MeasureDefinition* const definition = find_definition(written.name);
  if (!written.has_dot() || definition == nullptr || definition->parameter) {
    return {Measure::parse(written.text)};
  }
  std::vector<Measure> measures;
  for (const std::string_view cutoff : split(written.parameters, ',')) {
    measures.push_back(Measure::parse(fmt::format("{}@{}", written.name, cutoff)));
  }
  return measures;
}

/// A name with a cutoff behind `_`, as trec_eval prints it: P_5.
struct NameWithCutoff {
  std::string_view name, cutoff;  ///< empty if the text is something else

  explicit NameWithCutoff(std::string_view text) {
    const std::size_t mark = text.rfind('_');
    if (mark == std::string_view::npos || !whole_number<std::uint64_t>(text.substr(mark + 1)))
      return;
    name = text.substr(0, mark);
    cutoff = text.substr(mark + 1);
  }
};

/// Returns whether prescope has a family that is called so: RBP0.8, F1@100, AP(rel=2).
bool looks_own(const Written& written) {
  return written.text.find_first_of("@(") != std::string_view::npos ||
         find_definition(written.text) != nullptr || find_definition(written.name) != nullptr ||
         find_definition(NameWithCutoff(written.text).name) != nullptr;
}

constexpr std::string_view kNotOffered[] = {"all_prefs",       "prefs",
                                            "qrels_jg",        "prefs_num_prefs_poss",
                                            "prefs_simp",      "prefs_num_prefs_ful",
                                            "prefs_pair",      "prefs_num_prefs_ful_ret",
                                            "prefs_avgjg",     "prefs_avgjg_Rnonrel",
                                            "prefs_simp_ret",  "prefs_pair_ret",
                                            "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret",
                                            "prefs_simp_imp",  "prefs_pair_imp",
                                            "prefs_avgjg_imp", "map_avgjg",
                                            "P_avgjg",         "Rprec_mult_avgjg"};

[[noreturn]] void refuse_unknown(const Written& written) {
  if (std::ranges::find(kNotOffered, written.name) != std::end(kNotOffered)) {
    throw usage_error(
        "-m {}: needs preferences or judgements of several judges (-R), which prescope does not "
        "read; use trec_eval for it",
        written.name);
  }
  std::vector<std::string_view> names;
  for (const Nickname& nickname : kNicknames) names.push_back(nickname.name);
  for (const Family& family : family_table()) names.push_back(family.name);
  for (const MeasureDefinition* definition : measure_table()) {
    const bool is_shared = std::ranges::find(names, definition->name) != names.end();
    if (!is_shared) names.push_back(definition->name);
  }
  throw usage_error("-m {}: {}", written.text,
                    unknown_name_message("measure", written.name, names));
}

/// The families of the table that are asked for, in its order, with the text behind the first '.'.
using Asked = std::map<const Family*, std::string>;

void ask(const Family& family, std::string_view parameters, Asked& asked) {
  std::string& known = asked[&family];
  if (known.empty()) known = parameters;
}

/// Returns the family of measures at cutoffs with this name, or null.
const Family* family_at_cutoffs(std::string_view name) {
  const auto family = std::ranges::find(family_table(), name, &Family::name);
  const bool found =
      family != family_table().end() && std::holds_alternative<AtCutoffs>(family->score);
  return found ? &*family : nullptr;
}

void add(const Written& written, Asked& asked, std::vector<Measure>& own) {
  if (written.has_dot() && written.parameters.empty()) {
    throw usage_error("-m {}: no parameters behind the '.'; write {}", written.text, written.name);
  }
  const NameWithCutoff as_printed(written.text);
  const auto* const nickname = std::ranges::find(kNicknames, written.name, &Nickname::name);
  const auto family = std::ranges::find(family_table(), written.name, &Family::name);
  if (nickname != std::end(kNicknames)) {
    if (written.has_dot()) refuse(written.name, written.parameters, "a nickname takes none");
    for (const Family& each : family_table()) {
      if ((each.nicknames & nickname->bit) != 0) ask(each, {}, asked);
    }
  } else if (family != family_table().end()) {
    ask(*family, written.parameters, asked);
  } else if (const Family* const named = family_at_cutoffs(as_printed.name)) {
    std::string& cutoffs = asked[named];
    const std::vector<std::string> known = split(cutoffs, ',');
    const bool is_known = std::ranges::find(known, as_printed.cutoff) != known.end();
    if (!is_known) cutoffs += fmt::format("{}{}", cutoffs.empty() ? "" : ",", as_printed.cutoff);
  } else {
    if (!looks_own(written)) refuse_unknown(written);
    std::ranges::copy(own_measures(written), std::back_inserter(own));
  }
}

std::vector<std::string> names_of(const Request& request) {
  std::vector<std::string> names;
  const std::string_view name = request.family->name;
  if (is<AtCutoffs>(request)) {
    for (const double cutoff : request.numbers) {
      names.push_back(fmt::format("{}_{:.0f}", name, cutoff));
    }
  } else if (is<AtShares>(request)) {
    for (const double share : request.numbers) {
      names.push_back(fmt::format("{}_{:.2f}", name, share));
    }
  } else {
    names.push_back(request.parameters.empty() ? std::string(name)
                                               : fmt::format("{}_{}", name, request.parameters));
  }
  return names;
}

}  // namespace

Requests parse_requests(std::span<const std::string> measures) {
  Asked asked;
  std::vector<Measure> own;
  for (const std::string& measure : measures) add(Written(measure), asked, own);
  if (measures.empty()) add(Written("official"), asked, own);
  Requests requests{.families = {}, .own = Scorer(distinct(own))};
  for (const auto& [family, parameters] : asked) {
    Request& request =
        requests.families.emplace_back(Request{.family = family, .parameters = parameters});
    read_parameters(request);
    request.names = names_of(request);
  }
  return requests;
}

bool Request::zero_if_missing() const noexcept {
  return family->missing == Family::Missing::kZero && (parameters.empty() || is<AtCutoffs>(*this));
}

void Request::score(const JudgedRanks& ranks, std::span<double> values) const {
  std::visit(
      Overloaded{[&](OneValue one) { values[0] = one(ranks); },
                 [&](AtCutoffs at) {
                   std::ranges::transform(numbers, values.begin(),
                                          [&](double cutoff) { return at(ranks, cutoff); });
                 },
                 [&](AtShares at) { at(ranks, numbers, values); },
                 [&](OfNumbers of) { values[0] = of(ranks, numbers); },
                 [&](OfGains of) { values[0] = of(Gains(gains, ranks)); },
                 [&](OfPersistence of) { values[0] = of(ranks, Gains(gains, ranks), persistence); },
                 [](OfText) {}},
      family->score);
}

std::string Request::text(const JudgedRanks& ranks) const {
  return std::get<OfText>(family->score)(ranks, numbers.front());
}

}  // namespace prescope::trec_eval

#include "prescope/measure.h"

#include <array>
#include <iterator>

#include "base/errors.h"
#include "base/text_file.h"
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

namespace {

using CutoffRule = MeasureDefinition::CutoffRule;

constexpr std::uint32_t kMaxCutoff = (1U << 31U) - 1;

/// Another name for a measure, as trec_eval, ir_measures or common use has it.
struct Alias {
  std::string_view name;
  std::string_view meant;  ///< a family, perhaps with its parameter
  bool needs_cutoff = false;
};

constexpr Alias kAliases[] = {
    {"MAP", "AP"},         {"MRR", "RR"},           {"recip_rank", "RR"},
    {"gm_map", "GMAP"},    {"map_cut", "AP", true}, {"ndcg_cut", "nDCG", true},
    {"recall", "R", true}, {"precision", "P"},      {"hit_rate", "Success"},
    {"set_P", "SetP"},     {"SetR", "R"},           {"set_recall", "R"},
    {"set_F", "SetF1"},    {"SetF", "SetF1"}};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_case, lower_case);
}

/// A measure as written: `NAME`, `NAME(key=value,...)`, each perhaps with a cutoff.
struct Spelling {
  std::string_view text, name;
  std::optional<std::string_view> arguments{}, cutoff{};

  explicit Spelling(std::string_view spelled) : text(spelled), name(spelled) {
    const std::size_t closed = text.find(')');
    const std::size_t at = text.find('@', closed == std::string_view::npos ? 0 : closed);
    if (at != std::string_view::npos) {
      name = text.substr(0, at);
      cutoff = text.substr(at + 1);
    }
    const std::size_t open = name.find('(');
    if (open == std::string_view::npos || !name.ends_with(')')) return;
    arguments = name.substr(open + 1, name.size() - open - 2);
    name = name.substr(0, open);
  }
  /// Takes a cutoff behind `_` or `.`, as in map_cut_100 and P.5; returns whether there is one.
  bool take_cutoff_of_name() {
    const std::size_t mark = name.find_last_of("_.");
    if (cutoff || mark == std::string_view::npos || !is_number(name.substr(mark + 1))) return false;
    cutoff = name.substr(mark + 1);
    name = name.substr(0, mark);
    return true;
  }
  /// The name up to its last letter, for the nearest name if a number follows that should not.
  [[nodiscard]] std::string_view letters() const {
    std::size_t length = std::min(name.find('@'), name.size());
    while (length > 0 && !is_letter(name[length - 1])) --length;
    return name.substr(0, length);
  }
  /// The number behind those letters, as in P10 and P-10; empty if there is none.
  [[nodiscard]] std::string_view number() const {
    std::string_view rest = name.substr(letters().size());
    while (!rest.empty() && !is_digit(rest.front())) rest.remove_prefix(1);
    return rest;
  }
};

// Returns a measure of the family as an example of how to write it.
std::string example_of(const MeasureDefinition& definition) {
  return fmt::format("{}{}{}", definition.name,
                     definition.parameter ? definition.parameter->example : "",
                     definition.cutoff == CutoffRule::kRequired ? "@100" : "");
}

/// Returns a spelling that is accepted, with the name and as much else of what was written as it
/// can have. A number behind the name is a cutoff if no other is given, or a parameter.
std::string accepted_spelling(std::string_view name, const Spelling& written) {
  const MeasureDefinition& definition = *find_definition(name);
  const std::string example = example_of(definition);
  const std::string without = example.substr(0, example.find('@'));
  const std::string_view number = written.number(), cutoff = written.cutoff.value_or(number);
  std::vector<std::string> stems = {std::string(name), without};
  if (definition.parameter) stems.insert(stems.begin(), fmt::format("{}{}", name, number));
  std::vector<std::string> arguments = {""};
  if (written.arguments)
    arguments.insert(arguments.begin(), fmt::format("({})", *written.arguments));
  for (const std::string& end : {fmt::format("@{}", cutoff), std::string()}) {
    for (const std::string& argument : arguments) {
      for (const std::string& stem : stems) {
        if (find_definition(stem) == nullptr) continue;
        try {
          const std::string spelling = stem + argument + end;
          return (void)Measure::parse(spelling), spelling;
        } catch (const Error&) {  // it needs a cutoff or a parameter, or takes none
        }
      }
    }
  }
  return example;
}

[[noreturn]] void refuse_name(const Spelling& spelling) {
  std::vector<std::string_view> names;
  for (const MeasureDefinition* definition : measure_table()) names.push_back(definition->name);
  const std::string valid = fmt::format("{}", fmt::join(names, ", "));
  for (const Alias& alias : kAliases) names.push_back(alias.name);
  if (spelling.letters().empty()) {
    throw usage_error("unknown measure '{}'; valid: {}", spelling.text, valid);
  }
  throw usage_error("unknown measure '{}'; did you mean '{}'? Valid: {}", spelling.text,
                    accepted_spelling(nearest_name(spelling.letters(), names), spelling), valid);
}

/// A family, and the parameter behind its name.
struct Named {
  const MeasureDefinition* definition = nullptr;  ///< null: no family is called so
  std::string_view parameter{};
  bool needs_cutoff = false;
};

Named find_named(std::string_view name) {
  const auto* const alias =
      std::ranges::find_if(kAliases, [&](const Alias& each) { return same_name(each.name, name); });
  const bool is_alias = alias != std::end(kAliases);
  const std::string_view wanted = is_alias ? alias->meant : name;
  for (const MeasureDefinition* definition : measure_table()) {
    const std::string_view family = definition->name;
    if (!same_name(family, wanted.substr(0, family.size()))) continue;
    const std::string_view rest = wanted.substr(family.size());
    if (rest.empty() || (definition->parameter && !is_letter(rest.front()))) {
      return {definition, rest, is_alias && alias->needs_cutoff};
    }
  }
  return {};
}

double parse_parameter(const MeasureDefinition& definition, std::string_view text,
                       std::string_view written) {
  const MeasureParameter& parameter = *definition.parameter;
  if (written.empty()) {
    throw usage_error("'{}': {} needs a {}, as in {}", text, definition.name, parameter.word,
                      example_of(definition));
  }
  const std::optional<double> value = whole_number<double>(written);
  if (!value || !parameter.allows(*value)) {
    throw usage_error("'{}': {} '{}' is not a number in {}; write it as in {}", text,
                      parameter.word, written, parameter.range, example_of(definition));
  }
  return *value;
}

std::optional<Cutoff> parse_cutoff(const Named& named, const Spelling& spelling) {
  const MeasureDefinition& definition = *named.definition;
  if (!spelling.cutoff) {
    if (definition.cutoff == CutoffRule::kRequired) {
      throw usage_error("{} needs a cutoff, as in {}@100", spelling.name, spelling.name);
    }
    if (named.needs_cutoff) {
      throw usage_error("{} needs a cutoff, as in {}@100; {} is that of all documents served",
                        spelling.name, definition.name, definition.name);
    }
    return std::nullopt;
  }
  if (definition.cutoff == CutoffRule::kNone) {
    throw usage_error("'{}': {} takes no cutoff; write {}", spelling.text, definition.name,
                      definition.name);
  }
  const auto cutoff = whole_number<std::uint32_t>(*spelling.cutoff);
  if (!cutoff || *cutoff == 0 || *cutoff > kMaxCutoff) {
    throw usage_error("'{}': cutoff '{}' is not an integer in [1, {}]; write it as in {}@100",
                      spelling.text, *spelling.cutoff, kMaxCutoff, spelling.name);
  }
  return Cutoff{*cutoff};
}

/// The arguments between brackets.
struct Arguments {
  std::optional<std::string> parameter{};
  std::optional<Grade> min_grade{};
  bool has_exponential_gain = false;
};

Arguments parse_arguments(const MeasureDefinition& definition, const Spelling& spelling) {
  Arguments arguments;
  if (!spelling.arguments) return arguments;
  for (const std::string& argument : split(*spelling.arguments, ',')) {
    const std::string_view all = trimmed(argument);
    const std::size_t equals = std::min(all.find('='), all.size());
    const std::string_view key = all.substr(0, equals);
    const std::string_view value = all.substr(std::min(equals + 1, all.size()));
    const auto& parameter = definition.parameter;
    if (parameter && (key == parameter->word || key == parameter->word.substr(0, 1))) {
      arguments.parameter = value;
    } else if (key == "rel" && definition.depends_on_min_grade) {
      arguments.min_grade = whole_number<Grade>(value);
      if (arguments.min_grade) continue;
      throw usage_error("'{}': rel '{}' is not a grade; write it as in {}(rel=2)", spelling.text,
                        value, definition.name);
    } else if (key == "dcg" && &definition == &kNormalizedDiscountedGain) {
      arguments.has_exponential_gain = value == "'exp-log2'" || value == "\"exp-log2\"";
      if (arguments.has_exponential_gain || value == "'log2'" || value == "\"log2\"") continue;
      throw usage_error("'{}': dcg {} is neither 'log2' nor 'exp-log2'", spelling.text, value);
    } else {
      throw usage_error("'{}': {} has no '{}'; it takes {}{}", spelling.text, definition.name, key,
                        definition.depends_on_min_grade ? "rel, a grade" : "no rel",
                        parameter ? fmt::format(", and {}", parameter->word) : "");
    }
  }
  return arguments;
}

}  // namespace

const MeasureDefinition* find_definition(std::string_view name) {
  return find_named(name).definition;
}

Measure Measure::parse(std::string_view text) {
  Spelling spelling(text);
  Named named = find_named(spelling.name);
  // RBP.8 has a persistence, P.5 a cutoff.
  if (named.definition == nullptr) {
    const Spelling whole = spelling;
    if (spelling.take_cutoff_of_name()) named = find_named(spelling.name);
    if (named.definition == nullptr) refuse_name(whole);
  }
  const Arguments arguments = parse_arguments(*named.definition, spelling);
  if (arguments.has_exponential_gain) named.definition = &kExponentialGain;
  Measure measure(*named.definition);
  if (named.definition->parameter) {
    const std::string_view written =
        arguments.parameter ? std::string_view(*arguments.parameter) : named.parameter;
    measure.parameter_ = parse_parameter(*named.definition, text, written);
  }
  measure.min_grade_ = arguments.min_grade;
  measure.cutoff_ = parse_cutoff(named, spelling);
  return measure;
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

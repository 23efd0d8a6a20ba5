#include <fmt/format.h>
#include <array>

#include "base/text_file.h"
#include "measures/definitions.h"
#include "prescope/error.h"
#include "prescope/measure.h"

namespace prescope {

namespace {

using CutoffRule = MeasureDefinition::CutoffRule;

constexpr std::array kTable = {&kPres,
                               &kRecall,
                               &kAveragePrecision,
                               &kNormalizedDiscountedGain,
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
                               &kRNorm,
                               &kPresEst,
                               &kJudgedShare};

constexpr std::uint32_t kMaxCutoff = (1U << 31U) - 1;

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// A measure as written: FAMILY, its parameter, and the cutoff behind '@'.
struct Spelling {
  std::string_view text, name;
  std::optional<std::string_view> cutoff;

  explicit Spelling(std::string_view spelled) : text(spelled), name(spelled) {
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) return;
    name = text.substr(0, at);
    cutoff = text.substr(at + 1);
  }
  // The name up to its last letter, for the nearest name if a number follows that should not.
  [[nodiscard]] std::string_view letters() const {
    std::size_t length = name.size();
    while (length > 0 && !is_letter(name[length - 1])) --length;
    return name.substr(0, length);
  }
  [[nodiscard]] std::string_view parameter(const MeasureDefinition& definition) const {
    return name.substr(definition.name.size());
  }
};

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::kUsage, message); }

[[noreturn]] void refuse_name(const Spelling& spelling) {
  std::array<std::string_view, kTable.size()> names;
  std::ranges::transform(kTable, names.begin(), &MeasureDefinition::name);
  refuse(fmt::format("unknown measure '{}'; did you mean '{}'? Valid: {}", spelling.text,
                     nearest_name(spelling.letters(), names), fmt::join(names, ", ")));
}

bool matches(const MeasureDefinition& definition, std::string_view name) {
  if (!definition.parameter) return name == definition.name;
  if (!name.starts_with(definition.name)) return false;
  const std::string_view parameter = name.substr(definition.name.size());
  return parameter.empty() || !is_letter(parameter.front());
}

const MeasureDefinition& find_definition(const Spelling& spelling) {
  for (const MeasureDefinition* definition : kTable) {
    if (matches(*definition, spelling.name)) return *definition;
  }
  refuse_name(spelling);
}

// Returns a measure of the family as an example of how to write it.
std::string example_of(const MeasureDefinition& definition) {
  return fmt::format("{}{}{}", definition.name,
                     definition.parameter ? definition.parameter->example : "",
                     definition.cutoff == CutoffRule::kRequired ? "@100" : "");
}

double parse_parameter(const MeasureDefinition& definition, const Spelling& spelling) {
  if (!definition.parameter) return 1.0;
  const MeasureParameter& parameter = *definition.parameter;
  const std::string_view written = spelling.parameter(definition);
  if (written.empty()) {
    refuse(fmt::format("'{}': {} needs a {}, as in {}", spelling.text, definition.name,
                       parameter.word, example_of(definition)));
  }
  const std::optional<double> value = whole_number<double>(written);
  if (!value || !parameter.allows(*value)) {
    refuse(fmt::format("'{}': {} '{}' is not a number in {}; write it as in {}", spelling.text,
                       parameter.word, written, parameter.range, example_of(definition)));
  }
  return *value;
}

std::optional<Cutoff> parse_cutoff(const MeasureDefinition& definition, const Spelling& spelling) {
  if (!spelling.cutoff) {
    if (definition.cutoff == CutoffRule::kRequired) {
      refuse(fmt::format("{} needs a cutoff, as in {}@100", spelling.name, spelling.name));
    }
    return std::nullopt;
  }
  if (definition.cutoff == CutoffRule::kNone) {
    refuse(fmt::format("'{}': {} takes no cutoff; write {}", spelling.text, definition.name,
                       definition.name));
  }
  const auto cutoff = whole_number<std::uint32_t>(*spelling.cutoff);
  if (!cutoff || *cutoff == 0 || *cutoff > kMaxCutoff) {
    refuse(fmt::format("'{}': cutoff '{}' is not an integer in [1, {}]; write it as in {}@100",
                       spelling.text, *spelling.cutoff, kMaxCutoff, spelling.name));
  }
  return Cutoff{*cutoff};
}

}  // namespace

std::span<const MeasureDefinition* const> measure_table() noexcept { return kTable; }

Measure Measure::parse(std::string_view text) {
  const Spelling spelling(text);
  const MeasureDefinition& definition = find_definition(spelling);
  const double parameter = parse_parameter(definition, spelling);
  return {definition, parse_cutoff(definition, spelling), parameter};
}

std::string Measure::name() const {
  std::string name(definition_->name);
  // fmt prints the shortest digits that read back as the same double, in any locale.
  if (definition_->parameter) name += fmt::format("{}", parameter_);
  if (cutoff_) name += fmt::format("@{}", cutoff_->value());
  return name;
}

std::vector<Measure> parse_measures(std::string_view list) {
  constexpr std::string_view kSeparators = ", \t";
  std::vector<Measure> measures;
  std::size_t begin = 0;
  while ((begin = list.find_first_not_of(kSeparators, begin)) != std::string_view::npos) {
    const std::size_t end = std::min(list.find_first_of(kSeparators, begin), list.size());
    measures.push_back(Measure::parse(list.substr(begin, end - begin)));
    begin = end;
  }
  if (measures.empty()) refuse("no measure given; name at least one, as in PRES@100,R@1000");
  return measures;
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

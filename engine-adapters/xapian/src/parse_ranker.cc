#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "patent_terms.h"
#include "prescope/arm_settings.h"
#include "prescope/xapian/ranker.h"
#include "weighting.h"

namespace prescope::xapian {
namespace {

constexpr std::string_view kKeys[] = {"ranker",
                                      "k1",
                                      "k2",
                                      "k3",
                                      "b",
                                      "min_normlen",
                                      "delta",
                                      "c",
                                      "normalizations",
                                      "smoothing",
                                      "smoothing1",
                                      "smoothing2",
                                      "log",
                                      "stemmer",
                                      "fields.title",
                                      "fields.abstract",
                                      "fields.claims",
                                      "fields.description",
                                      "prefixes.title",
                                      "prefixes.abstract",
                                      "prefixes.claims",
                                      "prefixes.description"};
// The names, in the order of WeightOptions::Scheme.
constexpr std::array<std::string_view, 14> kSchemes{"bm25",  "bm25plus", "pl2",   "pl2plus", "lm",
                                                    "tfidf", "dph",      "dlh",   "bb2",     "inl2",
                                                    "ifb2",  "ineb2",    "coord", "bool"};
// The names, in the order of Xapian::Weight::type_smoothing, which begins with 1.
constexpr std::array<std::string_view, 5> kSmoothings{"two_stage", "dirichlet", "absolute_discount",
                                                      "jelinek_mercer", "dirichlet_plus"};

constexpr std::array<std::string_view, 16> kSettings{
    "ranker         bm25, bm25plus, pl2, pl2plus, lm, tfidf, dph, dlh, bb2, inl2, ifb2, ineb2, "
    "coord or bool, default bm25 (pl2plus of Xapian 1.4 counts only terms that occur more often "
    "than there are documents)",
    "k1             bm25, bm25plus: term saturation, >= 0, default 1",
    "k2             bm25, bm25plus: weight of the query's length, >= 0, default 0",
    "k3             bm25, bm25plus: saturation of the query's own terms, >= 0, default 1",
    "b              bm25, bm25plus: length normalisation, [0, 1], default 0.5",
    "min_normlen    bm25, bm25plus: least normalised document length, >= 0, default 0.5",
    "delta          bm25plus (default 1), pl2plus (default 0.8): least part of a term, > 0",
    "c              pl2, pl2plus, bb2, inl2, ifb2, ineb2: length normalisation, > 0, default 1",
    "normalizations tfidf: one letter each for wdf (nbslL), idf (ntpfs) and document (n), default "
    "ntn",
    "smoothing      lm: two_stage, dirichlet, absolute_discount, jelinek_mercer or dirichlet_plus, "
    "default two_stage",
    "smoothing1     lm: the smoothing's first parameter, >= 0, default Xapian's",
    "smoothing2     lm: the smoothing's second parameter, >= 0, default Xapian's",
    "log            lm: factor that keeps logarithms positive, >= 0, default 0 (longest document)",
    "stemmer        a language of Xapian's stemmers, or none, default english",
    "fields.NAME    search this field with this weight, > 0; NAME is title, abstract, claims or "
    "description; default all, each 1 but title 0.5",
    "prefixes.NAME  the field's term prefix in a database that prescope did not make, maybe empty; "
    "default S, XA, XC, XD"};

/// A setting, and the schemes that read it.
struct Parameter {
  std::string_view name;
  std::vector<WeightOptions::Scheme> schemes;
};

const std::vector<Parameter>& parameters() {
  using enum WeightOptions::Scheme;
  static const std::vector<Parameter> all = {{"k1", {kBm25, kBm25Plus}},
                                             {"k2", {kBm25, kBm25Plus}},
                                             {"k3", {kBm25, kBm25Plus}},
                                             {"b", {kBm25, kBm25Plus}},
                                             {"min_normlen", {kBm25, kBm25Plus}},
                                             {"delta", {kBm25Plus, kPl2Plus}},
                                             {"c", {kPl2, kPl2Plus, kBb2, kInl2, kIfb2, kIneb2}},
                                             {"log", {kLm}},
                                             {"smoothing", {kLm}},
                                             {"smoothing1", {kLm}},
                                             {"smoothing2", {kLm}},
                                             {"normalizations", {kTfIdf}}};
  return all;
}

std::string_view name_of(WeightOptions::Scheme scheme) {
  return kSchemes[static_cast<std::size_t>(scheme)];
}

/// A setting that the scheme does not read is a mistake, not a no-op.
void refuse_foreign(ArmSettings& settings, WeightOptions::Scheme scheme) {
  std::string meaning_for = "ranker = ";
  meaning_for += name_of(scheme);
  for (const auto& [name, schemes] : parameters()) {
    if (std::find(schemes.begin(), schemes.end(), scheme) != schemes.end()) continue;
    std::string remedy = "remove it, or set ranker = ";
    for (const WeightOptions::Scheme& one : schemes) {
      if (&one != &schemes.front()) remedy += " or ";
      remedy += name_of(one);
    }
    settings.refuse({&name, 1}, meaning_for, remedy);
  }
}

void read_bm25(ArmSettings& settings, WeightOptions& weight) {
  weight.k1 = settings.number("k1", {.least = 0.0}).value_or(weight.k1);
  weight.k2 = settings.number("k2", {.least = 0.0}).value_or(weight.k2);
  weight.k3 = settings.number("k3", {.least = 0.0}).value_or(weight.k3);
  weight.b = settings.number("b", {.least = 0.0, .most = 1.0}).value_or(weight.b);
  weight.min_normlen = settings.number("min_normlen", {.least = 0.0}).value_or(weight.min_normlen);
}

void read_lm(ArmSettings& settings, WeightOptions& weight) {
  if (const auto smoothing = settings.one_of("smoothing", kSmoothings)) {
    weight.smoothing = static_cast<Xapian::Weight::type_smoothing>(*smoothing + 1);
  }
  weight.smoothing1 = settings.number("smoothing1", {.least = 0.0});
  weight.smoothing2 = settings.number("smoothing2", {.least = 0.0});
  weight.log = settings.number("log", {.least = 0.0}).value_or(weight.log);
}

WeightOptions read_weight(ArmSettings& settings) {
  WeightOptions weight;
  if (const auto scheme = settings.one_of("ranker", kSchemes)) {
    weight.scheme = static_cast<WeightOptions::Scheme>(*scheme);
  }
  read_bm25(settings, weight);
  read_lm(settings, weight);
  weight.delta = settings.number("delta", {.least = 0.0, .least_is_excluded = true});
  weight.c = settings.number("c", {.least = 0.0, .least_is_excluded = true}).value_or(weight.c);
  if (const ArmSetting* const letters = settings.find("normalizations")) {
    if (!are_normalizations(letters->value)) {
      settings.complain(*letters, "normalizations = '" + std::string(letters->value) +
                                      "'; expected one letter each of nbslL, ntpfs and n, as ntn");
    }
    weight.normalizations = letters->value;
  }
  refuse_foreign(settings, weight.scheme);
  return weight;
}

std::vector<RankerOptions::Field> read_fields(ArmSettings& settings) {
  std::vector<RankerOptions::Field> named;
  std::vector<RankerOptions::Field> all;
  std::vector<const ArmSetting*> prefixes_of_unnamed;
  for (const TextField& field : kTextFields) {
    const std::string setting(field.setting);
    const ArmSetting* const prefix = settings.find("prefixes." + setting);
    const auto weight =
        settings.number("fields." + setting, {.least = 0.0, .least_is_excluded = true});
    all.push_back(
        {prefix == nullptr ? field.prefix : prefix->value, weight.value_or(field.weight)});
    if (settings.find("fields." + setting) != nullptr) {
      named.push_back(all.back());
    } else if (prefix != nullptr) {
      prefixes_of_unnamed.push_back(prefix);
    }
  }
  if (named.empty()) return all;
  for (const ArmSetting* const prefix : prefixes_of_unnamed) {
    settings.complain(*prefix, "'" + prefix->key + "' has no meaning, because that field is not " +
                                   "searched; remove it, or give the field a weight too");
  }
  return named;
}

std::string read_stemmer(ArmSettings& settings, const std::string& fallback) {
  std::istringstream available(Xapian::Stem::get_available_languages());
  std::vector<std::string> languages;
  for (std::string language; available >> language;) languages.push_back(language);
  languages.emplace_back("none");
  const std::vector<std::string_view> names(languages.begin(), languages.end());
  const auto chosen = settings.one_of("stemmer", names);
  return chosen ? languages[*chosen] : fallback;
}

}  // namespace

RankerOptions parse_ranker(const ArmConfig& arm) {
  ArmSettings settings(arm, kKeys);
  RankerOptions options;
  options.weight = read_weight(settings);
  options.fields = read_fields(settings);
  options.stemmer = read_stemmer(settings, options.stemmer);
  settings.throw_if_any();
  return options;
}

std::span<const std::string_view> ranker_settings() noexcept { return kSettings; }
std::span<const std::string_view> ranker_keys() noexcept { return kKeys; }

}  // namespace prescope::xapian

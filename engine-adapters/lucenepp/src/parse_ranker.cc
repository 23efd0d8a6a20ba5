#include <array>
#include <string>
#include <vector>

#include "patent_fields.h"
#include "prescope/arm_settings.h"
#include "prescope/lucenepp/ranker.h"

namespace prescope::lucenepp {
namespace {

constexpr std::string_view kFieldPrefix = "fields.";
constexpr std::string_view kKeys[] = {"ranker",
                                      "k1",
                                      "b",
                                      "coord",
                                      "fields.title",
                                      "fields.abstract",
                                      "fields.claims",
                                      "fields.description"};
constexpr std::array<std::string_view, 2> kModels{"tfidf", "bm25"};
constexpr std::array<std::string_view, 2> kSwitch{"off", "on"};
constexpr std::array<std::string_view, 5> kSettings{
    "ranker       tfidf (Lucene's vector space) or bm25, default bm25",
    "k1           bm25: term saturation, >= 0, default 1.2",
    "b            bm25: length normalisation, [0, 1], default 0.75",
    "coord        tfidf: on or off, reward documents that match many query terms, default on",
    "fields.NAME  search this field with this boost, > 0; NAME is title, abstract, claims or "
    "description; default all, each 1 but title 0.5"};

/// Settings that one model reads and others do not; setting one for those is a mistake.
constexpr std::array<std::string_view, 2> kOfBm25{"k1", "b"};
constexpr std::array<std::string_view, 1> kOfTfIdf{"coord"};

std::vector<RankerOptions::Field> read_fields(ArmSettings& settings) {
  std::vector<RankerOptions::Field> fields;
  for (const TextField& field : kTextFields) {
    const std::string key = std::string(kFieldPrefix) + std::string(field.setting);
    const auto boost = settings.number(key, {.least = 0.0, .least_is_excluded = true});
    if (boost) fields.push_back({field.name, *boost});
  }
  if (!fields.empty()) return fields;
  for (const TextField& field : kTextFields) fields.push_back({field.name, field.boost});
  return fields;
}

}  // namespace

RankerOptions parse_ranker(const ArmConfig& arm) {
  ArmSettings settings(arm, kKeys);
  RankerOptions options;
  if (const auto model = settings.one_of("ranker", kModels)) {
    options.model = static_cast<RankerOptions::Model>(*model);
  }
  if (const auto coord = settings.one_of("coord", kSwitch)) {
    options.coord = static_cast<RankerOptions::Coord>(*coord);
  }
  options.k1 = settings.number("k1", {.least = 0.0}).value_or(options.k1);
  options.b = settings.number("b", {.least = 0.0, .most = 1.0}).value_or(options.b);
  options.fields = read_fields(settings);
  if (options.model == RankerOptions::Model::kBm25) {
    settings.refuse(kOfTfIdf, "ranker = bm25", "remove it, or set ranker = tfidf");
  } else {
    settings.refuse(kOfBm25, "ranker = tfidf", "remove it, or set ranker = bm25");
  }
  settings.throw_if_any();
  return options;
}

std::span<const std::string_view> ranker_settings() noexcept { return kSettings; }
std::span<const std::string_view> ranker_keys() noexcept { return kKeys; }

}  // namespace prescope::lucenepp

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "patent_fields.h"
#include "prescope/error.h"
#include "prescope/lucenepp/ranker.h"

namespace prescope::lucenepp {
namespace {

constexpr std::string_view kFieldPrefix = "fields.";
constexpr std::array<std::string_view, 8> kKeys{"ranker",
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

/// Reads the settings of one arm and keeps every complaint, so that all are shown at once.
class Reader {
 public:
  explicit Reader(const ArmConfig& arm) : arm_(arm) {}

  RankerOptions read() {
    for (const ArmSetting& setting : arm_.settings) read(setting);
    check_model();
    if (!complaints_.empty()) throw Error(ErrorCode::kUsage, complaints_);
    if (options_.fields.empty()) {
      for (const TextField& field : kTextFields)
        options_.fields.push_back({field.name, field.boost});
    }
    return std::move(options_);
  }

 private:
  void read(const ArmSetting& setting) {
    if (first(setting.key) != &setting) {
      complain(setting, "'" + setting.key + "' is set a second time; keep one");
    } else if (setting.key == "ranker") {
      options_.model = static_cast<RankerOptions::Model>(one_of(setting, "ranker", kModels));
    } else if (setting.key == "coord") {
      options_.coord = static_cast<RankerOptions::Coord>(one_of(setting, "coord", kSwitch));
    } else if (setting.key == "k1") {
      options_.k1 = number(setting, "a number >= 0", [](double k1) { return k1 >= 0.0; });
    } else if (setting.key == "b") {
      options_.b =
          number(setting, "a number in [0, 1]", [](double b) { return b >= 0.0 && b <= 1.0; });
    } else {
      read_field(setting);
    }
  }

  void read_field(const ArmSetting& setting) {
    for (const TextField& field : kTextFields) {
      if (setting.key != std::string(kFieldPrefix) + std::string(field.setting)) continue;
      const double boost = number(setting, "a boost > 0", [](double value) { return value > 0.0; });
      options_.fields.push_back({field.name, boost});
      return;
    }
    complain(setting, unknown_name_message("arm setting", setting.key, kKeys));
  }

  /// A setting that the arm's model does not read is a mistake, not a no-op.
  void check_model() {
    const bool bm25 = options_.model == RankerOptions::Model::kBm25;
    for (const std::string_view key : {"k1", "b", "coord"}) {
      const ArmSetting* setting = first(key);
      if (setting == nullptr || bm25 == (key != "coord")) continue;
      complain(*setting, "'" + setting->key +
                             "' has no meaning for ranker = " + std::string(kModels[bm25 ? 1 : 0]) +
                             "; remove it, or set ranker = " + std::string(kModels[bm25 ? 0 : 1]));
    }
  }

  std::size_t one_of(const ArmSetting& setting, std::string_view kind,
                     std::span<const std::string_view> names) {
    const auto found = std::find(names.begin(), names.end(), setting.value);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    complain(setting, unknown_name_message(kind, setting.value, names));
    return 0;
  }

  template <class Valid>
  double number(const ArmSetting& setting, const char* expected, Valid valid) {
    double value = 0.0;
    const char* const end = setting.value.data() + setting.value.size();
    const auto read = std::from_chars(setting.value.data(), end, value);
    if (read.ec == std::errc{} && read.ptr == end && std::isfinite(value) && valid(value)) {
      return value;
    }
    complain(setting, setting.key + " = '" + setting.value + "'; expected " + expected);
    return 0.0;
  }

  [[nodiscard]] const ArmSetting* first(std::string_view key) const {
    const auto found = std::find_if(arm_.settings.begin(), arm_.settings.end(),
                                    [&](const ArmSetting& setting) { return setting.key == key; });
    return found == arm_.settings.end() ? nullptr : &*found;
  }

  void complain(const ArmSetting& setting, const std::string& complaint) {
    if (!complaints_.empty()) complaints_ += '\n';
    complaints_ += setting.place.empty() ? "arm " + arm_.id.text() : setting.place;
    complaints_ += ": " + complaint;
  }

  const ArmConfig& arm_;
  RankerOptions options_;
  std::string complaints_;
};

}  // namespace

RankerOptions parse_ranker(const ArmConfig& arm) { return Reader(arm).read(); }

std::span<const std::string_view> ranker_settings() noexcept { return kSettings; }

}  // namespace prescope::lucenepp

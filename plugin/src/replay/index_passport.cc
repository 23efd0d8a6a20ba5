#include "prescope/index_passport.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text_file.h"
#include "prescope/engine.h"

namespace prescope {

namespace {

/// Ends a text in a hash; no UTF-8 text contains it.
constexpr std::string_view kEndOfText{"\xff", 1};

constexpr const char* kAnalyzer = "analyzer";
constexpr const char* kDocuments = "documents";
constexpr const char* kChecksum = "checksum";
constexpr std::string_view kFieldPrefix = "documents with ";

using Text = std::pair<std::string_view, std::string PatentDocument::*>;
constexpr std::array<Text, 4> kTexts{{{"title", &PatentDocument::title},
                                      {"abstract", &PatentDocument::abstract},
                                      {"claims", &PatentDocument::claims},
                                      {"description", &PatentDocument::description}}};

std::string field_entry(std::string_view field) { return fmt::format("{}{}", kFieldPrefix, field); }

}  // namespace

std::uint64_t text_hash(std::string_view text, std::uint64_t before) noexcept {
  return fnv_1a(kEndOfText, fnv_1a(text, before == 0 ? kFnvOffset : before));
}

std::string share_words(std::uint64_t part, std::uint64_t all) {
  const double share = all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
  return fmt::format("{} of {} ({:.1f} %)", part, all, 100.0 * share);
}

std::string rare_field_note(const IndexPassport::Field& field, std::uint64_t documents) {
  constexpr double kNearlyAll = 0.9;
  if (!field.documents) return {};
  const auto with = static_cast<double>(*field.documents);
  if (with >= kNearlyAll * static_cast<double>(documents)) return {};
  return fmt::format(
      "fields.{} reads a text that {} documents have; the others cannot be found by it.",
      field.name, share_words(*field.documents, documents));
}

std::uint64_t digest_of(const PatentDocument& document) noexcept {
  std::uint64_t hash = kFnvOffset;
  for (const auto& [field, text] : kTexts) hash = text_hash(document.*text, hash);
  return hash;
}

void PassportRecorder::add(const PatentDocument& document) {
  ++all_;
  for (const auto& [field, text] : kTexts) {
    if (!(document.*text).empty()) ++documents_[std::string(field)];
  }
  sum_ += text_hash(fmt::to_string(digest_of(document)), text_hash(document.docno.text()));
}

std::map<std::string, std::string> PassportRecorder::entries(std::string_view analyzer) const {
  std::map<std::string, std::string> entries{{kAnalyzer, std::string(analyzer)},
                                             {kDocuments, fmt::to_string(all_)},
                                             {kChecksum, fmt::format("{:016x}", sum_)}};
  for (const auto& [field, documents] : documents_) {
    entries[field_entry(field)] = fmt::to_string(documents);
  }
  return entries;
}

IndexPassport read_passport(const std::function<std::string(const std::string& name)>& entry,
                            std::uint64_t documents) {
  IndexPassport passport;
  if (std::string analyzer = entry(kAnalyzer); !analyzer.empty()) {
    passport.analyzer = std::move(analyzer);
  }
  if (entry(kDocuments) != fmt::to_string(documents)) return passport;
  passport.checksum = entry(kChecksum);
  passport.fields.emplace();
  for (const auto& [field, text] : kTexts) {
    if (const auto with = whole_number<std::uint64_t>(entry(field_entry(field)))) {
      passport.fields->push_back({std::string(field), *with});
    }
  }
  return passport;
}

}  // namespace prescope

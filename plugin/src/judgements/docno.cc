#include "prescope/docno.h"

#include "base/errors.h"
#include "base/text_file.h"
#include "judgements/family_source.h"
#include "judgements/judgement_line.h"
#include "judgements/patent_number.h"

namespace prescope {

namespace {

constexpr std::array<std::string_view, 4> kPolicyNames = {"raw", "publication", "patent", "family"};
/// A family is never equal to a patent key: no patent key holds a colon.
constexpr std::string_view kFamilyPrefix = "family:";

/// Returns whether a tab stands between a line's only column and its end.
bool ends_with_tab(std::string_view line, std::string_view column) noexcept {
  const auto end = static_cast<std::size_t>(column.data() - line.data()) + column.size();
  return line.find('\t', end) != std::string_view::npos;
}

}  // namespace

/// Exports write one of these, or a number that is not positive, for a patent without a family; it
/// would be one large family.
bool means_no_family(std::string_view family) noexcept {
  constexpr std::string_view kNone[] = {"",     "-",   "?",  "\"\"", "''",  "\\n",     "none",
                                        "null", "nan", "na", "n/a",  "nil", "unknown", "missing"};
  if (const auto number = finite_number(family); number && *number <= 0.0) return true;
  const auto same = [](char a, char b) { return ascii_lower(a) == b; };
  return std::ranges::any_of(
      kNone, [&](std::string_view none) { return std::ranges::equal(family, none, same); });
}

DocnoPolicy parse_docno_policy(std::string_view text) {
  const auto* found = std::find(kPolicyNames.begin(), kPolicyNames.end(), text);
  if (found == kPolicyNames.end()) {
    throw Error(ErrorCode::kUsage, unknown_name_message("docno policy", text, kPolicyNames));
  }
  return static_cast<DocnoPolicy>(found - kPolicyNames.begin());
}

std::string_view to_string(DocnoPolicy policy) noexcept {
  return kPolicyNames[static_cast<std::size_t>(policy)];
}

FamilyMap FamilyMap::load(const std::filesystem::path& path) {
  FamilyMap map;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    Columns columns = split_columns(line, 2, 2);
    if (columns.count == 1 && ends_with_tab(line, columns.text[0])) columns.add({});
    if (columns.count != 2) {
      throw file.bad_line(fmt::format("{} columns; expected 2, \"docno family\"", columns.count));
    }
    try {
      map.add(Docno(columns.text[0]), columns.text[1]);
    } catch (const Error& error) {
      throw file.bad_line(error.what());
    }
  }
  return map;
}

void FamilyMap::add(const Docno& docno, std::string_view family) {
  if (means_no_family(family)) {
    if (without_family_.patents++ == 0) without_family_.example = family;
    return;
  }
  DocnoBuffer buffer;
  const std::string_view key = patent_key(docno.text(), DocnoPolicy::kPatent, buffer);
  const auto [at, added] = families_.try_emplace(std::string(key), kFamilyPrefix);
  if (added) {
    at->second += family;
  } else if (std::string_view(at->second).substr(kFamilyPrefix.size()) != family) {
    throw bad_input_error("patent {} has family '{}' and also '{}'; keep one of them", key,
                          at->second.substr(kFamilyPrefix.size()), family);
  }
}

std::string_view FamilyMap::find(std::string_view patent_key) const noexcept {
  const auto found = families_.find(patent_key);
  return found == families_.end() ? std::string_view() : found->second;
}

DocnoNormalizer::DocnoNormalizer(DocnoPolicy policy, FamilyMap families) : policy_(policy) {
  if (policy != DocnoPolicy::kFamily) return;
  if (families.empty()) {
    throw usage_error(
        "docno policy 'family' has no families; give a file of lines \"docno family\"{}",
        families.without_family().patents > 0 ? ", in which 0, -1 and none are no families" : "");
  }
  families_ = std::make_shared<const FamilyMap>(std::move(families));
}

DocnoNormalizer DocnoNormalizer::with_families_of_topics() {
  DocnoNormalizer result;
  result.policy_ = DocnoPolicy::kFamily;
  return result;
}

DocnoNormalizer DocnoNormalizer::with(std::shared_ptr<const FamilySource> source) const {
  DocnoNormalizer result = *this;
  result.source_ = std::move(source);
  return result;
}

std::string_view DocnoNormalizer::key(std::string_view docno, DocnoBuffer& buffer) const noexcept {
  if (policy_ == DocnoPolicy::kRaw) return docno;
  const std::string_view key = patent_key(docno, policy_, buffer);
  std::string_view family;
  if (families_ != nullptr) family = families_->find(key);
  if (family.empty() && source_ != nullptr) {
    DocnoBuffer of_family;
    family = source_->find(key, of_family);
    if (!family.empty()) family = {buffer.data(), family.copy(buffer.data(), buffer.size())};
  }
  return family.empty() ? key : family;
}

std::string DocnoNormalizer::key(const Docno& docno) const {
  DocnoBuffer buffer;
  return std::string(key(docno.text(), buffer));
}

DocnoSet::DocnoSet(std::span<const Docno> docnos, const DocnoNormalizer& policy) : policy_(policy) {
  for (const Docno& docno : docnos) keys_.push_back(policy.key(docno));
  std::ranges::sort(keys_);
}

bool DocnoSet::contains(std::string_view docno) const noexcept {
  if (keys_.empty()) return false;
  DocnoBuffer buffer;
  return std::ranges::binary_search(keys_, policy_.key(docno, buffer), std::less<>());
}

}  // namespace prescope

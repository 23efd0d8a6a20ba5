#include "prescope/docno.h"

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

namespace {

constexpr std::array<std::string_view, 4> kPolicyNames = {"raw", "publication", "patent", "family"};
/// A family is never equal to a patent key: no patent key holds a colon.
constexpr std::string_view kFamilyPrefix = "family:";

bool is_capital(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_separator(char c) noexcept {
  return c == ' ' || c == '-' || c == '.' || c == '/' || c == ',' || c == '_';
}

/// Copies `docno` without separators, in upper case.
std::string_view compact(std::string_view docno, DocnoBuffer& buffer) noexcept {
  std::size_t size = 0;
  for (const char c : docno) {
    buffer[size] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    size += is_separator(c) ? 0 : 1;
  }
  return {buffer.data(), size};
}

/// The positions at which the number and the kind code of a compact patent number begin.
struct PatentNumber {
  std::size_t digits = 0;
  std::size_t kind = 0;  ///< the size of the text if there is no kind code
};

/// Returns false if `text` is not COUNTRY [LETTERS] DIGITS [KIND].
bool parse(std::string_view text, PatentNumber& number) noexcept {
  constexpr std::size_t kMinLetters = 2, kMaxLetters = 4;  // country, then letters of the number
  const auto end_of = [text](std::size_t from, auto matches) {
    while (from < text.size() && matches(text[from])) ++from;
    return from;
  };
  number.digits = end_of(0, is_capital);
  number.kind = end_of(number.digits, is_digit);
  if (number.digits < kMinLetters || number.digits > kMaxLetters) return false;
  if (number.kind == number.digits) return false;
  const std::string_view kind = text.substr(number.kind);
  return kind.empty() ||
         (is_capital(kind[0]) && (kind.size() == 1 || (kind.size() == 2 && is_digit(kind[1]))));
}

std::string_view patent_key(std::string_view docno, DocnoPolicy policy,
                            DocnoBuffer& buffer) noexcept {
  if (docno.empty() || docno.size() > buffer.size()) return docno;
  PatentNumber number;
  const auto key_end = [&](std::string_view text) {
    return policy == DocnoPolicy::kPublication ? text.size() : number.kind;
  };
  // Most docnos of an index are compact, and begin with their key.
  if (parse(docno, number) && docno[number.digits] != '0') return docno.substr(0, key_end(docno));
  if (is_separator(docno.front()) || is_separator(docno.back())) return docno;
  const std::string_view text = compact(docno, buffer);
  if (!parse(text, number)) return docno;
  const std::size_t end = key_end(text);
  std::size_t significant = number.digits;
  while (significant + 1 < number.kind && text[significant] == '0') ++significant;
  if (significant == number.digits) return text.substr(0, end);
  std::copy(buffer.begin() + significant, buffer.begin() + end, buffer.begin() + number.digits);
  return text.substr(0, end - (significant - number.digits));
}

}  // namespace

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
    const Columns columns = split_columns(line, 2, 2);
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
        "docno policy 'family' has no families; give a file of lines \"docno family\"");
  }
  families_ = std::make_shared<const FamilyMap>(std::move(families));
}

std::string_view DocnoNormalizer::key(std::string_view docno, DocnoBuffer& buffer) const noexcept {
  if (policy_ == DocnoPolicy::kRaw) return docno;
  const std::string_view key = patent_key(docno, policy_, buffer);
  if (policy_ != DocnoPolicy::kFamily) return key;
  const std::string_view family = families_->find(key);
  return family.empty() ? key : family;
}

std::string DocnoNormalizer::key(const Docno& docno) const {
  DocnoBuffer buffer;
  return std::string(key(docno.text(), buffer));
}

}  // namespace prescope

#include "citations/citation_links.h"

#include <map>
#include <set>

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

namespace {

constexpr std::string_view kFamilyPrefix = "family:";

/// Appends the letters of IPC sections, A to H, and Y of CPC, ascending, each once.
void set_sections(const std::vector<std::string>& symbols, std::string& sections) {
  sections.clear();
  for (const std::string& symbol : symbols) {
    const std::string_view text = trimmed(symbol);
    if (text.empty()) continue;
    const char section = text[0];
    if (((section >= 'A' && section <= 'H') || section == 'Y') &&
        sections.find(section) == std::string::npos) {
      sections += section;
    }
  }
  std::ranges::sort(sections);
}

}  // namespace

std::string family_key(std::string_view number, std::string_view least_member) {
  return std::string(kFamilyPrefix).append(number.empty() ? least_member : number);
}

bool is_family_key(std::string_view key) noexcept { return key.starts_with(kFamilyPrefix); }

AddedCounts& AddedCounts::operator+=(const AddedCounts& other) {
  documents += other.documents;
  citations += other.citations;
  families += other.families;
  if (without_number_example.empty()) without_number_example = other.without_number_example;
  without_number += other.without_number;
  if (reread == 0) reread_example = other.reread_example;
  reread += other.reread;
  return *this;
}

const DocumentNumber& DocumentAdder::read(const WrittenNumber& written, const PartialDate& date) {
  written.join(docno_);
  read_document_number(docno_, date.year, number_);
  const bool has_blank =
      std::ranges::any_of(number_.key, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  if (has_blank || number_.key.empty()) {
    if (counts_.without_number_example.empty()) counts_.without_number_example = docno_;
    ++counts_.without_number;
    number_.key.clear();
  }
  if (number_.is_reread && counts_.reread++ == 0) {
    counts_.reread_example = fmt::format("{} of {} as {}", docno_, date.year, number_.key);
  }
  return number_;
}

void DocumentAdder::add(const CitingDocument& document) {
  own_ = read(document.publication, document.published);
  if (own_.key.empty()) return;
  ++counts_.documents;
  add_citations(document);
  for (const WrittenNumber& citing : document.cited_by) {
    const DocumentNumber& number = read(citing, {});
    if (!number.key.empty())
      link(number.key, number.kind, own_.key, own_.kind, LinkRole::kReported);
  }
  add_family(document);
}

void DocumentAdder::add_citations(const CitingDocument& document) {
  links_.clear();
  if (numbers_.size() < document.citations.size()) numbers_.resize(document.citations.size());
  std::size_t used = 0;
  for (const Citation& citation : document.citations) {
    if (!citation.is_patent()) continue;
    DocumentNumber& cited = numbers_[used];
    std::swap(cited, number_);
    read(citation.cited, citation.date);
    std::swap(cited, number_);
    if (cited.key.empty()) continue;
    ++used;
    links_.push_back({.document = KeyParts::of(cited.key),
                      .attributes = {.kind = cited.kind,
                                     .categories = citation.categories,
                                     .source = citation.source,
                                     .phase = citation.phase,
                                     .role = LinkRole::kCites},
                      .date = citation.date});
  }
  counts_.citations += links_.size();
  set_sections(document.classes, classes_);
  batch_->add(own_.key,
              {.kind = own_.kind,
               .published = document.published,
               .priority = document.priority,
               .language = document.language,
               .classes = classes_},
              links_);
}

void DocumentAdder::add_family(const CitingDocument& document) {
  if (document.family.empty() && document.members.empty()) return;
  ++counts_.families;
  std::map<std::string, std::string> members{{own_.key, own_.kind}};
  for (const WrittenNumber& member : document.members) {
    const DocumentNumber& number = read(member, {});
    if (!number.key.empty()) members.try_emplace(number.key, number.kind);
  }
  const std::string family = family_key(document.family, members.begin()->first);
  for (const auto& [key, kind] : members) {
    link(family, {}, key, kind, LinkRole::kFamily);
    link(key, kind, family, {}, LinkRole::kFamily);
  }
}

void DocumentAdder::link(std::string_view from, std::string_view from_kind, std::string_view to,
                         std::string_view to_kind, LinkRole role) {
  const Link one{.document = KeyParts::of(to), .attributes = {.kind = to_kind, .role = role}};
  batch_->add(from, {.kind = from_kind}, {&one, 1});
}

std::vector<FamilyMember> family_of(const CitationStore& store, std::string_view key) {
  std::map<std::string, std::string> members{{std::string(key), {}}};
  std::set<std::string> families;
  std::vector<std::string> open{std::string(key)};
  while (!open.empty()) {
    const std::string at = std::move(open.back());
    open.pop_back();
    const auto document = store.find(at);
    if (!document) continue;
    const bool is_family = is_family_key(at);
    LinkCursor links = document->links();
    while (const StoredLink* link = links.next()) {
      if (link->attributes->role != LinkRole::kFamily) continue;
      std::string to = link->document.text();
      if (!is_family) {
        if (families.insert(to).second) open.push_back(std::move(to));
        continue;
      }
      const auto [member, is_new] = members.try_emplace(to, link->attributes->kind);
      if (member->second.empty()) member->second = link->attributes->kind;
      if (is_new) open.push_back(std::move(to));
    }
  }
  std::vector<FamilyMember> sorted;
  for (auto& [member, kind] : members) sorted.push_back({member, kind});
  return sorted;
}

}  // namespace prescope

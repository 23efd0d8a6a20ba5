#include "judgements/patent_file.h"

#include "base/hash.h"
#include "base/json_lines.h"

namespace prescope {

namespace {

void append_paragraph(std::string& text, std::string_view paragraph) {
  if (!text.empty()) text += '\n';
  text += paragraph;
}

void read_field(const JsonLines& lines, const simdjson::dom::key_value_pair& field,
                PatentDocument& patent) {
  const std::string_view key = field.key;
  if (key == "id") {
    patent.docno = Docno(lines.as_name(key, lines.string(key, field.value)));
  } else if (key == "title") {
    patent.title = lines.string(key, field.value);
  } else if (key == "abstract") {
    patent.abstract = lines.string(key, field.value);
  } else if (key == "description") {
    patent.description = lines.string(key, field.value);
  } else if (key == "claims") {
    lines.for_each_string(key, field.value,
                          [&](std::string_view claim) { append_paragraph(patent.claims, claim); });
  } else if (key == "ipc") {
    lines.for_each_string(key, field.value,
                          [&](std::string_view code) { patent.ipc.emplace_back(code); });
  } else if (key == "family") {
    lines.for_each_string(key, field.value, [&](std::string_view docno) {
      patent.family.emplace_back(lines.as_name(key, docno));
    });
  }
}

}  // namespace

std::uint64_t for_each_patent(const std::filesystem::path& path,
                              const std::function<void(const PatentDocument&)>& use) {
  std::uint64_t count = 0;
  JsonLines lines(path);
  for (JsonLines::Object object; lines.next(object);) {
    PatentDocument patent;
    for (const auto field : object) read_field(lines, field, patent);
    if (patent.docno.empty()) {
      throw lines.file().bad_line(
          "no 'id'; expected {\"id\": \"EP0971326B1\", \"title\": \"...\", ...}");
    }
    use(patent);
    ++count;
  }
  return count;
}

void PatentFeed::Odd::count(const PatentDocument& document) {
  if (documents++ == 0) first = document.docno.text();
}

void PatentFeed::add(const PatentDocument& document) {
  ++documents_;
  if (!ids_.insert(key_hash(document.docno.text())).second) repeated_.count(document);
  if (document.title.empty()) without_title_.count(document);
  if (document.abstract.empty()) without_abstract_.count(document);
  if (document.title.empty() && document.abstract.empty() && document.claims.empty() &&
      document.description.empty()) {
    without_text_.count(document);
  }
}

std::vector<std::string> PatentFeed::oddities() const {
  std::vector<std::string> sentences;
  const bool no_title = without_title_.documents == documents_;
  const bool no_abstract = without_abstract_.documents == documents_;
  if (documents_ > 0 && (no_title || no_abstract)) {
    sentences.push_back(fmt::format(
        "no document has {}; if the feed has other names for them, rename them (topics made from "
        "documents are their title and abstract)",
        no_title && no_abstract ? "a field 'title' or 'abstract'"
        : no_title              ? "a field 'title'"
                                : "a field 'abstract'"));
  }
  if (without_text_.documents > 0) {
    sentences.push_back(
        fmt::format("{} of {} documents have no text that can be searched, first '{}'",
                    without_text_.documents, documents_, without_text_.first));
  }
  if (repeated_.documents > 0) {
    sentences.push_back(
        fmt::format("{} of {} documents have the id of an earlier one, first '{}'; the index has "
                    "all of them, so remove those that are not wanted",
                    repeated_.documents, documents_, repeated_.first));
  }
  return sentences;
}

}  // namespace prescope

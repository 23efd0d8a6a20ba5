#include "judgements/patent_file.h"

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

}  // namespace prescope

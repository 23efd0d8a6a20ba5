#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "base/text_file.h"
#include "citations/formats/line_documents.h"
#include "citations/formats/office_words.h"

namespace prescope {

namespace {

using JsonObject = simdjson::dom::object;
using JsonValue = simdjson::dom::element;

/// Returns the first of these fields that is there and not null.
template <class... Names>
std::optional<JsonValue> field_of(JsonObject object, Names... names) {
  for (const std::string_view name : {std::string_view(names)...}) {
    JsonValue value;
    if (object[name].get(value) == simdjson::SUCCESS && !value.is_null()) return value;
  }
  return std::nullopt;
}

/// Returns a string or an integer as text, trimmed; empty for anything else.
std::string json_text_of(std::optional<JsonValue> value) {
  if (!value) return {};
  std::string_view text;
  std::int64_t number = 0;
  if (value->get(text) == simdjson::SUCCESS) return collapsed(text);
  if (value->get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
  return {};
}

/// Calls `use` for each item of an array, or for the value itself.
template <class Use>
void for_each_item(std::optional<JsonValue> value, const Use& use) {
  if (!value) return;
  simdjson::dom::array items;
  if (value->get(items) != simdjson::SUCCESS) return use(*value);
  for (const JsonValue item : items) use(item);
}

/// Calls `use` for each number in a list as "US-7654321-B2, EP-1000000-A1", or with blanks only.
template <class Use>
void for_each_number(std::string_view list, const Use& use) {
  constexpr std::size_t kShortestNumber = 5;  // "EP 1000000 B1" is one
  const std::size_t first = list.find(' ');
  const bool has_blanks = list.find_first_of(",;|") == std::string_view::npos &&
                          first != std::string_view::npos && first >= kShortestNumber;
  const std::string_view separators = has_blanks ? " \t\r\n" : ",;|\t\r\n";
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    if (const auto number = trimmed(list.substr(begin, end - begin)); !number.empty()) use(number);
    begin = end + 1;
  }
}

/// Returns the number of an object of a document.
WrittenNumber number_in(JsonObject object) {
  std::string number =
      json_text_of(field_of(object, "publication_number", "pubnum", "patent_id", "id", "docno"));
  if (!number.empty()) return {.number = std::move(number)};
  WrittenNumber parts{
      .country = json_text_of(field_of(object, "country_code", "country")),
      .number = json_text_of(field_of(object, "original_number", "doc_number", "number")),
      .kind = json_text_of(field_of(object, "kind_code", "kind"))};
  if (parts.empty()) parts.clear();
  return parts;
}

void add_written_numbers(std::optional<JsonValue> list, std::vector<WrittenNumber>& numbers) {
  for_each_item(list, [&](JsonValue item) {
    JsonObject object;
    WrittenNumber number = item.get(object) == simdjson::SUCCESS
                               ? number_in(object)
                               : WrittenNumber{.number = json_text_of(item)};
    if (!number.empty()) numbers.push_back(std::move(number));
  });
}

class JsonReader {
 public:
  JsonReader(CitationInput& input, DocumentSink& sink) : input_(input), sink_(sink) {}

  void read() {
    for (std::string_view line; input_.next_line(line);) {
      if (trimmed(line).empty()) continue;
      JsonObject object;
      const auto failed = parser_.parse(line.data(), line.size()).get(object);
      if (failed == simdjson::SUCCESS) {
        use(object);
      } else {
        sink_.problem("line that is not one JSON object", input_.here(),
                      simdjson::error_message(failed));
      }
    }
  }

 private:
  void use(JsonObject object) {
    const bool is_literature = field_of(object, "patcit_id", "npl_publn_id").has_value();
    if (is_literature) return pass_literature(object);
    CitingDocument& document = sink_.emptied();
    document.publication = number_in(object);
    document.published = date(field_of(object, "publication_date", "pub_date"));
    document.priority = date(field_of(object, "priority_date"));
    if (!document.priority.is_known()) {
      document.priority = date(field_of(object, "filing_date", "app_date"));
    }
    document.family = json_text_of(field_of(object, "family_id", "docdb_family_id"));
    document.language = language_of(object);
    for (const std::string_view scheme : {"ipc", "cpc"}) {
      for_each_item(field_of(object, scheme), [&](JsonValue item) {
        JsonObject symbol;
        const bool is_object = item.get(symbol) == simdjson::SUCCESS;
        const std::string text = json_text_of(is_object ? field_of(symbol, "code") : item);
        add_class(document.classes, class_symbol(text));
      });
    }
    add_written_numbers(field_of(object, "family"), document.members);
    add_written_numbers(field_of(object, "cited_by"), document.cited_by);
    const auto citations = field_of(object, "citation", "citations", "cites", "Citations");
    if (citations && citations->is_string()) {
      for_each_number(json_text_of(citations),
                      [&](std::string_view number) { add_number(number); });
    } else {
      for_each_item(citations, [&](JsonValue item) { add_citation(item); });
    }
    sink_.pass(CitationFormat::kJsonLines, input_.here());
  }

  /// The text of a document is in its own language; titles and abstracts are translated.
  static std::string language_of(JsonObject object) {
    std::string language = json_text_of(field_of(object, "language"));
    for (const std::string_view field : {"description_localized", "claims_localized"}) {
      for_each_item(field_of(object, field), [&](JsonValue item) {
        JsonObject text;
        if (language.empty() && item.get(text) == simdjson::SUCCESS) {
          language = json_text_of(field_of(text, "language"));
        }
      });
    }
    return in_lower_case(language);
  }

  void add_citation(JsonValue item) {
    JsonObject object;
    if (item.get(object) == simdjson::SUCCESS) return add_citation(object);
    add_number(json_text_of(item));
  }

  void add_number(std::string_view number) {
    sink_.add({.cited = {.number = std::string(number)}}, input_.here());
  }

  void add_citation(JsonObject object) {
    Citation each{.cited = number_in(object),
                  .date = date(field_of(object, "publication_date", "date"))};
    if (each.cited.empty()) each.text = json_text_of(field_of(object, "npl_text", "text"));
    const bool is_application = each.cited.empty() && each.text.empty() &&
                                !json_text_of(field_of(object, "application_number")).empty();
    if (is_application) {
      return sink_.problem("citation of an application without a publication", input_.here(),
                           json_text_of(field_of(object, "application_number")));
    }
    for (const std::string_view field : {"type", "category", "origin"}) {
      for_each_item(field_of(object, field),
                    [&](JsonValue remark) { add_remark(each, json_text_of(remark)); });
    }
    if (const auto phase = field_of(object, "phase")) set_phase(each, json_text_of(phase));
    if (const auto source = field_of(object, "source")) set_source(each, json_text_of(source));
    // PatCit finds these in the description, which the applicant writes.
    if (field_of(object, "char_start", "original_number")) set_office_code(each, "APP");
    infer_source(each);
    sink_.add(std::move(each), input_.here());
  }

  /// Passes each patent that cites a text, which is how PatCit has literature.
  void pass_literature(JsonObject object) {
    Citation cited{.text =
                       json_text_of(field_of(object, "npl_biblio", "title", "DOI", "patcit_id"))};
    for_each_item(field_of(object, "cited_by"), [&](JsonValue item) {
      JsonObject citing;
      if (item.get(citing) != simdjson::SUCCESS) return;
      CitingDocument& document = sink_.emptied();
      document.publication = number_in(citing);
      document.published = date(field_of(citing, "publication_date"));
      document.family = json_text_of(field_of(citing, "docdb_family_id"));
      Citation each = cited;
      add_remark(each, json_text_of(field_of(citing, "origin")));
      sink_.add(std::move(each), input_.here());
      sink_.pass(CitationFormat::kJsonLines, input_.here());
    });
  }

  [[nodiscard]] PartialDate date(std::optional<JsonValue> value) {
    return sink_.date(json_text_of(value), input_.here());
  }

  CitationInput& input_;
  DocumentSink& sink_;
  simdjson::dom::parser parser_;
};

}  // namespace

void read_json_lines(CitationInput& input, DocumentSink& sink) { JsonReader(input, sink).read(); }

bool is_json_document(std::string_view line) {
  simdjson::dom::parser parser;
  JsonObject object;
  if (parser.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) return false;
  return !number_in(object).empty() || field_of(object, "patcit_id", "npl_publn_id").has_value();
}

}  // namespace prescope

#include <algorithm>
#include <utility>

#include "base/text_file.h"
#include "citations/formats/line_documents.h"
#include "citations/formats/office_words.h"

namespace prescope {

namespace {

[[nodiscard]] bool is_upper_letter(char c) noexcept { return c >= 'A' && c <= 'Z'; }

/// One field of a text, with its continuation lines: "PNO", "3518629".
struct TextField {
  std::string code{}, value{};
  std::uint64_t line = 0;

  /// Begins the field with a code of `size` letters at the beginning of its line.
  void begin(std::string_view text, std::size_t size, std::uint64_t line_number) {
    code = text.substr(0, size);
    value = utf8_or_latin1(trimmed(text.substr(size)));
    line = line_number;
  }
  /// Takes a line that continues the field. Returns false if the line does not, or there is none.
  bool take(std::string_view text) {
    if (!text.starts_with(' ') || code.empty()) return false;
    value += ' ';
    value += utf8_or_latin1(trimmed(text));
    return true;
  }
};

/// Reads the green book: sections of four letters with fields of three within.
class GreenBookReader {
 public:
  GreenBookReader(CitationInput& input, DocumentSink& sink) : input_(input), sink_(sink) {}

  void read() {
    for (std::string_view line; input_.next_line(line);) {
      if (is_section(line)) {
        begin_section(trimmed(line));
      } else if (is_field(line)) {
        use_field();
        field_.begin(line, kCode, input_.line_number());
      } else {
        field_.take(line);
      }
    }
    begin_section("");
    pass();
  }

 private:
  static constexpr std::size_t kSection = 4, kCode = 3;

  [[nodiscard]] static bool is_section(std::string_view line) {
    line = trimmed(line);
    return line.size() == kSection && std::ranges::all_of(line, is_upper_letter);
  }
  [[nodiscard]] static bool is_field(std::string_view line) {
    return line.size() > kCode && line[kCode] == ' ' && is_upper_letter(line[0]) &&
           std::ranges::all_of(line.substr(0, kCode),
                               [](char c) { return is_upper_letter(c) || is_digit(c); });
  }

  void begin_section(std::string_view name) {
    use_field();
    if (section_ == "UREF" || section_ == "FREF") {
      sink_.add(std::move(citation_), input_.at(section_line_));
    }
    citation_ = {};
    if (name == "PATN") {
      pass();
      (void)sink_.emptied();
      sink_.document().language = "en";
      document_line_ = input_.line_number();
    }
    if (name == "UREF") citation_.cited.country = "US";
    section_ = name;
    section_line_ = input_.line_number();
  }

  void pass() {
    if (document_line_ != 0) {
      sink_.pass(CitationFormat::kUsptoGreenBook, input_.at(document_line_));
    }
    document_line_ = 0;
  }

  void use_field() {
    const TextField field = std::exchange(field_, {});
    if (field.code.empty() || document_line_ == 0) return;
    const InputPlace place = input_.at(field.line);
    CitingDocument& document = sink_.document();
    if (section_ == "PATN") {
      use_publication(field, place);
    } else if (section_ == "PRIR" || section_ == "RLAP") {
      if (field.code == "APD") keep_earlier(document.priority, sink_.date(field.value, place));
    } else if (section_ == "CLAS") {
      if (field.code == "ICL") add_class(document.classes, class_symbol(field.value));
    } else if (section_ == "UREF" || section_ == "FREF") {
      use_reference(field, place);
    } else if (section_ == "OREF" && field.code.starts_with("PA")) {
      sink_.add({.text = collapsed(field.value)}, place);
    }
  }

  /// The number of a document has eight characters and a digit that checks them.
  void use_publication(const TextField& field, InputPlace place) {
    constexpr std::size_t kNumber = 8;
    constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
        {"1", "A"}, {"2", "E"}, {"4", "S"}, {"6", "P"}};
    CitingDocument& document = sink_.document();
    if (field.code == "WKU") {
      document.publication.number = field.value.substr(0, kNumber);
      document.publication.country = "US";
    } else if (field.code == "APT") {
      for (const auto& [type, kind] : kKinds) {
        if (field.value == type) document.publication.kind = kind;
      }
    } else if (field.code == "APD") {
      keep_earlier(document.priority, sink_.date(field.value, place));
    } else if (field.code == "ISD") {
      document.published = sink_.date(field.value, place);
    }
  }

  void use_reference(const TextField& field, InputPlace place) {
    constexpr std::size_t kCountry = 2;
    if (field.code == "PNO") {
      citation_.cited.number = collapsed(field.value);
    } else if (field.code == "ISD") {
      citation_.date = sink_.date(field.value, place);
    } else if (field.code == "CNT") {
      // "JPX": the third letter is a state's, which other countries do not have.
      citation_.cited.country = field.value.substr(0, kCountry);
    }
  }

  CitationInput& input_;
  DocumentSink& sink_;
  TextField field_;
  std::string section_;
  std::uint64_t section_line_ = 0, document_line_ = 0;
  Citation citation_;
};

/// Reads the text of the office's search system: fields of three or four letters.
class BrsReader {
 public:
  BrsReader(CitationInput& input, DocumentSink& sink) : input_(input), sink_(sink) {}

  void read() {
    for (std::string_view line; input_.next_line(line);) {
      if (trimmed(line) == "*** BRS DOCUMENT BOUNDARY ***") {
        pass();
        (void)sink_.emptied();
        sink_.document().language = "en";
        document_line_ = input_.line_number();
        continue;
      }
      const std::size_t code = std::min(line.find(' '), line.size());
      const bool is_field =
          (code == 3 || code == 4) && std::ranges::all_of(line.substr(0, code), is_upper_letter);
      if (field_.take(line)) continue;
      use_field();
      if (is_field) field_.begin(line, code, input_.line_number());
    }
    pass();
  }

 private:
  void pass() {
    use_field();
    add_citation();
    if (document_line_ != 0) sink_.pass(CitationFormat::kUsptoBrs, input_.at(document_line_));
    document_line_ = 0;
  }

  void use_field() {
    const TextField field = std::exchange(field_, {});
    if (field.code.empty() || document_line_ == 0) return;
    const InputPlace place = input_.at(field.line);
    CitingDocument& document = sink_.document();
    const std::string& code = field.code;
    if (code == "DID") {
      const Columns parts = split_at_blanks(field.value);
      constexpr std::size_t kParts = 3;
      if (parts.count == kParts) {
        document.publication = {.country = std::string(parts.text[0]),
                                .number = std::string(parts.text[1]),
                                .kind = std::string(parts.text[2])};
      } else {
        document.publication = {.number = collapsed(field.value)};
      }
    } else if (code == "WKU" && document.publication.empty()) {
      document.publication = {.country = "US", .number = collapsed(field.value)};
    } else if (code == "GISD" || code == "ISD") {
      document.published = sink_.date(field.value, place);
    } else if (code == "AFD" || code == "RLFD" || code == "PRAD") {
      keep_earlier(document.priority, sink_.date(field.value, place));
    } else if (code == "IPCP" || code == "IPCS" || code == "CPOI" || code == "CPOA") {
      add_class(document.classes, class_symbol(field.value));
    } else {
      use_citation(field, place);
    }
  }

  void use_citation(const TextField& field, InputPlace place) {
    const std::string& code = field.code;
    if (code == "URPN" || code == "FRCO") {
      add_citation();
      citation_line_ = field.line;
      citation_.cited.country = code == "URPN" ? "US" : field.value;
      if (code == "URPN") citation_.cited.number = collapsed(field.value);
    } else if (code == "FRPN") {
      citation_line_ = field.line;
      citation_.cited.number = collapsed(field.value);
    } else if (code == "URPD" || code == "FRPD") {
      citation_.date = sink_.date(field.value, place);
    } else if (code == "URGP" || code == "FRGP") {
      use_group(field.value);
      add_citation();
    } else if (code == "ORPL") {
      add_citation();
      citation_line_ = field.line;
      citation_.text = collapsed(field.value);
      const std::size_t source = source_at(citation_.text);
      if (source != std::string::npos) {
        set_source(citation_, std::string_view(citation_.text).substr(source));
        citation_.text = collapsed(citation_.text.substr(0, source));
      }
      add_citation();
    }
  }

  /// Returns the position of the words at the end that say who cited.
  [[nodiscard]] static std::size_t source_at(std::string_view text) {
    for (const std::string_view words : {"cited by ", "imported from a related application"}) {
      const std::size_t at = text.rfind(words);
      constexpr std::size_t kLongest = 45;
      if (at != std::string_view::npos && text.size() - at <= kLongest) return at;
    }
    return std::string_view::npos;
  }

  /// "US 2003/0169838 A1 20030900 Greenstreet et al. 375/376 cited by examiner": all of the
  /// citation once more, and the country and kind, which have no field.
  void use_group(std::string_view value) {
    constexpr std::size_t kDate = 8, kKind = 2;
    if (const std::size_t source = source_at(value); source != std::string_view::npos) {
      set_source(citation_, value.substr(source));
    }
    const std::vector<std::string> words = split(value, ' ');
    for (std::size_t i = 2; i < words.size(); ++i) {
      const bool is_date = words[i].size() == kDate && std::ranges::all_of(words[i], is_digit);
      if (!is_date) continue;
      const std::string& kind = words[i - 1];
      const bool is_kind = !kind.empty() && kind.size() <= kKind && is_upper_letter(kind[0]) &&
                           (kind.size() == 1 || is_digit(kind[1]));
      if (is_kind && i > 2) citation_.cited.kind = kind;
      if (words[0].size() == 2 && std::ranges::all_of(words[0], is_upper_letter)) {
        citation_.cited.country = words[0];
      }
      return;
    }
  }

  void add_citation() {
    if (citation_line_ != 0) sink_.add(std::move(citation_), input_.at(citation_line_));
    citation_ = {};
    citation_line_ = 0;
  }

  CitationInput& input_;
  DocumentSink& sink_;
  TextField field_;
  std::uint64_t document_line_ = 0, citation_line_ = 0;
  Citation citation_;
};

}  // namespace

void read_green_book(CitationInput& input, DocumentSink& sink) {
  GreenBookReader(input, sink).read();
}
void read_brs(CitationInput& input, DocumentSink& sink) { BrsReader(input, sink).read(); }

}  // namespace prescope

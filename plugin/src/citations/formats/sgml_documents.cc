#include <algorithm>
#include <charconv>

#include "base/unicode.h"
#include "citations/formats/office_documents.h"
#include "citations/formats/office_words.h"
#include "citations/formats/xml_documents.h"

namespace prescope {

namespace {

/// Names of the characters U+00A0 to U+00FF.
constexpr std::string_view kLatin1Entities[] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
    "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
    "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
    "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
    "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
    "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
    "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

constexpr std::pair<std::string_view, std::string_view> kOtherEntities[] = {
    {"amp", "&"},        {"lt", "<"},         {"gt", ">"},         {"quot", "\""},
    {"apos", "'"},       {"lsquo", "\u2018"}, {"rsquo", "\u2019"}, {"ldquo", "\u201C"},
    {"rdquo", "\u201D"}, {"ndash", "\u2013"}, {"mdash", "\u2014"}, {"hellip", "\u2026"},
    {"num", "#"},        {"ast", "*"},        {"lsqb", "["},       {"rsqb", "]"},
    {"prime", "\u2032"}, {"Prime", "\u2033"}, {"bull", "\u2022"},  {"trade", "\u2122"}};

/// Appends the character of an entity's name or number; returns false if it is not known.
bool append_entity(ElementTree& tree, std::string_view name) {
  if (name.starts_with('#')) {
    const bool is_hex = name.substr(1).starts_with('x') || name.substr(1).starts_with('X');
    const std::string_view digits = name.substr(is_hex ? 2 : 1);
    std::uint32_t code = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, code, is_hex ? 16 : 10);
    std::string character;
    if (error != std::errc() || stop != end || !append_utf8(character, code)) return false;
    tree.add_text(character);
    return true;
  }
  for (const auto& [known, text] : kOtherEntities) {
    if (name == known) return tree.add_text(text), true;
  }
  constexpr std::uint32_t kFirst = 0xA0;
  const auto* const found = std::ranges::find(kLatin1Entities, name);
  if (found == std::end(kLatin1Entities)) return false;
  std::string character;
  (void)append_utf8(character, kFirst + static_cast<std::uint32_t>(found - kLatin1Entities));
  tree.add_text(character);
  return true;
}

/// Appends text in which entities are replaced. Those not known stay as they are written.
void add_sgml_text(ElementTree& tree, std::string_view text) {
  constexpr std::size_t kLongestName = 10;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find('&'), text.size());
    tree.add_text(text.substr(0, begin));
    text.remove_prefix(begin);
    if (text.empty()) return;
    const std::size_t end = text.substr(0, kLongestName + 2).find(';');
    if (end != std::string_view::npos && append_entity(tree, text.substr(1, end - 1))) {
      text.remove_prefix(end + 1);
    } else {
      tree.add_text("&");
      text.remove_prefix(1);
    }
  }
}

/// Opens or closes the element of a tag, "B561", "/B561" or "CITED-BY-OTHER/". A tag without an end
/// is closed with the element around it.
void add_tag(ElementTree& tree, std::string_view tag) {
  const bool is_end = tag.starts_with('/');
  if (is_end) tag.remove_prefix(1);
  bool is_empty = tag.ends_with('/');
  if (is_empty) tag.remove_suffix(1);
  std::string name(tag.substr(0, std::min(tag.find_first_of(" \t\r\n"), tag.size())));
  std::ranges::transform(name, name.begin(), ascii_upper);
  if (is_end) {
    if (!tree.has_open(name)) return;
    while (tree.open_name() != name) tree.close();
    return tree.close();
  }
  is_empty = is_empty || name.starts_with("CITED-BY-");
  tree.open(name);
  if (is_empty) tree.close();
}

/// Builds the tree of <PATDOC> with only its bibliography. Returns false if it is nested too deeply
/// or has no bibliography.
bool build_sgml_tree(ElementTree& tree, std::string_view document) {
  constexpr std::size_t kDeepest = 256;
  constexpr std::string_view kBegin = "<SDOBI", kEnd = "</SDOBI>";
  const std::size_t begin = document.find(kBegin);
  if (begin == std::string_view::npos) return false;
  const std::size_t end = document.find(kEnd, begin);
  if (end == std::string_view::npos) return false;
  document = document.substr(begin, end + kEnd.size() - begin);
  tree.clear();
  tree.open("PATDOC");
  while (!document.empty()) {
    const std::size_t tag_begin = std::min(document.find('<'), document.size());
    add_sgml_text(tree, document.substr(0, tag_begin));
    document.remove_prefix(tag_begin);
    if (document.empty()) break;
    const bool is_comment = document.starts_with("<!--");
    const std::string_view closing = is_comment ? "-->" : ">";
    const std::size_t tag_end = document.find(closing);
    if (tag_end == std::string_view::npos) return false;
    const bool is_tag = document[1] != '!' && document[1] != '?';
    if (is_tag) add_tag(tree, document.substr(1, tag_end - 1));
    if (tree.depth() > kDeepest) return false;
    document.remove_prefix(tag_end + closing.size());
  }
  while (tree.depth() > 0) tree.close();
  return true;
}

/// Finds one document after the other in the window of the input.
class SgmlReader {
 public:
  SgmlReader(CitationInput& input, DocumentSink& sink) : input_(input), sink_(sink) {}

  void read() {
    while (skip_to_document()) read_next();
  }

 private:
  static constexpr std::string_view kBegin = "<PATDOC", kEnd = "</PATDOC>";

  void skip(std::size_t size) {
    const std::string_view skipped = input_.window().substr(0, size);
    line_ += static_cast<std::uint64_t>(std::ranges::count(skipped, '\n'));
    input_.take(size);
  }
  bool skip_to_document() {
    for (;;) {
      const std::size_t begin = input_.window().find(kBegin);
      if (begin != std::string_view::npos) return skip(begin), true;
      const std::size_t size = input_.window().size();
      skip(size - std::min(size, kBegin.size() - 1));
      if (!input_.read_more()) return false;
    }
  }
  /// Finds the end of the document that begins the window, reading on.
  void read_next() {
    const std::size_t most = sink_.options().most_document_bytes;
    std::size_t searched = kBegin.size();
    for (;;) {
      const std::size_t end = input_.window().find(kEnd, searched);
      // The beginning of the next document comes before this one's end if it was cut off.
      const std::size_t next = input_.window().substr(0, end).find(kBegin, searched);
      if (next != std::string_view::npos) return refuse("its end tag is missing", next);
      if (end != std::string_view::npos) return pass(end + kEnd.size());
      const std::size_t size = input_.window().size();
      searched = std::max(kBegin.size(), size - std::min(size, kEnd.size() - 1));
      if (size > most) return refuse("it is too large", size);
      if (!input_.read_more()) return refuse("its end tag is missing", size);
    }
  }
  void refuse(std::string_view detail, std::size_t size) {
    sink_.problem("SGML document that is broken", input_.at(line_), detail);
    skip(size);
  }
  void pass(std::size_t size) {
    const std::string text = utf8_or_latin1(input_.window().substr(0, size));
    if (!build_sgml_tree(tree_, text)) {
      return refuse("its bibliography is missing or is nested too deeply", size);
    }
    read_document(tree_, CitationFormat::kUsptoSgml, sink_, input_.at(line_));
    skip(size);
  }

  CitationInput& input_;
  DocumentSink& sink_;
  ElementTree tree_;
  std::uint64_t line_ = 1;
};

}  // namespace

void read_sgml(CitationInput& input, DocumentSink& sink) { SgmlReader(input, sink).read(); }

}  // namespace prescope

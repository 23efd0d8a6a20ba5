#include "citations/formats/xml_documents.h"

#include <expat.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "base/text_file.h"
#include "citations/formats/office_documents.h"

namespace prescope {

namespace {

constexpr std::string_view kDeclaration = "<?xml ";

[[nodiscard]] std::string_view without_prefix(std::string_view name) noexcept {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// Reads one XML document after the other with one parser.
class XmlReader {
 public:
  XmlReader(CitationInput& input, CitationFormat only, DocumentSink& sink)
      : input_(input),
        only_(only),
        sink_(sink),
        parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
  }

  XmlContent read() {
    while (skip_to_document()) read_document_text();
    return std::move(content_);
  }

 private:
  bool skip_to_document();
  void read_document_text();
  bool feed();
  [[nodiscard]] std::size_t next_declaration(std::size_t from);
  [[nodiscard]] bool has_endless_tag();
  [[nodiscard]] std::uint64_t parsed() const noexcept;
  void resume_behind_document();
  void count_error();
  void skip_to_next_document();
  void set_up_parser();
  void skip(std::size_t size);

  void start(std::string_view name, const XML_Char** attributes);
  void end();
  void leave_out_document(std::string_view reason, std::string_view detail);
  void check_size();
  [[nodiscard]] bool is_in_comment(std::size_t position);

  /// Calls a member function for expat, through which no exception may pass.
  template <class Call>
  void guarded(const Call& call) noexcept {
    if (failure_) return;
    try {
      call();
    } catch (...) {
      failure_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }
  [[nodiscard]] std::uint64_t line() const noexcept {
    return lines_before_ + XML_GetCurrentLineNumber(parser_.get());
  }
  [[nodiscard]] InputPlace place() const noexcept { return input_.at(line()); }

  CitationInput& input_;
  const CitationFormat only_;
  DocumentSink& sink_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser_;
  XmlContent content_;
  std::exception_ptr failure_;

  // Of the XML document that is read.
  std::uint64_t lines_before_ = 0;  // line feeds before it
  std::size_t fed_ = 0;             // bytes of the input's window that the parser has
  std::uint64_t taken_ = 0;         // bytes of the document that left the window
  std::size_t depth_ = 0;
  bool has_root_ = false, is_root_document_ = false;
  std::string_view refusal_;  // why the parser was stopped; empty if it was not

  // Of the patent document that is read; kAuto outside one.
  CitationFormat format_ = CitationFormat::kAuto;
  ElementTree tree_;
  std::uint64_t document_line_ = 0;
  std::size_t left_out_depth_ = 0;  // of elements that do not matter
};

/// Skips what is no XML. Returns false at the end of the input.
bool XmlReader::skip_to_document() {
  for (;;) {
    const std::size_t begin = input_.window().find('<');
    skip(std::min(begin, input_.window().size()));
    if (begin != std::string_view::npos) return true;
    if (!input_.read_more()) return false;
  }
}

/// Drops bytes between documents.
void XmlReader::skip(std::size_t size) {
  const std::string_view skipped = input_.window().substr(0, size);
  lines_before_ += static_cast<std::uint64_t>(std::ranges::count(skipped, '\n'));
  input_.take(size);
}

void XmlReader::set_up_parser() {
  XML_Parser parser = parser_.get();
  XML_ParserReset(parser, nullptr);
  XML_SetUserData(parser, this);
  XML_SetElementHandler(
      parser,
      [](void* self, const XML_Char* name, const XML_Char** attributes) {
        auto& reader = *static_cast<XmlReader*>(self);
        reader.guarded([&] { reader.start(name, attributes); });
      },
      [](void* self, const XML_Char*) {
        auto& reader = *static_cast<XmlReader*>(self);
        reader.guarded([&] { reader.end(); });
      });
  XML_SetCharacterDataHandler(parser, [](void* self, const XML_Char* text, int size) {
    auto& reader = *static_cast<XmlReader*>(self);
    if (reader.tree_.depth() == 0 || reader.left_out_depth_ != 0) return;
    reader.guarded([&] {
      reader.tree_.add_text({text, static_cast<std::size_t>(size)});
      reader.check_size();
    });
  });
  // Entities that contain others are bombs: no office declares any. Pictures are declared as
  // external entities, which are never loaded.
  XML_SetEntityDeclHandler(
      parser, [](void* self, const XML_Char*, int, const XML_Char* value, int size, const XML_Char*,
                 const XML_Char*, const XML_Char*, const XML_Char*) {
        if (value == nullptr) return;
        const std::string_view text(value, static_cast<std::size_t>(size));
        if (text.find('&') == std::string_view::npos) return;
        auto& reader = *static_cast<XmlReader*>(self);
        reader.refusal_ = "an entity that contains entities";
        XML_StopParser(reader.parser_.get(), XML_FALSE);
      });
}

void XmlReader::read_document_text() {
  set_up_parser();
  fed_ = 0;
  taken_ = 0;
  depth_ = 0;
  left_out_depth_ = 0;
  has_root_ = is_root_document_ = false;
  refusal_ = {};
  tree_.clear();
  while (feed()) continue;
}

/// Returns true if the bytes before the position open a comment or CDATA that ends behind it.
bool XmlReader::is_in_comment(std::size_t position) {
  constexpr std::size_t kFarthestEnd = std::size_t{1} << 16U;
  constexpr std::pair<std::string_view, std::string_view> kSections[] = {{"<!--", "-->"},
                                                                         {"<![CDATA[", "]]>"}};
  for (const auto& [begin, end] : kSections) {
    const std::size_t opened = input_.window().rfind(begin, position);
    if (opened == std::string_view::npos) continue;
    if (input_.window().find(end, opened + begin.size()) < position) continue;
    input_.fill(position + kFarthestEnd);
    // Without an end, the document was cut off within its comment.
    const std::size_t found = input_.window().find(end, position);
    if (found != std::string_view::npos && found - position < kFarthestEnd) return true;
  }
  return false;
}

/// Returns the position of the next XML declaration in the window, which begins another document.
std::size_t XmlReader::next_declaration(std::size_t from) {
  std::size_t at = input_.window().find(kDeclaration, from);
  while (at != std::string_view::npos && is_in_comment(at)) {
    at = input_.window().find(kDeclaration, at + 1);
  }
  return at;
}

/// Gives the parser the next bytes, up to the beginning of another document. Returns false when the
/// document has ended, well or not.
bool XmlReader::feed() {
  constexpr std::size_t kKept = std::size_t{1} << 16U;  // for the position of an error
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 20U;
  if (fed_ > 2 * kKept) {
    input_.take(fed_ - kKept);
    taken_ += fed_ - kKept;
    fed_ = kKept;
  }
  const std::size_t from = fed_ == 0 && taken_ == 0 ? 1 : fed_;
  bool is_at_end = false;
  if (input_.window().size() < from + kDeclaration.size()) is_at_end = !input_.read_more();
  std::size_t end = next_declaration(from);
  bool is_last = end != std::string_view::npos;
  if (!is_last) {
    const std::size_t size = input_.window().size();
    is_last = is_at_end;
    // A declaration may have begun at the end of the window.
    end = is_at_end ? size : std::max(fed_, size - std::min(size, kDeclaration.size() - 1));
  }
  is_last = is_last && end <= fed_ + kMostAtOnce;
  end = std::min(end, fed_ + kMostAtOnce);
  const std::string_view text = input_.window().substr(fed_, end - fed_);
  const XML_Status status =
      XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), is_last ? 1 : 0);
  if (failure_) std::rethrow_exception(failure_);
  fed_ = end;
  if (status == XML_STATUS_ERROR || has_endless_tag()) {
    resume_behind_document();
    return false;
  }
  if (!is_last) return true;
  lines_before_ += XML_GetCurrentLineNumber(parser_.get()) - 1;
  input_.take(fed_);
  return false;
}

/// The time for a tag grows with the square of its size.
bool XmlReader::has_endless_tag() {
  constexpr std::uint64_t kLongest = std::uint64_t{16} << 20U;
  if (taken_ + fed_ - parsed() <= kLongest) return false;
  refusal_ = "a tag, comment or entity of more than 16 MiB";
  return true;
}

/// Returns the bytes of the document that the parser is done with.
std::uint64_t XmlReader::parsed() const noexcept {
  const XML_Index index = XML_GetCurrentByteIndex(parser_.get());
  return std::min(static_cast<std::uint64_t>(std::max<XML_Index>(index, 0)), taken_ + fed_);
}

/// Goes to the position at which the parser stopped, and on to the next document if this one is
/// broken.
void XmlReader::resume_behind_document() {
  const bool is_whole = has_root_ && depth_ == 0 && refusal_.empty();
  if (!is_whole) count_error();
  const std::size_t stopped = parsed() < taken_ ? 0 : static_cast<std::size_t>(parsed() - taken_);
  lines_before_ += XML_GetCurrentLineNumber(parser_.get()) - 1;
  input_.take(stopped);
  if (is_whole) return;
  // What is broken before the root is opened must not be taken for a document again.
  const bool is_at_own_begin = !has_root_ && stopped < fed_;
  if (is_at_own_begin || (stopped == 0 && taken_ == 0)) skip(1);
  skip_to_next_document();
}

void XmlReader::count_error() {
  const XML_Error error = XML_GetErrorCode(parser_.get());
  const std::string_view words =
      refusal_.empty() ? std::string_view(XML_ErrorString(error)) : refusal_;
  std::string_view reason = "document that is not well-formed XML";
  if (!refusal_.empty() || error == XML_ERROR_AMPLIFICATION_LIMIT_BREACH) {
    reason = "document with entities or tags that are too large";
  } else if (has_root_ && !is_root_document_) {
    reason =
        "XML that is not well-formed; what stands behind it in the same XML document is not read";
  }
  sink_.problem(reason, place(), words);
}

/// Skips the rest of a broken document.
void XmlReader::skip_to_next_document() {
  constexpr std::size_t kLongest = 40;  // of what is looked for
  constexpr std::string_view kRoots[] = {"us-patent-grant", "us-patent-application",
                                         "patent-application-publication", "patent-document",
                                         "PATDOC"};
  const auto begins_document = [&](std::string_view text) {
    if (text.starts_with(kDeclaration) || text.starts_with("<!DOCTYPE")) return true;
    if (!has_root_) return false;  // it is the broken document's own root
    return std::ranges::any_of(kRoots, [&](std::string_view root) {
      return text.substr(1).starts_with(root) && text.size() > root.size() + 1 &&
             std::string_view(" \t\r\n>").find(text[root.size() + 1]) != std::string_view::npos;
    });
  };
  for (std::size_t at = 0;;) {
    at = std::min(input_.window().find('<', at), input_.window().size());
    if (at + kLongest > input_.window().size()) {
      skip(at);
      at = 0;
      input_.fill(kLongest);
      if (input_.window().empty()) return;
      if (input_.window().front() != '<') continue;
    }
    if (begins_document(input_.window().substr(at))) return skip(at);
    ++at;
  }
}

void XmlReader::start(std::string_view name, const XML_Char** attributes) {
  constexpr std::size_t kDeepest = 256;
  ++depth_;
  const bool is_root = !has_root_;
  has_root_ = true;
  if (is_root && content_.first_root.empty()) content_.first_root = name;
  if (left_out_depth_ != 0) {
    ++left_out_depth_;
    return;
  }
  const std::string_view plain = without_prefix(name);
  if (tree_.depth() == 0) {
    const CitationFormat format = format_of_element(plain);
    if (is_root) is_root_document_ = format != CitationFormat::kAuto;
    if (is_root && is_companion(plain)) content_.has_documents = true;
    if (format == CitationFormat::kAuto) return;
    content_.has_documents = true;
    if (only_ != CitationFormat::kAuto && only_ != format) return;
    tree_.clear();
    format_ = format;
    document_line_ = line();
  } else if (is_left_out(plain)) {
    left_out_depth_ = 1;
    return;
  }
  tree_.open(plain);
  for (; *attributes != nullptr; attributes += 2) {
    tree_.add_attribute(without_prefix(attributes[0]), attributes[1]);
  }
  if (tree_.depth() > kDeepest) {
    leave_out_document("document nested too deeply", "more than 256 elements within each other");
  } else {
    check_size();
  }
}

void XmlReader::end() {
  --depth_;
  if (left_out_depth_ != 0) {
    --left_out_depth_;
    return;
  }
  if (tree_.depth() == 0) return;
  tree_.close();
  if (tree_.depth() != 0) return;
  read_document(tree_, format_, sink_, input_.at(document_line_));
  tree_.clear();
}

/// Leaves out the patent document that is read, up to the end of its element.
void XmlReader::leave_out_document(std::string_view reason, std::string_view detail) {
  sink_.problem(reason, place(), detail);
  left_out_depth_ = tree_.depth();
  tree_.clear();
}

void XmlReader::check_size() {
  const std::size_t most = sink_.options().most_document_bytes;
  if (tree_.bytes() <= most) return;
  leave_out_document("document that is too large", fmt::format("more than {} bytes", most));
}

}  // namespace

XmlContent read_xml(CitationInput& input, CitationFormat only, DocumentSink& sink) {
  return XmlReader(input, only, sink).read();
}

}  // namespace prescope

#include "citations/formats/read_citations.h"

#include <algorithm>
#include <optional>

#include "base/byte_source.h"
#include "base/containers.h"
#include "base/errors.h"
#include "base/text_file.h"
#include "base/unicode.h"
#include "citations/formats/document_sink.h"
#include "citations/formats/line_documents.h"
#include "citations/formats/office_words.h"
#include "citations/formats/xml_documents.h"
#include "citations/formats/zip_archive.h"

namespace prescope {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::pair<CitationFormat, std::string_view> kFormatNames[] = {
    {CitationFormat::kAuto, "auto"},
    {CitationFormat::kUsptoXml, "uspto-xml"},
    {CitationFormat::kUsptoPap, "uspto-pap"},
    {CitationFormat::kUsptoSgml, "uspto-sgml"},
    {CitationFormat::kUsptoGreenBook, "uspto-greenbook"},
    {CitationFormat::kUsptoBrs, "uspto-brs"},
    {CitationFormat::kEpoExchange, "epo-exchange"},
    {CitationFormat::kOpsFamily, "ops-family"},
    {CitationFormat::kEpoRegister, "epo-register"},
    {CitationFormat::kMarec, "marec"},
    {CitationFormat::kJsonLines, "json-lines"},
    {CitationFormat::kTable, "table"},
    {CitationFormat::kQrels, "qrels"}};

constexpr std::string_view kExpectedCitations =
    "expected XML, SGML or text of the USPTO, XML of the EPO or of MAREC, JSON lines with "
    "\"publication_number\" or \"id\", a table whose header names citing and cited documents, or "
    "\"topic 0 docno grade\"; plain, gzip or zip";

constexpr std::string_view kGzipMark = "\x1F\x8B\x08";
constexpr std::size_t kHead = std::size_t{1} << 16U;

[[nodiscard]] bool is_zip(std::string_view head) {
  return head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv);
}

/// Returns the first line that is not blank.
[[nodiscard]] std::string_view first_text_line(std::string_view head) {
  head = without_mark(head);
  while (!head.empty() && (is_blank(head.front()) || head.front() == '\n')) head.remove_prefix(1);
  return head.substr(0, std::min(head.find('\n'), head.size()));
}

[[nodiscard]] bool has_line(std::string_view head, std::string_view wanted) {
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = std::min(head.find('\n', begin), head.size());
    if (trimmed(head.substr(begin, end - begin)) == wanted) return true;
    begin = end + 1;
  }
  return false;
}

/// Returns the format of what begins with `head`; std::nullopt if it is none. kAuto stands for XML,
/// in which the elements tell.
[[nodiscard]] std::optional<CitationFormat> detect_format(std::string_view head) {
  using enum CitationFormat;
  const std::string_view line = first_text_line(head);
  if (line.starts_with('<')) {
    const bool is_sgml = head.find("<PATDOC") != std::string_view::npos ||
                         head.find("<!DOCTYPE PATDOC") != std::string_view::npos;
    return is_sgml ? kUsptoSgml : kAuto;
  }
  if (line.starts_with('{')) {
    // A longer line is taken for JSON by its beginning.
    const bool is_cut = line.size() + 1 >= head.size() && head.size() >= kHead;
    if (is_cut || is_json_document(line)) return kJsonLines;
    return std::nullopt;
  }
  if (head.find("*** BRS DOCUMENT BOUNDARY ***") != std::string_view::npos) return kUsptoBrs;
  if (has_line(head, "PATN")) return kUsptoGreenBook;
  if (is_table_header(line)) return kTable;
  if (is_qrels_line(line) && is_utf8(line)) return kQrels;
  return std::nullopt;
}

/// Describes what was found, for messages.
[[nodiscard]] std::string found_words(std::string_view head) {
  constexpr std::size_t kShown = 60;
  if (head.empty()) return "is empty";
  const std::string_view line = first_text_line(head);
  const bool is_markup = line.starts_with('<');
  if (const std::string refusal = refusal_of_container(head); !is_markup && !refusal.empty()) {
    return refusal;
  }
  const bool is_binary = head.find('\0') != std::string_view::npos;
  if (is_binary) return "holds binary data";
  return fmt::format("begins with '{}'", valid_utf8(line.substr(0, kShown)));
}

/// Reads one file with all archives in it.
class FileReader {
 public:
  FileReader(const std::filesystem::path& path, DocumentSink& sink) : path_(path), sink_(sink) {}

  void read() {
    ByteSource source(path_, ByteSource::Content::kAny);
    CitationInput input(source.name(), read_of(source), sink_.options().most_document_bytes);
    input.fill(kHead);
    if (!is_zip(input.window())) {
      if (const std::string found = read_text(input); !found.empty()) {
        throw bad_input_error("{}: {}; {}", input.place(), found, kExpectedCitations);
      }
      return source.check_unchanged();
    }
    // A zip archive's directory is at its end.
    const bool is_plain = source.has_random_access();
    const OpenFile file = is_plain ? open_file(path_) : spooled(input);
    UnpackingLimit limit(file_size_of(file.get()), sink_.options().most_unpacked_ratio);
    try {
      read_archive(file.get(), source.name(), limit, 1);
    } catch (const DamagedMember& damage) {
      throw bad_input_error("{}: {}", source.name(), damage.what());
    }
  }

 private:
  static CitationInput::Read read_of(ByteSource& source) {
    return [&source](char* into, std::size_t size) { return source.read(into, size, 0); };
  }

  /// Reads all but archives. Returns what was found instead if the format is none of the known.
  [[nodiscard]] std::string read_text(CitationInput& input);
  void read_archive(std::FILE* file, const std::string& place, UnpackingLimit& limit,
                    unsigned depth);
  void read_member(ZipMember& member, const std::string& place, UnpackingLimit& limit,
                   unsigned depth);

  const std::filesystem::path& path_;
  DocumentSink& sink_;
};

std::string FileReader::read_text(CitationInput& input) {
  using enum CitationFormat;
  input.fill(kHead);
  const std::string_view head = input.window();
  const CitationFormat asked = sink_.options().format;
  std::optional<CitationFormat> format = asked;
  if (asked == kAuto) format = detect_format(head.substr(0, kHead));
  if (!format) return found_words(head);
  if (*format == kUsptoSgml) {
    const std::uint64_t problems = sink_.problems().count(), documents = sink_.documents();
    read_sgml(input, sink_);
    const bool is_none = sink_.problems().count() == problems && sink_.documents() == documents;
    return is_none ? "has no <PATDOC>" : "";
  }
  if (*format == kUsptoGreenBook) return read_green_book(input, sink_), "";
  if (*format == kUsptoBrs) return read_brs(input, sink_), "";
  if (*format == kJsonLines) return read_json_lines(input, sink_), "";
  if (*format == kTable) {
    if (!is_table_header(first_text_line(head))) {
      return fmt::format("{}, which names no column of citing or of cited documents",
                         found_words(head));
    }
    return read_table(input, sink_), "";
  }
  if (*format == kQrels) return read_qrels(input, sink_), "";
  const std::string found = found_words(head.substr(0, kHead));
  const std::uint64_t problems = sink_.problems().count();
  const XmlContent content = read_xml(input, *format, sink_);
  if (content.has_documents || sink_.problems().count() != problems) return {};
  return content.first_root.empty()
             ? found
             : fmt::format("is XML of <{}>, in which there is no patent document",
                           valid_utf8(content.first_root));
}

void FileReader::read_archive(std::FILE* file, const std::string& place, UnpackingLimit& limit,
                              unsigned depth) {
  for_each_zip_member(file, [&](ZipMember& member) {
    const std::string inner = fmt::format("{}/{}", place, member.name);
    // Metadata that an operating system puts into archives.
    if (member.name.starts_with("__MACOSX/") || member.name.ends_with(".DS_Store")) return;
    read_member(member, inner, limit, depth);
  });
}

void FileReader::read_member(ZipMember& member, const std::string& place, UnpackingLimit& limit,
                             unsigned depth) {
  const std::size_t longest = sink_.options().most_document_bytes;
  const auto limited = [&limit, &place](CitationInput::Read read) {
    return [read = std::move(read), &limit, &place](char* into, std::size_t size) {
      const std::size_t got = read(into, size);
      limit.add(got, place);
      return got;
    };
  };
  CitationInput input(place, limited(member.read), longest);
  if (!member.problem.empty()) {
    return sink_.problem("member of an archive that cannot be unpacked", input.at(0),
                         member.problem);
  }
  try {
    input.fill(kHead);
    if (is_zip(input.window())) {
      if (depth >= sink_.options().deepest_archive) {
        return sink_.problem("archives in archives, nested too deeply", input.at(0),
                             fmt::format("more than {}", depth));
      }
      const OpenFile file = spooled(input);
      return read_archive(file.get(), place, limit, depth + 1);
    }
    const bool is_gzip = input.window().starts_with(kGzipMark);
    CitationInput unpacked(
        place, is_gzip ? CitationInput::Read(limited(unpacked_gzip(input))) : CitationInput::Read(),
        longest);
    const std::string found = read_text(is_gzip ? unpacked : input);
    if (!found.empty()) {
      sink_.problem("member of an archive in no known format", input.at(0), found);
    }
  } catch (const DamagedMember& damage) {
    sink_.problem("member of an archive that is damaged", input.at(0), damage.what());
  }
}

}  // namespace

void ReadingProblems::add(std::string_view reason, std::string_view example) {
  auto found = reasons_.find(reason);
  if (found == reasons_.end()) found = reasons_.emplace(reason, Reason{}).first;
  ++count_;
  ++found->second.count;
  if (found->second.examples.size() >= kExamples) return;
  std::string shown = valid_utf8(example.substr(0, kLongestExample));
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  found->second.examples.push_back(std::move(shown));
}

void ReadingProblems::merge(const ReadingProblems& other) {
  count_ += other.count_;
  for (const auto& [name, reason] : other.reasons_) {
    Reason& own = reasons_[name];
    own.count += reason.count;
    for (const std::string& example : reason.examples) {
      if (own.examples.size() < kExamples) own.examples.push_back(example);
    }
  }
}

std::string_view name_of(CitationFormat format) noexcept {
  return kFormatNames[static_cast<std::size_t>(format)].second;
}

std::vector<std::string_view> citation_format_names() {
  std::vector<std::string_view> names;
  for (const auto& [format, name] : kFormatNames) names.push_back(name);
  return names;
}

CitationFormat citation_format_named(std::string_view name) {
  for (const auto& [format, each] : kFormatNames) {
    if (each == name) return format;
  }
  const std::vector<std::string_view> names = citation_format_names();
  throw Error(ErrorCode::kUsage, unknown_name_message("format of citations", name, names));
}

FileFacts read_citations(const std::filesystem::path& path,
                         const std::function<void(CitingDocument&)>& use,
                         const ReadCitationsOptions& options) {
  DocumentSink sink(use, options);
  FileReader(path, sink).read();
  return sink.take_facts();
}

}  // namespace prescope

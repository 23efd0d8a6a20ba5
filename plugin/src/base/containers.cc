#include "base/containers.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/text_file.h"

namespace prescope {

namespace {

using std::string_view_literals::operator""sv;

/// Bytes with which a format begins, its name, and what to do about it.
struct Format {
  std::string_view bytes, name, remedy;
  std::size_t offset = 0;
};

constexpr std::string_view kUnpack = "unpack it, and give the file inside";
constexpr std::string_view kExportText = "export it as text (columns or JSON lines)";
constexpr std::string_view kFetch = "the download failed: fetch the file itself";
constexpr std::string_view kToUtf8 = "convert it with iconv -t UTF-8";

/// Compressed data: the remedy is the program.
constexpr Format kCompressed[] = {{"BZh"sv, "bzip2", "bunzip2"},
                                  {"\xFD\x37zXZ\0"sv, "xz", "unxz"},
                                  {"\x28\xB5\x2F\xFD"sv, "Zstandard", "unzstd"},
                                  {"\x04\x22\x4D\x18"sv, "lz4", "unlz4"},
                                  {"\x02\x21\x4C\x18"sv, "lz4", "unlz4"},
                                  {"LZIP\x01"sv, "lzip", "lzip -d"},
                                  {"\x89LZO\0\r\n\x1A\n"sv, "lzop", "lzop -d"},
                                  {"\x5D\0\0"sv, "lzma", "unlzma"},
                                  {"\xFF\x06\0\0sNaPpY"sv, "Snappy", "snzip -d"},
                                  {"\x1F\x9D"sv, "compress", "uncompress"}};

constexpr Format kFormats[] = {
    {"ustar"sv, "a tar archive", "unpack it with tar -xf, and give the file inside", 257},
    {"PK\x03\x04"sv, "a zip archive (or a spreadsheet, which is one)",
     "unpack it with unzip, or export the sheet as text"},
    {"PK\x05\x06"sv, "an empty zip archive", "look for the file that it should hold"},
    {"PK\x07\x08"sv, "a part of a zip archive", "unpack it with unzip"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive", "unpack it with 7z x, and give the file inside"},
    {"Rar!\x1A\x07"sv, "a RAR archive", "unpack it with unrar x, and give the file inside"},
    {"MSCF\0\0\0\0"sv, "a cabinet archive", kUnpack},
    {"!<arch>\n"sv, "an ar archive", kUnpack},
    {"%PDF-"sv, "a PDF document", kExportText},
    {"%!PS"sv, "a PostScript document", kExportText},
    {"{\\rtf"sv, "a Rich Text document", kExportText},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an Office document", kExportText},
    {"version https://git-lfs.github.com/spec/"sv, "a Git LFS pointer, not the file",
     "fetch the file with git lfs pull"},
    {"version https://hawser.github.com/spec/"sv, "a Git LFS pointer, not the file",
     "fetch the file with git lfs pull"},
    {"/annex/objects/"sv, "a git-annex pointer, not the file", "fetch the file with git annex get"},
    {"\xFF\xFE\0\0"sv, "text in UTF-32", kToUtf8},
    {"\0\0\xFE\xFF"sv, "text in UTF-32", kToUtf8},
    {"\xFF\xFE"sv, "text in UTF-16", kToUtf8},
    {"\xFE\xFF"sv, "text in UTF-16", kToUtf8},
    {"PAR1\x15"sv, "a Parquet table", kExportText},
    {"ARROW1\0\0"sv, "an Arrow table", kExportText},
    {"\xFF\xFF\xFF\xFF"sv, "an Arrow stream", kExportText},
    {"FEA1\0"sv, "a Feather table", kExportText},
    {"Obj\x01"sv, "an Avro file", kExportText},
    {"ORC\x0A"sv, "an ORC table", kExportText},
    {"ORC\x08"sv, "an ORC table", kExportText},
    {"\x89HDF\r\n\x1A\n"sv, "an HDF5 file", kExportText},
    {"\x93NUMPY"sv, "a NumPy array", kExportText},
    {"SQLite format 3\0"sv, "an SQLite database", kExportText},
    {"\x7F"
     "ELF"sv,
     "a program", "give a text file"},
    {"\x89PNG\r\n\x1A\n"sv, "a picture", "give a text file"},
    {"\xFF\xD8\xFF"sv, "a picture", "give a text file"}};

/// Beginnings of markup in lower case; white space before them is skipped.
constexpr Format kMarkup[] = {
    {"<!doctype html"sv, "an HTML page", kFetch},
    {"<html"sv, "an HTML page", kFetch},
    {"<head"sv, "an HTML page", kFetch},
    {"<!--"sv, "an HTML page or XML", kFetch},
    {"<?xml"sv, "XML", "write columns or JSON lines from it, one document or line each"},
    {"<!doctype"sv, "XML", "write columns or JSON lines from it, one document or line each"},
    {"<top>"sv, "topics in TREC's markup", "write \"id<TAB>text\" lines from them"},
    {"<doc>"sv, "documents in TREC's markup", "write JSON lines from them"}};

bool has_at(std::string_view head, const Format& format) {
  return head.size() >= format.offset && head.substr(format.offset).starts_with(format.bytes);
}

/// Text that begins with "BZh" is no bzip2 data, which goes on with a digit and six fixed bytes.
bool is_compressed(std::string_view head, const Format& format) {
  constexpr std::string_view kBehindBzip2Level = "1AY&SY";
  if (!has_at(head, format)) return false;
  return format.name != "bzip2" || head.find(kBehindBzip2Level) == format.bytes.size() + 1;
}

/// Pickled objects of protocols 2 to 5 begin with a byte that begins no text, and the protocol.
bool is_pickle(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

/// Returns true if every other byte is NUL, as in UTF-16 without a byte-order mark.
bool is_utf16(std::string_view head) {
  constexpr std::size_t kLeast = 8;
  if (head.size() < kLeast) return false;
  std::size_t nul[2] = {0, 0};
  for (std::size_t i = 0; i < head.size(); ++i) nul[i % 2] += head[i] == '\0' ? 1 : 0;
  const std::size_t half = head.size() / 2;
  return (nul[0] == 0 && nul[1] * 10 >= half * 9) || (nul[1] == 0 && nul[0] * 10 >= half * 9);
}

std::string words(const Format& format) {
  return fmt::format("is {}; {}", format.name, format.remedy);
}

}  // namespace

std::string refusal_of_container(std::string_view head) {
  for (const Format& format : kCompressed) {
    if (!is_compressed(head, format)) continue;
    return fmt::format(
        "is {} data, which is not read; decompress it with {}, or recompress it "
        "with gzip",
        format.name, format.remedy);
  }
  for (const Format& format : kFormats) {
    if (has_at(head, format)) return words(format);
  }
  if (is_pickle(head))
    return words({.bytes = "", .name = "a pickled Python object", .remedy = kExportText});
  if (is_utf16(head)) return words({.bytes = "", .name = "text in UTF-16", .remedy = kToUtf8});
  std::string_view text = without_mark(head);
  while (!text.empty() && (is_blank(text.front()) || text.front() == '\n')) text.remove_prefix(1);
  if (!text.starts_with('<')) return {};
  std::string lower(text.substr(0, 16));
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  for (const Format& format : kMarkup) {
    if (lower.starts_with(format.bytes)) return words(format);
  }
  return {};
}

}  // namespace prescope

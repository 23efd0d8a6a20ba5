#include "base/text_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "support/scratch_file.h"

namespace prescope {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::filesystem::path& path) {
  TextFile file(path);
  Lines lines;
  for (std::string_view line; file.next(line);) {
    lines.emplace_back(line);
    EXPECT_EQ(file.line_number(), lines.size());
  }
  return lines;
}

TEST(TextFile, ReturnsLinesWithoutLineEnds) {
  const ScratchFolder folder;
  const struct {
    std::string_view bytes;
    Lines lines;
  } cases[] = {
      {"", {}},
      {"a", {"a"}},
      {"a\nb\n", {"a", "b"}},
      {"a\r\nb\r\n", {"a", "b"}},
      {"a\n\n\nb", {"a", "", "", "b"}},
      {"a\rb\n", {"a\rb"}},  // a carriage return alone ends no line
      {"\xEF\xBB\xBF"
       "a\n\xEF\xBB\xBF"
       "b\n",
       {"a", "b"}},  // marks of joined files
      {"\xC3\xA9t\xC3\xA9\n", {"\xC3\xA9t\xC3\xA9"}},
  };
  for (const auto& [bytes, lines] : cases) {
    SCOPED_TRACE(std::string(bytes));
    EXPECT_EQ(lines_of(folder.write("plain", bytes)), lines);
    EXPECT_EQ(lines_of(folder.write_gzip("zipped", bytes)), lines);
  }
}

TEST(TextFile, ReturnsLinesOfAnyLength) {
  const ScratchFolder folder;
  Lines expected;
  std::string bytes;
  for (const std::size_t length : {std::size_t{1}, std::size_t{262'143}, std::size_t{262'144},
                                   std::size_t{262'145}, std::size_t{1'500'000}, std::size_t{7}}) {
    expected.emplace_back(length, static_cast<char>('a' + expected.size()));
    bytes += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(folder.write("plain", bytes)), expected);
  EXPECT_EQ(lines_of(folder.write_gzip("zipped", bytes)), expected);
}

TEST(TextFile, ReadsGzipMembersInARowAsOneText) {
  const ScratchFolder folder;
  const std::string first = content_of(folder.write_gzip("first", "a\nb"));
  const std::string second = content_of(folder.write_gzip("second", "c\nd\n"));
  EXPECT_EQ(lines_of(folder.write("both.gz", first + second)), (Lines{"a", "bc", "d"}));
}

TEST(TextFile, RefusesMissingFilesAndFolders) {
  const ScratchFolder folder;
  const std::string missing = (folder.path() / "missing.txt").string();
  const auto absent = refusal_of([&] { TextFile file(missing); });
  EXPECT_EQ(absent.code, ErrorCode::kIo);
  EXPECT_EQ(absent.message, missing + ": cannot be read: No such file or directory");
  const auto directory = refusal_of([&] { TextFile file(folder.path()); });
  EXPECT_EQ(directory.code, ErrorCode::kIo);
  EXPECT_EQ(directory.message, folder.path().string() + ": is a folder; give a file");
}

TEST(TextFile, RefusesGzipThatEndsEarlyAtEveryLength) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "topic" + std::to_string(i * i) + " 0 EP1 1\n";
  const std::string whole = content_of(folder.write_gzip("whole.gz", text));
  // From 3 bytes on the file is recognised as gzip; below, it is two odd bytes of text.
  for (std::size_t size = 3; size < whole.size(); ++size) {
    const auto path = folder.write("cut.gz", std::string_view(whole).substr(0, size));
    const auto refused = refusal_of([&] { lines_of(path); });
    ASSERT_EQ(refused.code, ErrorCode::kIo) << size << " bytes: " << refused.message;
    ASSERT_TRUE(refused.message.starts_with(path.string() + ": gzip data ends early after line "))
        << size << " bytes: " << refused.message;
    ASSERT_TRUE(refused.message.ends_with("; fetch the file again")) << refused.message;
  }
}

TEST(TextFile, TruncatedGzipErrorNamesTheLastReadableLine) {
  const ScratchFolder folder;
  // Stored, not compressed: 10-byte header, 5-byte block header, then the text itself.
  gzFile file = gzopen((folder.path() / "stored.gz").c_str(), "wb0");
  gzputs(file, "one\ntwo\nthree\n");
  gzclose(file);
  const std::string whole = content_of(folder.path() / "stored.gz");
  const auto path = folder.write("cut.gz", std::string_view(whole).substr(0, 10 + 5 + 9));
  EXPECT_EQ(refusal_of([&] { lines_of(path); }).message,
            path.string() + ": gzip data ends early after line 2; fetch the file again");
}

TEST(TextFile, RefusesDamagedGzip) {
  const ScratchFolder folder;
  const std::string long_line(10'000, 'x');
  std::string bytes = content_of(folder.write_gzip("good.gz", long_line));
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // of the checksum
  const auto path = folder.write("bad.gz", bytes);
  const auto refused = refusal_of([&] { lines_of(path); });
  EXPECT_EQ(refused.code, ErrorCode::kIo);
  EXPECT_EQ(refused.message,
            path.string() + ": gzip data is damaged after line 0; fetch the file again");
}

TEST(TextFile, NamesOtherBytesBehindGzip) {
  const ScratchFolder folder;
  const std::string whole = content_of(folder.write_gzip("whole.gz", "one\ntwo\n"));
  // A padded block is no damage.
  EXPECT_EQ(lines_of(folder.write("padded.gz", whole + std::string(500, '\0'))),
            (Lines{"one", "two"}));
  for (const std::string& behind : {std::string("rubbish"), std::string("\0\0x", 3)}) {
    const auto path = folder.write("more.gz", whole + behind);
    const auto refused = refusal_of([&] { lines_of(path); });
    EXPECT_EQ(refused.code, ErrorCode::kIo);
    EXPECT_EQ(refused.message, path.string() +
                                   ": other bytes behind the end of the gzip data after "
                                   "line 2; fetch the file again");
  }
}

TEST(TextFile, NamesOtherCompression) {
  const ScratchFolder folder;
  const std::pair<std::string, std::string> cases[] = {
      {"BZh51AY&SYx", "bzip2 data, which is not read; decompress it with bunzip2"},
      {std::string("\xFD\x37zXZ\0x", 7), "xz data, which is not read; decompress it with unxz"},
      {"\x28\xB5\x2F\xFDx", "Zstandard data, which is not read; decompress it with unzstd"}};
  for (const auto& [bytes, problem] : cases) {
    const auto path = folder.write("packed", bytes);
    const auto refused = refusal_of([&] { lines_of(path); });
    EXPECT_EQ(refused.code, ErrorCode::kBadInput);
    EXPECT_EQ(refused.message, path.string() + ": is " + problem + ", or recompress it with gzip");
  }
  EXPECT_EQ(lines_of(folder.write("text", "BZh is a topic\n")), Lines{"BZh is a topic"});
}

// The first bytes are those of the formats' specifications. Each file was read as lines, and
// refused for columns that it lacks or for bytes in one of them.
TEST(TextFile, NamesContainersAlsoInsideGzip) {
  using std::string_literals::operator""s;
  const ScratchFolder folder;
  const std::string tar =
      "run.txt"s + std::string(250, '\0') + "ustar\00000" + std::string(247, '0');
  const std::pair<std::string, std::string> cases[] = {
      {"\x04\x22\x4D\x18xxxx", "lz4 data"},
      {"\x1F\x9D\x90zz", "compress data"},
      {"LZIP\x01zz", "lzip data"},
      {tar, "a tar archive"},
      {"PK\x03\x04\x14"s, "a zip archive"},
      {"7z\xBC\xAF\x27\x1C", "a 7z archive"},
      {"Rar!\x1A\x07\x01"s, "a RAR archive"},
      {"%PDF-1.7\n", "a PDF document"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "a Git LFS pointer"},
      {"version https://hawser.github.com/spec/v1\noid sha256:00\n", "a Git LFS pointer"},
      {"\xFF\xFE"s + "1\0 \0"s, "text in UTF-16"},
      {"1\0 \0Q\0"s + "0\0 \0a\0"s, "text in UTF-16"},
      {"PAR1\x15\x04", "a Parquet table"},
      {"ARROW1\0\0"s, "an Arrow table"},
      {"SQLite format 3\0"s, "an SQLite database"},
      {"\x80\x04\x95", "a pickled Python object"},
      {"<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n", "an HTML page"},
      {"\xEF\xBB\xBF\n <HTML lang=en>", "an HTML page"},
      {"<?xml version=\"1.0\"?>\n<topics/>\n", "XML"},
      {"<top>\n<num>1</num>\n", "topics in TREC's markup"}};
  for (const auto& [bytes, name] : cases) {
    SCOPED_TRACE(name);
    for (const bool is_packed : {false, true}) {
      const auto path =
          is_packed ? folder.write_gzip("file.gz", bytes) : folder.write("file", bytes);
      const auto refused = refusal_of([&] { lines_of(path); });
      EXPECT_EQ(refused.code, ErrorCode::kBadInput);
      EXPECT_EQ(refused.message.find(path.string() + ": " +
                                     (is_packed ? "inside its gzip data is " : "is ") + name),
                0U)
          << refused.message;
    }
  }
  const auto packed = folder.write_gzip("once.gz", "1 Q0 a 1 1 x\n");
  std::ifstream file(packed, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator(file), {}};
  const auto twice = folder.write_gzip("twice.gz", bytes);
  EXPECT_EQ(refusal_of([&] { lines_of(twice); }).message,
            twice.string() + ": was compressed with gzip twice; decompress it once with gunzip");
  // Names that only begin as a format does are text.
  for (const std::string name : {"PAR1", "ORC", "7z", "Obj", "Rar!", "%PDF", "<a", "LZIP"}) {
    const std::string line = name + " Q0 a 1 1 x";
    EXPECT_EQ(lines_of(folder.write("text", line + "\n")), Lines{line});
  }
}

TEST(TextFile, RefusesInvalidUtf8AndNulBytes) {
  const ScratchFolder folder;
  const std::string invalid[] = {"\xFF\xFE", "\x80",         "\xC3",
                                 "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"};
  for (const std::string& bytes : invalid) {
    const auto path = folder.write("text", "fine\nnot " + bytes + "\n");
    const auto refused = refusal_of([&] { lines_of(path); });
    EXPECT_EQ(refused.code, ErrorCode::kBadInput);
    EXPECT_EQ(refused.message, path.string() + ":2: invalid UTF-8; convert the file to UTF-8");
  }
  const auto path = folder.write("text", std::string("a\0b\n", 4));
  EXPECT_EQ(refusal_of([&] { lines_of(path); }).message,
            path.string() + ":1: a NUL byte; expected text in UTF-8 (is this a binary file?)");
}

}  // namespace
}  // namespace prescope

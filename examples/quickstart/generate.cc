// quickstart_generate: writes the synthetic patent collection of the quickstart.
//
//   quickstart_generate --out FOLDER [--seed N] [--documents N] [--topics N]
//
// The same seed gives the same files, byte for byte.

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collection.h"
#include "text.h"

namespace quickstart {
namespace {

namespace fs = std::filesystem;

/// A gzip file that complains: every failed write throws.
class GzipWriter {
 public:
  explicit GzipWriter(fs::path path) : path_(std::move(path)), file_(gzopen(path_.c_str(), "wb1")) {
    if (file_ == nullptr) fail();
  }
  ~GzipWriter() {
    if (file_ != nullptr) gzclose(file_);
  }
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view bytes) {
    if (gzfwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void finish() {
    if (gzclose(std::exchange(file_, nullptr)) != Z_OK) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(fmt::format("{}: cannot be written", path_.string()));
  }
  fs::path path_;
  gzFile file_;
};

void write_text_file(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

/// The documents as a publisher would send them: by date of publication.
std::vector<std::uint32_t> by_date(const Collection& collection) {
  std::vector<std::uint32_t> order(collection.publications.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return collection.publications[a].published < collection.publications[b].published;
  });
  return order;
}

std::string iso_date(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()));
}

/// All words are lower-case ASCII, so nothing needs escaping.
std::string json_line(const Collection& collection, std::uint32_t publication) {
  const Publication& made = collection.publications[publication];
  const Invention& invention = collection.inventions[made.invention];
  const Subject& subject = collection.vocabulary.subjects[invention.subject];
  std::vector<std::string_view> family;
  for (std::uint32_t i = 0; i < invention.num_publications; ++i) {
    family.push_back(collection.publications[invention.first_publication + i].docno);
  }
  const PatentText text = make_text(collection, publication);
  return fmt::format(
      R"({{"id":"{}","synthetic":true,"date":"{}","title":"{}","abstract":"{}","claims":"{}",)"
      R"("description":"{}","ipc":["{}"],"family":["{}"]}})"
      "\n",
      made.docno, iso_date(made.published), text.title, text.abstract, text.claims,
      text.description, subject.fields[invention.field].ipc, fmt::join(family, R"(",")"));
}

void write_patents(const Collection& collection, const fs::path& path) {
  GzipWriter out(path);
  for (const std::uint32_t publication : by_date(collection)) {
    out.write(json_line(collection, publication));
  }
  out.finish();
}

std::string qrels(const Collection& collection) {
  std::string text =
      "# synthetic data: citations of made-up patents, with search-report category\n";
  for (const Citation& citation : collection.citations) {
    fmt::format_to(std::back_inserter(text), "{} 0 {} {}\n",
                   collection.publications[collection.topics[citation.topic]].docno,
                   collection.publications[citation.publication].docno, citation.category);
  }
  return text;
}

std::string topics(const Collection& collection) {
  std::string text;
  for (const std::uint32_t topic : collection.topics) {
    const PatentText patent = make_text(collection, topic);
    fmt::format_to(std::back_inserter(text), "{}\t{}. {}\n", collection.publications[topic].docno,
                   patent.title, patent.abstract);
  }
  return text;
}

std::string families(const Collection& collection) {
  std::string text;
  for (const Publication& made : collection.publications) {
    fmt::format_to(std::back_inserter(text), "{} F{}\n", made.docno, made.invention + 1);
  }
  return text;
}

void write_collection(const Collection& collection, const fs::path& folder) {
  fs::create_directories(folder);
  write_patents(collection, folder / "patents.jsonl.gz");
  write_text_file(folder / "qrels.txt", qrels(collection));
  write_text_file(folder / "topics.tsv", topics(collection));
  write_text_file(folder / "families.txt", families(collection));
}

struct CommandLine {
  CollectionOptions options;
  fs::path out;
};

std::uint64_t number(std::string_view option, std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) {
    throw std::runtime_error(
        fmt::format("{} '{}': expected a whole number up to {}", option, text, most));
  }
  return value;
}

CommandLine parse(int argc, char** argv) {
  constexpr std::string_view kUsage =
      "usage: quickstart_generate --out FOLDER [--seed N] [--documents N] [--topics N]";
  CommandLine line;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) throw std::runtime_error(std::string(kUsage));
    const std::string_view value = argv[i + 1];
    if (option == "--out") {
      line.out = value;
    } else if (option == "--seed") {
      line.options.seed = number(option, value, UINT64_MAX);
    } else if (option == "--documents") {
      line.options.documents = std::uint32_t(number(option, value, 500'000));
    } else if (option == "--topics") {
      line.options.topics = std::uint32_t(number(option, value, 50'000));
    } else {
      throw std::runtime_error(fmt::format("unknown option '{}'; {}", option, kUsage));
    }
  }
  if (line.out.empty()) throw std::runtime_error(std::string(kUsage));
  return line;
}

int run(int argc, char** argv) {
  const CommandLine line = parse(argc, argv);
  const Collection collection = make_collection(line.options);
  write_collection(collection, line.out);
  fmt::print("synthetic data: {} patent documents of {} families, {} topics, {} citations in {}\n",
             collection.publications.size(), collection.inventions.size(), collection.topics.size(),
             collection.citations.size(), line.out.string());
  return 0;
}

}  // namespace
}  // namespace quickstart

int main(int argc, char** argv) {
  try {
    return quickstart::run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "quickstart_generate: {}\n", failure.what());
    return 2;
  }
}

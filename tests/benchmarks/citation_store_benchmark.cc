// A store of citations of the size of all patents: imported from TSV files, opened, looked up.
// Arguments: topics (800,000 if absent; the real size is 8,000,000), and the word `shuffled` if the
// files have their topics in no order. Answers are compared with the generator's before times are
// printed.
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/split_mix.h"
#include "base/text_file.h"
#include "base/threads.h"
#include "citations/store/citation_store.h"
#include "citations/store/citation_store_writer.h"
#include "judgements/patent_number.h"
#include "prescope/experiment.h"

namespace prescope {
namespace {

constexpr std::uint64_t kFirstNumber = 3'000'000;
constexpr std::size_t kParts = 64;
constexpr std::array<std::string_view, 4> kKinds = {"A1", "B1", "B2", "A"};
constexpr std::array<std::string_view, 4> kGrades = {"0", "1", "2", "3"};

struct Cited {
  std::uint64_t number = 0;
  unsigned grade = 0;
  friend auto operator<=>(const Cited&, const Cited&) = default;
};

/// Made-up citations: degrees are skewed, 17 on average, and 7 of 10 cited documents are recent.
class Generator {
 public:
  explicit Generator(std::uint64_t topics) : topics_(topics) {}

  [[nodiscard]] std::uint64_t topics() const noexcept { return topics_; }
  [[nodiscard]] std::uint64_t number(std::uint64_t topic) const {
    const double place = 0.3 + 0.7 * static_cast<double>(topic) / static_cast<double>(topics_);
    return static_cast<std::uint64_t>(20.0 * static_cast<double>(topics_) * place);
  }
  /// Sorted by number; each number once.
  void citations(std::uint64_t topic, std::vector<Cited>& cited) const {
    SplitMix random(topic * 2 + 1);
    const auto unit = [&random] { return static_cast<double>(random.next() >> 11U) * 0x1.0p-53; };
    const std::uint64_t t = number(topic);
    const double normal = (unit() + unit() + unit() + unit() - 2) * 1.73;
    const int count = std::min(600, static_cast<int>(1 + std::exp(2.35 + 0.95 * normal)));
    cited.clear();
    for (int i = 0; i < count; ++i) {
      const auto from = static_cast<double>(t);
      const std::uint64_t back = static_cast<std::uint64_t>(from * 0.3 * std::pow(unit(), 3));
      std::uint64_t d = unit() < 0.7 ? t - 1 - back : static_cast<std::uint64_t>(from * unit());
      d = std::min(d, t - 1);
      const unsigned other = random.next() % 100 < 60 ? 3U : 2U;
      cited.push_back({d, random.next() % 100 < 70 ? 1U : other});
    }
    std::ranges::stable_sort(cited, {}, &Cited::number);
    const auto repeated = std::ranges::unique(cited, {}, &Cited::number);
    cited.erase(repeated.begin(), repeated.end());
  }

 private:
  std::uint64_t topics_;
};

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void require(bool holds, const std::string& what) {
  if (holds) return;
  fmt::print("wrong answer: {}\n", what);
  std::exit(EXIT_FAILURE);
}

std::filesystem::path part_of(const std::filesystem::path& folder, std::size_t part) {
  return folder / fmt::format("part-{}.tsv", part);
}

/// Writes the files; returns the number of citations.
std::uint64_t write_parts(const Generator& generator, const std::filesystem::path& folder,
                          bool shuffled) {
  std::atomic<std::uint64_t> citations = 0;
  in_parallel(kParts, 2, [&](std::size_t part) {
    std::ofstream out(part_of(folder, part), std::ios::binary);
    std::vector<Cited> cited;
    fmt::memory_buffer lines;
    const std::uint64_t begin = generator.topics() * part / kParts;
    const std::uint64_t end = generator.topics() * (part + 1) / kParts;
    for (std::uint64_t i = begin; i < end; ++i) {
      // Coprime to the number of topics unless that is a multiple of it.
      const std::uint64_t topic = shuffled ? i * 1'000'003 % generator.topics() : i;
      generator.citations(topic, cited);
      citations += cited.size();
      const std::uint64_t number = kFirstNumber + generator.number(topic);
      // Files do not have citations in order.
      std::ranges::sort(cited, {}, [](const Cited& c) { return c.number * 0x9E3779B97F4A7C15U; });
      for (const Cited& c : cited) {
        fmt::format_to(std::back_inserter(lines), "US{}B2\t0\tUS{}{}\t{}\n", number,
                       kFirstNumber + c.number, kKinds[c.number % 4], c.grade);
      }
      if (lines.size() > 1U << 20U || i + 1 == end) {
        out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
        lines.clear();
      }
    }
  });
  return citations;
}

/// The kind code of a docno is at its end, from the last letter on.
std::string_view kind_of(std::string_view docno) {
  const std::size_t letter = docno.find_last_of("AB");
  return letter == std::string_view::npos ? std::string_view() : docno.substr(letter);
}

void add_line(CitationStoreWriter::Batch& batch, std::string_view line) {
  std::array<std::string_view, 4> columns;
  for (std::string_view& column : columns) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    column = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  DocnoBuffer topic_room, cited_room;
  const Link link{
      .document = KeyParts::of(patent_key(columns[2], DocnoPolicy::kPatent, cited_room)),
      .attributes = {.kind = kind_of(columns[2]), .categories = columns[3]}};
  batch.add(patent_key(columns[0], DocnoPolicy::kPatent, topic_room), {.kind = kind_of(columns[0])},
            {&link, 1});
}

void import_part(CitationStoreWriter& writer, const std::filesystem::path& path) {
  CitationStoreWriter::Batch batch(writer);
  std::ifstream in(path, std::ios::binary);
  std::string text(std::size_t{1} << 20U, '\0');
  std::size_t kept = 0;
  while (in) {
    in.read(text.data() + kept, static_cast<std::streamsize>(text.size() - kept));
    std::string_view left(text.data(), kept + static_cast<std::size_t>(in.gcount()));
    for (std::size_t end = 0; (end = left.find('\n')) != std::string_view::npos;) {
      add_line(batch, left.substr(0, end));
      left.remove_prefix(end + 1);
    }
    kept = left.size();
    std::copy(left.begin(), left.end(), text.begin());
  }
  batch.hand_over();
}

struct Measured {
  double wall = 0.0, processor = 0.0;
};

Measured measured(const std::function<void()>& work) {
  const double wall = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  work();
  return {seconds_of(CLOCK_MONOTONIC) - wall, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor};
}

Measured import_parts(const std::filesystem::path& folder, const std::filesystem::path& path) {
  CitationStoreWriter writer(path);
  Measured all = measured([&] {
    in_parallel(kParts, 2, [&](std::size_t part) { import_part(writer, part_of(folder, part)); });
  });
  fmt::print("  read, sorted: {:.1f} s, {:.1f} processor seconds\n", all.wall, all.processor);
  const std::vector<ImportedFile> files = {{.name = "synthetic", .size = 1, .hash = 1}};
  const Measured commit = measured([&] { writer.commit(files); });
  fmt::print("  merged, written: {:.1f} s, {:.1f} processor seconds\n", commit.wall,
             commit.processor);
  all.wall += commit.wall;
  all.processor += commit.processor;
  return all;
}

std::string key_of(const Generator& generator, std::uint64_t topic) {
  return fmt::format("US{}", kFirstNumber + generator.number(topic));
}

void check_answers(const CitationStore& store, const Generator& generator,
                   std::uint64_t citations) {
  require(store.counts().documents == generator.topics(), "documents");
  require(store.counts().links_of(LinkRole::kCites) == citations, "citations");
  std::vector<Cited> expected, found;
  SplitMix random(2);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t topic = random.next() % generator.topics();
    const std::string key = key_of(generator, topic);
    const auto document = store.find(key);
    require(document.has_value(), key);
    found.clear();
    LinkCursor links = document->links();
    while (const StoredLink* link = links.next()) {
      const std::uint64_t number = link->document.number - kFirstNumber;
      require(link->publication == "B2" && link->document.prefix == "US" &&
                  link->attributes->kind == kKinds[number % 4],
              key);
      const auto grade = std::ranges::find(kGrades, link->attributes->categories);
      found.push_back({number, static_cast<unsigned>(grade - kGrades.begin())});
    }
    generator.citations(topic, expected);
    require(found == expected, key);
    require(!store.find(key + "1234567"), "a document that is not there");
  }
}

/// Returns the median nanoseconds of processor time for a topic.
double look_up_ns(const std::vector<std::string>& keys,
                  const std::function<std::uint64_t(std::string_view)>& look_up) {
  constexpr int kRounds = 7;
  std::vector<double> rounds;
  std::uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    for (const std::string& key : keys) sum += look_up(key);
    rounds.push_back((seconds_of(CLOCK_THREAD_CPUTIME_ID) - before) * 1e9 /
                     static_cast<double>(keys.size()));
  }
  require(sum != 0, "sum");
  std::ranges::nth_element(rounds, rounds.begin() + kRounds / 2);
  return rounds[kRounds / 2];
}

double open_ms(const std::filesystem::path& path) {
  std::vector<double> times;
  for (int i = 0; i < 101; ++i) {
    times.push_back(measured([&] { (void)CitationStore::open(path); }).wall * 1e3);
  }
  std::ranges::nth_element(times, times.begin() + 50);
  return times[50];
}

bool print_bar(std::string_view what, double value, std::string_view unit, double bar,
               bool most = true) {
  const bool holds = most ? value <= bar : value >= bar;
  fmt::print("{:<40} {:>9.2f} {:<22} bar {:>6.1f}: {}\n", what, value, unit, bar,
             holds ? "holds" : "FAILS");
  return holds;
}

bool look_up_bars(const CitationStore& store, const Generator& generator) {
  std::vector<std::string> keys(500'000);
  SplitMix random(3);
  for (std::string& key : keys) key = key_of(generator, random.next() % generator.topics());
  const double found = look_up_ns(keys, [&](std::string_view key) -> std::uint64_t {
    return store.find(key).has_value() ? 1 : 0;
  });
  const double decoded = look_up_ns(keys, [&](std::string_view key) {
    std::uint64_t sum = 0;
    const auto document = store.find(key);
    LinkCursor links = document->links();
    while (const StoredLink* link = links.next()) {
      sum += link->document.number + link->attributes->categories.size();
    }
    return sum;
  });
  const bool holds = print_bar("found", found, "ns a topic", 200);
  return print_bar("found, all links decoded", decoded, "ns a topic", 400) && holds;
}

/// Returns the bytes of memory that are no pages of a file.
double anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("RssAnon:")) continue;
    return std::stod(line.substr(line.find_first_of("0123456789"))) * 1024;
  }
  return 0;
}

/// Begins an experiment over the whole store, and asks for some of its topics.
bool experiment_bars(const std::filesystem::path& path, const Generator& generator) {
  constexpr std::uint64_t kAsked = 20'000;
  const double before = anonymous_bytes();
  std::optional<Experiment> experiment;
  const Measured start = measured([&] {
    experiment.emplace(open_judgements(path, {.docno = DocnoPolicy::kPatent}),
                       ExperimentOptions{.arms = {"a", "b"}, .mode = Mode::kPaired});
  });
  const double begun = anonymous_bytes();
  const auto topics = static_cast<double>(generator.topics());
  bool holds = print_bar("an experiment begins", start.wall * 1e3, "ms", 1000);
  holds &= print_bar("its memory", (begun - before) / topics, "bytes an unseen topic", 100);
  SplitMix random(4);
  std::vector<std::string> keys(kAsked);
  for (std::string& key : keys) key = key_of(generator, random.next() % generator.topics());
  const Measured asked = measured([&] {
    for (const std::string& key : keys) (void)experiment->qrels().look_up(key);
  });
  const auto found = static_cast<double>(experiment->qrels().num_topics());
  require(found > 0.9 * kAsked, "topics found as they come");
  fmt::print("  a topic found as it comes: {:.1f} us, {:.0f} bytes, {:.1f} judgements\n",
             asked.wall * 1e6 / kAsked, (anonymous_bytes() - begun) / found,
             static_cast<double>(experiment->qrels().num_judgements()) / found);
  return holds;
}

int run(std::uint64_t topics, bool shuffled) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("prescope-citations-{}", getpid());
  std::filesystem::create_directories(folder);
  const Generator generator(topics);
  const std::uint64_t citations = write_parts(generator, folder, shuffled);
  fmt::print("{} topics, {} citations{}\n", topics, citations, shuffled ? ", shuffled" : "");
  const auto path = folder / "citations.store";
  const Measured import = import_parts(folder, path);
  const double peak = peak_megabytes();
  for (std::size_t part = 0; part < kParts; ++part) std::filesystem::remove(part_of(folder, part));
  bool all_hold = true;
  {
    const CitationStore store = CitationStore::open(path);
    check_answers(store, generator, citations);
    const Measured verify = measured([&] { store.verify(); });
    fmt::print("  verified: {:.1f} s\n", verify.wall);
    const auto number = static_cast<double>(citations);
    all_hold &=
        print_bar("size", static_cast<double>(store.file_size()) / number, "bytes a citation", 4.5);
    all_hold &=
        print_bar("import", number / import.wall / 1e6, "million citations a s", 1.0, false);
    all_hold &= print_bar("peak of resident memory", peak, "MB", 2000);
    all_hold &= print_bar("opened", open_ms(path), "ms", 1.0);
    all_hold &= look_up_bars(store, generator);
  }
  all_hold &= experiment_bars(path, generator);
  std::filesystem::remove_all(folder);
  return all_hold ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace prescope

int main(int count, char** words) {
  const std::uint64_t topics =
      count > 1 ? prescope::whole_number<std::uint64_t>(words[1]).value_or(0) : 800'000;
  if (topics == 0) {
    fmt::print("usage: {} [TOPICS] [shuffled]\n", words[0]);
    return 2;
  }
  return prescope::run(topics, count > 2 && std::string_view(words[2]) == "shuffled");
}

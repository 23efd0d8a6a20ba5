#include "citations/store/citation_store_writer.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/file_identity.h"
#include "citations/store/date_code.h"
#include "citations/store/row_batch.h"
#include "citations/store/segment_writer.h"

namespace prescope {
namespace {

constexpr std::size_t kLeastMemory = std::size_t{1} << 20U;
constexpr std::size_t kMostBatchBytes = std::size_t{8} << 20U;

/// Rows that were sorted into a temporary file, as a segment.
struct Run {
  StoreFile file;
  MappedFile map;
  SegmentInfo info;
};

/// A batch's own dictionary, and the writer's number for each of its texts.
struct Translation {
  TextTable texts;
  std::vector<std::uint32_t> numbers;

  /// Extends it by what was added to `texts`.
  void extend(TextTable& global) {
    for (auto i = static_cast<std::uint32_t>(numbers.size()); i < texts.size(); ++i) {
      numbers.push_back(global.number_of(texts.text(i)));
    }
  }
  [[nodiscard]] bool is_large() const noexcept { return texts.bytes() > kLeastMemory; }
};

}  // namespace

struct CitationStoreWriter::Batch::Content {
  Translation words, series, attributes;
  std::vector<std::uint64_t> uses;  // since they were given to the writer
  RowBatch rows;
  std::string entry;     // room for the bytes of a dictionary's entry
  KeyParts last_series;  // of `last_prefix` and `last_suffix`
  std::string last_prefix, last_suffix;
  std::uint32_t last_number = kNoSeries;

  std::uint32_t series_of(const KeyParts& key) {
    if (last_number != kNoSeries && key.has_number == last_series.has_number &&
        key.prefix == last_prefix && key.suffix == last_suffix) {
      return last_number;
    }
    write_series(key, entry);
    last_number = series.texts.number_of(entry);
    last_prefix = key.prefix;
    last_suffix = key.suffix;
    last_series.has_number = key.has_number;
    return last_number;
  }
  std::uint32_t attributes_of(const LinkAttributes& link) {
    write_attributes(link, entry);
    return attributes.texts.number_of(entry);
  }
  /// Word 0 is the empty one here, too.
  std::uint32_t word(std::string_view text) {
    if (words.texts.size() == 0) (void)words.texts.number_of("");
    return text.empty() ? 0 : words.texts.number_of(text);
  }
  void add_facts(std::uint64_t document, std::uint32_t document_series, std::uint32_t kind,
                 const PublicationFacts& facts) {
    rows.facts.push_back({.document = document,
                          .document_series = document_series,
                          .facts = {.kind = kind,
                                    .language = word(facts.language),
                                    .classes = word(facts.classes),
                                    .published = date_code(facts.published),
                                    .priority = date_code(facts.priority)}});
  }
  void translate();
};

/// Gives rows the numbers of the writer's dictionaries.
void CitationStoreWriter::Batch::Content::translate() {
  for (LinkRow& row : rows.links) {
    row.document_series = series.numbers[row.document_series];
    row.kind = words.numbers[row.kind];
    row.series = series.numbers[row.series];
    row.attributes = attributes.numbers[row.attributes];
  }
  for (FactRow& row : rows.facts) {
    row.document_series = series.numbers[row.document_series];
    for (std::uint32_t* word : {&row.facts.kind, &row.facts.language, &row.facts.classes}) {
      *word = words.numbers[*word];
    }
  }
}

class CitationStoreWriter::Work {
 public:
  Work(std::filesystem::path path, CitationStoreOptions options);
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  [[nodiscard]] std::size_t batch_bytes() const noexcept {
    return std::min(memory_bytes_ / 32, kMostBatchBytes);
  }
  void take(Batch::Content& content);
  void commit(std::span<const ImportedFile> files);
  void compact() { write({.rewrites = true}, {}); }
  [[nodiscard]] const std::vector<ImportedFile>& files() const noexcept { return directory_.files; }

 private:
  struct Manner {
    bool rewrites = false;
  };

  void open();
  void create();
  void number_texts(Batch::Content& content);
  void queue(RowBatch batch);
  void spill(std::vector<RowBatch> batches);
  void write(Manner manner, std::span<const ImportedFile> files);
  void add_sources(DocumentMerger& merger, bool with_old, const RecordTables& run_tables,
                   std::vector<Segment>& run_segments);
  void write_documents(StoreFile& file, std::uint64_t offset, Manner manner);
  [[nodiscard]] bool find_old(const PackedDocument& document, PackedDocument& old) const;
  void publish(StoreFile& file, std::uint64_t offset, Manner manner);

  const std::filesystem::path path_;
  const std::string path_name_;
  const std::size_t memory_bytes_;
  StoreFile file_;  // locked
  HeaderSlot slot_;
  bool is_unused_ = false;  // made by this writer, nothing committed
  std::unique_ptr<StoreState> old_;
  FactOrder order_;

  std::mutex dictionary_mutex_;  // guards the dictionaries and `uses` of `directory_`
  StoreDirectory directory_;

  std::mutex queue_mutex_;  // guards the following
  std::condition_variable spilled_;
  std::vector<RowBatch> queue_;
  std::size_t queued_bytes_ = 0, spilling_bytes_ = 0;
  bool is_spilling_ = false;
  std::uint64_t rows_ = 0;  // handed over since the last commit

  std::vector<Run> runs_;  // of the thread that is spilling
};

CitationStoreWriter::Work::Work(std::filesystem::path path, CitationStoreOptions options)
    : path_(std::filesystem::weakly_canonical(path)),
      path_name_(path_.string()),
      memory_bytes_(std::max(options.memory_bytes, kLeastMemory)) {
  order_.word_less = [this](std::uint32_t a, std::uint32_t b) {
    const std::lock_guard lock(dictionary_mutex_);
    return directory_.words.text(a) < directory_.words.text(b);
  };
  open();
  remove_temporary_files_beside(path_);
  slot_ = newest_slot(file_).slot;
  old_ = std::make_unique<StoreState>(file_, slot_);
  directory_ = old_->directory();
  if (file_.size() > slot_.file_size) file_.truncate(slot_.file_size);
}

CitationStoreWriter::Work::~Work() {
  if (is_unused_ && FileIdentity::of(path_) == FileIdentity::of(file_.descriptor())) {
    ::unlink(path_.c_str());
  }
}

/// Opens and locks the file that is at the path.
void CitationStoreWriter::Work::open() {
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    file_ = StoreFile(path_, O_RDWR);
    if (!file_.is_open()) {
      const int reason = errno;
      if (reason != ENOENT) {
        throw io_error("{}: cannot be opened for writing: {}", path_.string(),
                       std::generic_category().message(reason));
      }
      create();
      if (is_unused_) return;
      continue;
    }
    if (!file_.lock()) break;
    // Another writer may have put a new file in its place before we locked it.
    if (FileIdentity::of(path_) == FileIdentity::of(file_.descriptor())) return;
  }
  throw io_error(
      "{}: another process or thread is writing this citation store; try again when it "
      "is done",
      path_.string());
}

/// Makes an empty store, unless another process does so first.
void CitationStoreWriter::Work::create() {
  StoreFile file = StoreFile::temporary_beside(path_);
  (void)file.lock();
  StoreDirectory empty;
  (void)empty.words.number_of("");
  directory_ = std::move(empty);
  try {
    publish(file, kFirstByte, {.rewrites = true});
  } catch (const Error&) {
    if (std::filesystem::exists(path_)) return;
    throw;
  }
  file_ = std::move(file);
  is_unused_ = true;
}

void CitationStoreWriter::Work::number_texts(Batch::Content& content) {
  const std::lock_guard lock(dictionary_mutex_);
  content.words.extend(directory_.words);
  content.series.extend(directory_.series);
  content.attributes.extend(directory_.attributes);
  directory_.uses.resize(2 * std::size_t{directory_.attributes.size()});
  for (std::size_t i = 0; i < content.uses.size(); ++i) {
    directory_.uses[2 * content.attributes.numbers[i / 2] + i % 2] += content.uses[i];
  }
}

void CitationStoreWriter::Work::take(Batch::Content& content) {
  content.uses.assign(2 * std::size_t{content.attributes.texts.size()}, 0);
  for (const LinkRow& row : content.rows.links) {
    ++content.uses[2 * row.attributes + (row.date != 0 ? 1 : 0)];
  }
  number_texts(content);
  content.translate();
  content.rows.sort();
  queue(std::exchange(content.rows, {}));
  for (Translation* dictionary : {&content.words, &content.series, &content.attributes}) {
    if (dictionary->is_large()) *dictionary = {};
  }
  content.last_number = kNoSeries;
}

/// Adds the batch to the queue. Sorts the queue into a file if it is half of the memory; meanwhile
/// other threads may fill the other half.
void CitationStoreWriter::Work::queue(RowBatch batch) {
  std::unique_lock lock(queue_mutex_);
  rows_ += batch.links.size() + batch.facts.size();
  queued_bytes_ += batch.bytes();
  queue_.push_back(std::move(batch));
  spilled_.wait(
      lock, [this] { return !is_spilling_ || queued_bytes_ + spilling_bytes_ <= memory_bytes_; });
  if (is_spilling_ || queued_bytes_ <= memory_bytes_ / 2) return;
  is_spilling_ = true;
  spilling_bytes_ = std::exchange(queued_bytes_, 0);
  std::vector<RowBatch> batches = std::exchange(queue_, {});
  lock.unlock();
  const auto end = [&] {
    lock.lock();
    is_spilling_ = false;
    spilling_bytes_ = 0;
    spilled_.notify_all();
  };
  try {
    spill(std::move(batches));
  } catch (...) {
    end();
    throw;
  }
  end();
}

void CitationStoreWriter::Work::spill(std::vector<RowBatch> batches) {
  std::vector<std::uint64_t> uses;
  {
    const std::lock_guard lock(dictionary_mutex_);
    uses = directory_.uses;
  }
  DocumentMerger merger(order_);
  for (RowBatch& batch : batches) {
    merger.add(std::make_unique<RowSource>(std::move(batch), order_), true);
  }
  Run run{.file = StoreFile::temporary_beside(path_), .map = {}, .info = {}};
  RecordEncoder encoder(directory_.heads, uses);
  SegmentWriter writer(run.file, 0, encoder);
  for (PackedDocument document; merger.next(document);) writer.add(document);
  run.info = writer.finish();
  run.file.write(run.info.size, std::string(8, '\0'));  // a decoder may read them
  run.map = MappedFile(run.file, run.info.size + 8);
  runs_.push_back(std::move(run));
}

void CitationStoreWriter::Work::commit(std::span<const ImportedFile> files) {
  if (rows_ == 0 && files.empty()) return;
  const StoreCounts& counts = directory_.counts;
  const std::uint64_t old_rows =
      std::accumulate(std::begin(counts.links), std::end(counts.links), counts.publications);
  const std::size_t segments = directory_.segments.size();
  write({.rewrites = segments == kMostSegments || (segments > 0 && rows_ > old_rows)}, files);
}

void CitationStoreWriter::Work::write(Manner manner, std::span<const ImportedFile> files) {
  directory_.files.insert(directory_.files.end(), files.begin(), files.end());
  try {
    if (manner.rewrites) {
      StoreFile file = StoreFile::temporary_beside(path_);
      (void)file.lock();
      write_documents(file, kFirstByte, manner);
      file_ = std::move(file);
    } else {
      write_documents(file_, slot_.file_size, manner);
    }
  } catch (...) {
    if (!manner.rewrites)
      (void)::ftruncate(file_.descriptor(), static_cast<off_t>(slot_.file_size));
    throw;
  }
  is_unused_ = false;
  runs_.clear();
  rows_ = 0;
  old_ = std::make_unique<StoreState>(file_, slot_);
}

void CitationStoreWriter::Work::add_sources(DocumentMerger& merger, bool with_old,
                                            const RecordTables& run_tables,
                                            std::vector<Segment>& run_segments) {
  for (const Segment& segment : old_->segments()) {
    if (with_old) merger.add(std::make_unique<SegmentSource>(segment, old_->tables()), false);
  }
  run_segments.reserve(runs_.size());
  for (const Run& run : runs_) {
    run_segments.emplace_back(run.info, run.map.bytes().data(), run.file.name());
    merger.add(std::make_unique<SegmentSource>(run_segments.back(), run_tables), true);
  }
  for (RowBatch& batch : std::exchange(queue_, {})) {
    merger.add(std::make_unique<RowSource>(std::move(batch), order_), true);
  }
  queued_bytes_ = 0;
}

/// Unites what the segments say about the document. Returns false if they do not have it.
bool CitationStoreWriter::Work::find_old(const PackedDocument& document,
                                         PackedDocument& old) const {
  bool is_there = false;
  PackedDocument one;
  for (std::size_t i = 0; i < old_->segments().size(); ++i) {
    const auto bytes = old_->segments()[i].find(document.series, document.number);
    if (!bytes) continue;
    RecordDecoder record = old_->decoder(i, *bytes);
    PackedDocument& into = is_there ? one : old;
    into.clear();
    into.series = document.series;
    into.number = document.number;
    into.append(record);
    if (is_there) unite(old, one, nullptr);
    is_there = true;
  }
  return is_there;
}

void CitationStoreWriter::Work::write_documents(StoreFile& file, std::uint64_t offset,
                                                Manner manner) {
  // The heads that runs refer to; new ones are added meanwhile.
  const std::vector<PublicationHead> heads(directory_.heads.heads().begin(),
                                           directory_.heads.heads().end());
  const RecordTables run_tables{.heads = heads,
                                .attributes = directory_.attributes.size(),
                                .series = directory_.series.size(),
                                .name = &file_.name(),
                                .file_begin = nullptr};
  std::vector<Segment> run_segments;
  DocumentMerger merger(order_);
  add_sources(merger, manner.rewrites, run_tables, run_segments);
  const DictionaryHashes hashes = directory_.hashes();
  DocumentTally tally(hashes, manner.rewrites ? StoreCounts{} : directory_.counts,
                      manner.rewrites ? 0 : directory_.content_hash);
  RecordEncoder encoder(directory_.heads, directory_.uses);
  SegmentWriter writer(file, offset, encoder);
  PackedDocument old;
  bool is_empty = true;
  for (PackedDocument document; merger.next(document); is_empty = false) {
    writer.add(document);
    if (!manner.rewrites && find_old(document, old)) {
      tally.remove(old);
      unite(old, document, nullptr);
      tally.add(old);
    } else {
      tally.add(document);
    }
  }
  if (manner.rewrites) directory_.segments.clear();
  if (!is_empty) {
    directory_.segments.push_back(writer.finish());
    offset += directory_.segments.back().size;
  }
  directory_.counts = tally.counts();
  directory_.content_hash = tally.content_hash();
  publish(file, offset, manner);
}

/// Writes the directory at `offset` and makes it the newest state. The slot is written when all
/// that it leads to is on disk.
void CitationStoreWriter::Work::publish(StoreFile& file, std::uint64_t offset, Manner manner) {
  const std::string bytes = directory_.bytes();
  file.write(offset, bytes);
  HeaderSlot slot;
  slot.sequence = slot_.sequence + 1;
  slot.directory_offset = offset;
  slot.directory_size = bytes.size();
  slot.directory_checksum = checksum_of(bytes);
  slot.file_size = offset + bytes.size();
  slot.checksum = slot.right_checksum();
  if (!manner.rewrites) file.sync();
  std::string slot_bytes;
  append_raw(slot_bytes, slot);
  file.write(slot.sequence % 2 * kSlotDistance, slot_bytes);
  file.sync();
  if (manner.rewrites) file.publish_as(path_, slot.sequence > 1);
  slot_ = slot;
}

CitationStoreWriter::Batch::Batch(CitationStoreWriter& writer)
    : writer_(&writer), content_(std::make_unique<Content>()) {}
CitationStoreWriter::Batch::~Batch() = default;
CitationStoreWriter::Batch::Batch(Batch&&) noexcept = default;

void CitationStoreWriter::Batch::add(const KeyParts& document, const PublicationFacts& facts,
                                     std::span<const Link> links) {
  Content& content = *content_;
  const std::uint32_t document_series = content.series_of(document);
  const std::uint32_t kind = content.word(facts.kind);
  const bool has_facts = facts != PublicationFacts{.kind = facts.kind};
  if (has_facts || links.empty()) content.add_facts(document.number, document_series, kind, facts);
  std::vector<LinkRow>& rows = content.rows.links;
  for (const Link& link : links) {
    rows.push_back({.document = document.number,
                    .number = link.document.number,
                    .document_series = document_series,
                    .kind = kind,
                    .series = content.series_of(link.document),
                    .attributes = content.attributes_of(link.attributes),
                    .date = date_code(link.date)});
  }
  if (rows.size() * sizeof(LinkRow) + content.rows.facts.size() * sizeof(FactRow) >=
      writer_->work_->batch_bytes()) {
    hand_over();
  }
}

void CitationStoreWriter::Batch::hand_over() {
  if (!content_->rows.links.empty() || !content_->rows.facts.empty()) {
    writer_->work_->take(*content_);
  }
}

CitationStoreWriter::CitationStoreWriter(std::filesystem::path path, CitationStoreOptions options)
    : work_(std::make_unique<Work>(std::move(path), options)) {}
CitationStoreWriter::~CitationStoreWriter() = default;

void CitationStoreWriter::commit(std::span<const ImportedFile> files) { work_->commit(files); }
void CitationStoreWriter::compact() { work_->compact(); }
std::vector<ImportedFile> CitationStoreWriter::files() const { return work_->files(); }

}  // namespace prescope

#pragma once

#include <filesystem>

#include "prescope/error.h"
#include "prescope/experiment.h"
#include "prescope/index_passport.h"
#include "prescope/types.h"

#pragma GCC visibility push(default)
/// The interface of engine modules. The `prescope` program finds them at run time
/// (`docs/architecture.md` says where) to make, open and search indexes.
namespace prescope {

/// A patent as it is indexed. Empty fields are absent.
struct PatentDocument {
  Docno docno;
  std::string title, abstract, claims, description;
  std::vector<std::string> ipc;
  std::vector<Docno> family;  ///< publications of the same invention, itself possibly among them
};

/// One `key = value` of an arm. Nested tables are flattened: `fields.title`.
struct ArmSetting {
  std::string key;
  std::string value;
  std::string place;  ///< where it was written, for error messages: "replay.toml:12"
};

/// A ranking configuration as the user wrote it. The engine decides what keys there are.
struct ArmConfig {
  ArmId id;
  std::vector<ArmSetting> settings;
};

/// A query that an arm is to search for. Names and texts must live during the call only.
struct TopicQuery {
  /// The topic as the topics file names it, for engines with a vector or a query of their own for
  /// each topic; it may be one without judgements.
  std::string_view topic{};
  std::string_view text{};  ///< UTF-8
  /// Documents that the ranking leaves out, however the index spells their docnos: see DocnoSet.
  std::span<const Docno> exclude{};
  std::uint32_t depth = 0;  ///< hits, >= 1
};

/// One hit of a search, for run files.
struct Hit {
  Docno docno;  ///< as the index spells it
  float score = 0.0F;
};

/// Writes one index. Not thread-safe. Destroyed without `finish`, it leaves no usable index behind.
class IndexBuilder {
 public:
  virtual ~IndexBuilder() = default;
  /// Throws Error(kBadInput) for an empty or overlong docno or invalid UTF-8, Error(kEngine, kIo).
  virtual void add(const PatentDocument& document) = 0;
  /// Commits and closes; throws Error(kEngine, kIo). Returns the number of documents.
  virtual std::uint64_t finish() = 0;
};

/// One ranking configuration on an opened index. `search` may be called from several threads.
class ArmSearcher {
 public:
  virtual ~ArmSearcher() = default;
  /// Runs the query through the observed searcher, under the QueryScope of this thread. Returns the
  /// number of hits, and fills `hits`, in served order, unless it is null. Throws Error(kEngine).
  virtual std::uint32_t search(const TopicQuery& query, std::vector<Hit>* hits) = 0;
  /// Returns a sentence for each setting that the index honours only in part, and for each that it
  /// could not be compared with. By default there is none.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// One generation of an index, opened for searching. Thread-safe.
class SearchIndex {
 public:
  virtual ~SearchIndex() = default;
  /// Returns 0 if the engine cannot tell.
  [[nodiscard]] virtual std::uint64_t num_documents() const = 0;
  /// Returns the stored fields of a document with this docno (title, abstract, ipc, family at
  /// least), or nothing. If several match, returns the one spelled like `docno`, or else the first.
  [[nodiscard]] virtual std::optional<PatentDocument> document(const Docno& docno) const = 0;
  /// Returns whether the index has a document of each of these docnos, in their order, or nothing
  /// if the engine cannot tell. Asked only of an engine that reports docnos: for docids, the
  /// resolved table answers. By default those are there that `document` finds; if it finds none,
  /// the index may have no stored fields, and the engine cannot tell.
  [[nodiscard]] virtual std::optional<std::vector<bool>> contains(
      std::span<const Docno> docnos) const {
    std::vector<bool> is_there;
    bool finds_any = false;
    for (const Docno& docno : docnos) {
      is_there.push_back(document(docno).has_value());
      finds_any = finds_any || is_there.back();
    }
    return finds_any ? std::optional(std::move(is_there)) : std::nullopt;
  }
  /// Returns the version of the server that has the index; empty if it is the engine's own.
  [[nodiscard]] virtual std::string engine_version() const { return {}; }
  /// Returns what is known of the index, which is nothing by default.
  [[nodiscard]] virtual IndexPassport passport() const { return {}; }
  /// Returns a hash of what ranking reads of the document with this docno, whatever its docid;
  /// nothing if the engine cannot tell, or has no such document.
  [[nodiscard]] virtual std::optional<std::uint64_t> digest(const Docno&) const {
    return std::nullopt;
  }
  /// Throws Error(kUsage) for an unknown or unreadable setting, and for one that this index cannot
  /// honour at all, such as a field that no document has; with place, nearest key and remedy. The
  /// experiment must have an arm of this name; it and this index must outlive the searcher.
  [[nodiscard]] virtual std::unique_ptr<ArmSearcher> searcher(const ArmConfig& arm) = 0;
};

/// A search engine. Thread-safe.
class Engine {
 public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;     ///< as in --engine NAME
  [[nodiscard]] virtual std::string_view version() const noexcept = 0;  ///< of the engine itself
  /// Returns a line for each setting of an arm: "k1  BM25 term saturation, >= 0, default 1.2".
  [[nodiscard]] virtual std::span<const std::string_view> arm_settings() const noexcept = 0;
  /// Creates an index in `folder`, which must be missing, empty, or hold an index of this engine
  /// that is replaced when the builder finishes. Throws Error(kIo, kEngine); Error(kUsage) if the
  /// engine makes no indexes, as by default.
  [[nodiscard]] virtual std::unique_ptr<IndexBuilder> create(const std::filesystem::path& folder);
  /// Opens an index for searching and resolves the experiment's judgements. `index` is a path, or
  /// any other name that the engine has for its indexes, such as a URL. Throws Error(kIo) if it is
  /// missing or locked, Error(kEngine) if it is damaged or has no docnos, Error(kUsage) if it is no
  /// name of an index.
  [[nodiscard]] virtual std::unique_ptr<SearchIndex> open(const std::string& index,
                                                          Experiment& experiment) = 0;
};

inline std::unique_ptr<IndexBuilder> Engine::create(const std::filesystem::path& folder) {
  throw Error(ErrorCode::kUsage, folder.string() + ": the engine " + std::string(name()) +
                                     " makes no indexes; name one that it has as the index of an "
                                     "experiment");
}

/// The version of this interface. A module must have been built against the same one.
inline constexpr std::uint32_t kEngineApiVersion = 5;

/// A module exports this under `kEngineFactorySymbol`. Returns an engine that lives as long as the
/// process, or null if `api_version` is not the module's own.
using EngineFactory = Engine*(std::uint32_t api_version);
inline constexpr const char* kEngineFactorySymbol = "prescope_engine";

}  // namespace prescope
#pragma GCC visibility pop

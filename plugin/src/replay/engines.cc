#include "replay/engines.h"

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <boost/dll/runtime_symbol_info.hpp>
#include <boost/dll/shared_library.hpp>
#include <cstdlib>
#include <set>

#include "base/errors.h"

namespace prescope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModulePrefix = "prescope-engine-";
constexpr std::string_view kModuleSuffix = ".so";

/// Returns the folders to search for modules, in order: first the folders that PRESCOPE_ENGINE_PATH
/// names (separated by ':'), then the folder of this installation.
std::vector<fs::path> engine_folders() {
  const char* variable = std::getenv("PRESCOPE_ENGINE_PATH");
  const std::string_view path = variable == nullptr ? "" : variable;
  std::vector<fs::path> folders;
  boost::algorithm::split(folders, path, [](char c) { return c == ':'; });
  std::erase(folders, fs::path());
  folders.push_back(boost::dll::program_location().parent_path() / PRESCOPE_ENGINES_FROM_PROGRAM);
  return folders;
}

std::string module_file(std::string_view name) {
  return fmt::format("{}{}{}", kModulePrefix, name, kModuleSuffix);
}

std::set<std::string> names_in(const std::vector<fs::path>& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
      std::string name = entry.path().filename().string();
      if (!name.starts_with(kModulePrefix) || !name.ends_with(kModuleSuffix)) continue;
      name.resize(name.size() - kModuleSuffix.size());
      names.insert(name.substr(kModulePrefix.size()));
    }
  }
  return names;
}

Error no_such_engine(const std::string& name, const std::vector<fs::path>& folders) {
  const std::set<std::string> found = names_in(folders);
  std::vector<std::string> looked_in;
  for (const fs::path& folder : folders) looked_in.push_back(folder.lexically_normal().string());
  const std::string where = fmt::format(
      "looked for {} in {}; PRESCOPE_ENGINE_PATH names further folders, and --engine takes a path",
      module_file(name), fmt::join(looked_in, ", "));
  if (found.empty()) {
    return usage_error("engine '{}' not found, nor any other; {}", name, where);
  }
  const std::vector<std::string_view> candidates(found.begin(), found.end());
  return usage_error("{}; {}", unknown_name_message("engine", name, candidates), where);
}

fs::path find_module(const std::string& name) {
  const std::vector<fs::path> folders = engine_folders();
  for (const fs::path& folder : folders) {
    const fs::path file = folder / module_file(name);
    std::error_code unreadable;
    if (fs::is_regular_file(file, unreadable)) return file;
  }
  throw no_such_engine(name, folders);
}

boost::dll::shared_library load(const fs::path& file) {
  if (!fs::exists(file)) {
    throw io_error("{}: no such engine module", file.string());
  }
  try {
    // Absolute, because a bare file name would be looked up in the system's library folders.
    return boost::dll::shared_library(fs::absolute(file), boost::dll::load_mode::rtld_now);
  } catch (const std::exception& error) {
    throw engine_error("{}: cannot be loaded as an engine module: {}", file.string(), error.what());
  }
}

Engine& engine_of(const boost::dll::shared_library& module, const fs::path& file) {
  if (!module.has(kEngineFactorySymbol)) {
    throw engine_error("{}: is a library but no engine module: it does not export '{}'",
                       file.string(), kEngineFactorySymbol);
  }
  Engine* engine = module.get<EngineFactory>(kEngineFactorySymbol)(kEngineApiVersion);
  if (engine == nullptr) {
    throw engine_error(
        "{}: was built for another version of the engine interface than this program's ({}); "
        "rebuild the module against prescope " PRESCOPE_VERSION,
        file.string(), kEngineApiVersion);
  }
  return *engine;
}

}  // namespace

bool is_module_path(std::string_view engine) noexcept {
  return engine.find('/') != std::string_view::npos || engine.ends_with(kModuleSuffix);
}

bool is_url(std::string_view index) noexcept { return index.find("://") != std::string_view::npos; }

std::vector<std::string> engines_found() {
  const std::set<std::string> names = names_in(engine_folders());
  return {names.begin(), names.end()};
}

std::string example_engine() {
  const std::vector<std::string> found = engines_found();
  return found.empty() ? "NAME" : found.front();
}

Engine& load_engine(const std::string& name_or_path) {
  // Never unloaded: an engine may have threads and exit handlers that outlive main.
  static auto* const loaded = new std::map<std::string, boost::dll::shared_library>;
  const fs::path file =
      is_module_path(name_or_path) ? fs::path(name_or_path) : find_module(name_or_path);
  auto module = loaded->find(file.string());
  if (module == loaded->end()) module = loaded->emplace(file.string(), load(file)).first;
  return engine_of(module->second, file);
}

ReplayIndexes::ReplayIndexes(std::span<const ReplayArm> arms, Experiment& experiment)
    : arms_(arms), experiment_(experiment) {
  for (const ReplayArm& arm : arms) {
    Engine* const engine = &load_engine(arm.engine);
    const auto known = std::ranges::find_if(
        opened_, [&](const Opened& one) { return one.engine == engine && one.path == arm.index; });
    of_arm_.push_back(static_cast<std::size_t>(known - opened_.begin()));
    if (known == opened_.end()) {
      opened_.push_back({arm.index, engine, engine->open(arm.index.string(), experiment)});
    }
  }
}

std::vector<std::unique_ptr<ArmSearcher>> ReplayIndexes::searchers() const {
  std::vector<std::unique_ptr<ArmSearcher>> searchers;
  std::vector<std::string> refused;
  // Every arm is tried, so that the user hears of all wrong settings at once.
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    try {
      searchers.push_back(opened_[of_arm_[a]].index->searcher(arms_[a].config));
    } catch (const Error& error) {
      // Arms that are the same are refused alike.
      if (std::ranges::count(refused, error.what()) == 0) refused.emplace_back(error.what());
    }
  }
  if (!refused.empty()) {
    throw usage_error("{}", fmt::join(refused, "\n"));
  }
  return searchers;
}

std::optional<PatentDocument> ReplayIndexes::document(const Docno& docno) const {
  for (const Opened& one : opened_) {
    if (auto document = one.index->document(docno)) return document;
  }
  return std::nullopt;
}

std::optional<std::vector<bool>> ReplayIndexes::contains(std::size_t arm,
                                                         std::span<const Docno> docnos) const {
  const auto table = experiment_.resolved(experiment_.arm(arms_[arm].config.id.text()));
  if (table == nullptr) return opened_[of_arm_[arm]].index->contains(docnos);
  const JudgedDocnos& judged = table->judged();
  std::vector<bool> is_there;
  for (const Docno& docno : docnos) {
    const std::uint32_t key = judged.find(judged.docnos().key(docno));
    is_there.push_back(key != JudgedDocnos::kNotJudged &&
                       !std::ranges::binary_search(table->missing_keys(), key));
  }
  return is_there;
}

std::vector<DocumentSample> ReplayIndexes::samples(std::size_t arm,
                                                   std::span<const Docno> docnos) const {
  const SearchIndex& index = *opened_[of_arm_[arm]].index;
  std::vector<DocumentSample> samples;
  for (const Docno& docno : docnos) {
    DocumentSample one{.docno = docno, .searched = index.digest(docno)};
    if (const auto document = index.document(docno)) {
      const bool is_empty = document->title.empty() && document->abstract.empty();
      one.stored =
          is_empty ? kNothingStored : text_hash(document->abstract, text_hash(document->title));
    }
    if (one.stored || one.searched) samples.push_back(std::move(one));
  }
  return samples;
}

std::vector<IndexVersion> ReplayIndexes::describe() const {
  std::vector<IndexVersion> described;
  for (const Opened& one : opened_) {
    std::string version = one.index->engine_version();
    if (version.empty()) version = one.engine->version();
    IndexVersion& index =
        described.emplace_back(IndexVersion{.engine = std::string(one.engine->name()),
                                            .engine_version = std::move(version),
                                            .path = one.path.string(),
                                            .passport = one.index->passport()});
    // An engine that does not know the number says 0.
    if (const auto documents = one.index->num_documents(); documents > 0) {
      index.documents = documents;
    }
  }
  return described;
}

}  // namespace prescope

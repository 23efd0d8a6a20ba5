#include "citations/formats/office_words.h"
#include "citations/import_citations.h"
#include "citations/topic_selection.h"
#include "cli/commands/commands.h"
#include "cli/commands/study_command.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "judgements/number_readings.h"
#include "report/citations/citation_reports.h"

namespace prescope::cli {

namespace {

constexpr const char* kStoreHelp = "Citation store (citations.store)";

struct StorePath {
  std::string path = "citations.store";

  void add_to(Command& command) { command.add("--store", path, "FILE", kStoreHelp); }
};

// import

struct ImportRequest {
  StorePath store;
  std::vector<std::string> files;
  std::string format = "auto";
  ImportOptions options;
  ResultFiles result;
};

int import_files(ImportRequest& request) {
  request.options.read.format = citation_format_named(request.format);
  const std::vector<std::string> files = files_in(request.files);
  refuse_overwriting(request.store.path, files);
  std::vector<std::string> inputs = files;
  inputs.push_back(request.store.path);
  request.result.open(inputs);
  request.options.on_progress = show_progress("file");
  const CitationImport import = import_citations(request.store.path, files, request.options);
  const bool is_there = std::filesystem::exists(request.store.path);  // not if all were refused
  const ReportDocument report =
      import_report(import, request.store.path,
                    is_there ? CitationStore::open(request.store.path).counts() : StoreCounts());
  const auto text = request.result.write({{"--json", [&] { return document_as_json(report); }}});
  print_result(text ? *text : document_as_text(report, stdout_look()));
  return import.count(FileImport::State::kRefused) > 0 ? 2 : 0;
}

void add_import_command(Command& group) {
  const auto [command, request] = group.add_command(
      "import", "Read citations from the files of offices into a store.", import_files);
  command
      .add("FILE", request.files, "FILE",
           "Files, archives and folders; the format is told by the content")
      ->required();
  request.store.add_to(command);
  const std::vector<std::string_view> formats = citation_format_names();
  command.add("--format", request.format, "NAME",
              fmt::format("Format of all files: {} (auto)", fmt::join(formats, ", ")));
  command.offer("--format", {formats.begin(), formats.end()});
  command.add("--threads", request.options.threads, "N", "Files read at the same time (2)",
              Limits{1, kMostThreads});
  request.result.add(command, "--json",
                     "Write everything as JSON, too; - for stdout, nothing else then");
  command.footer(
      "An import that was interrupted can be started again: files in the store are left out.\n"
      "Exit code: 2 if a file was refused; the others are in the store.\n\n"
      "Examples:\n"
      "  prescope citations import ipg240102.zip ipg240109.zip --store us.store\n"
      "  prescope citations import docdb/ --json import.json");
}

// explain

struct NumberRequest {
  std::vector<std::string> numbers;
  std::string date;
};

unsigned year_of_date(const std::string& text) {
  if (text.empty()) return 0;
  const auto date = parse_date(text);
  if (date && date->is_known()) return date->year;
  throw usage_error("--date: '{}' is no date; expected one such as 1993-01-14, or a year", text);
}

std::string readings_text(const std::string& number, unsigned year) {
  const NumberReadings readings = read_number(number, year);
  ReportTable table{.title = fmt::format("{} is taken as {}: {}", number,
                                         readings.chosen().publication, readings.why)};
  for (const NumberReading& reading : readings.all) {
    const bool is_taken = &reading == &readings.chosen();
    table.add_row()
        .left("", {is_taken ? "*" : "", Style::kStrong})
        .left("publication", reading.publication)
        .left("patent", reading.patent)
        .left("series", reading.series)
        .right("year", reading.year == 0 ? std::string() : std::to_string(reading.year))
        .left("read", reading.why);
  }
  return table_text(table, stdout_look());
}

void explain_numbers(const NumberRequest& request) {
  const unsigned year = year_of_date(request.date);
  std::string text;
  for (const std::string& number : request.numbers) {
    if (!text.empty()) text += '\n';
    text += readings_text(number, year);
  }
  print_result(text);
}

void add_explain_number_command(Command& group) {
  const auto [command, request] = group.add_command(
      "explain", "Print every reading of a document number, and the one that is taken.",
      explain_numbers);
  command.add("NUMBER", request.numbers, "NUMBER", "Numbers in any spelling")->required();
  command.add("--date", request.date, "DATE",
              "When the document was published, which decides between readings");
  command.footer(
      "Examples:\n"
      "  prescope citations explain 'JP 5-3059 A' --date 1993-01-14\n"
      "  prescope citations explain US2003/0169838 WO20011234");
}

// qrels

struct QrelsRequest {
  StorePath store;
  std::string rule;
  CitationCategories categories;
  std::string collection, topics, strata, output, family_map;
  TopicSelection selection;
};

void write_family_map(const CitationStore& store, const std::set<std::string>& docnos,
                      const std::string& path) {
  OutputFile file(path);
  for (const std::string& docno : docnos) {
    const std::vector<FamilyMember> family = family_of(store, document_number(docno).key);
    if (family.size() > 1) file.append(fmt::format("{}\t{}\n", docno, family.front().key));
  }
  file.finish();
}

void write_qrels(QrelsRequest& request) {
  const std::array<std::string, 3> inputs{request.store.path, request.collection, request.topics};
  refuse_overwriting(request.output, inputs);
  refuse_overwriting(request.family_map, inputs);
  if (!request.output.empty()) refuse_overwriting(request.family_map, {&request.output, 1});
  CitationRule rule = CitationRule::parse(request.rule);
  rule.set_categories(request.categories);
  if (!request.strata.empty()) request.selection.by = parse_strata(request.strata);
  if (request.selection.sample == 0 && !request.selection.by.empty()) {
    throw usage_error("--by: has no meaning without --sample N");
  }
  const CitationStore store = CitationStore::open(request.store.path);
  std::optional<Collection> collection;
  if (!request.collection.empty()) collection = Collection::load(request.collection);
  if (!request.topics.empty()) {
    request.selection.topics = Collection::load(request.topics).docnos();
  }
  const Collection* const of = collection ? &*collection : nullptr;
  TopicJudge judge(store, rule, of);
  OutputFile file(request.output, inputs);
  const std::string rule_text = rule.text();
  std::set<std::string> docnos;
  judge_topics(
      store, judge, of, request.selection,
      [&](const std::string& topic, const std::vector<JudgedCitation>& judged) {
        for (const JudgedCitation& one : judged) {
          file.append(fmt::format("{} {} {} {}\n", topic, rule_text, one.docno, one.grade));
          if (!request.family_map.empty()) docnos.insert(one.docno);
        }
        if (!request.family_map.empty()) docnos.insert(topic);
      });
  if (judge.counts().judgements == 0) {
    std::string why = fmt::format("{}", fmt::join(judging_notes(judge.counts(), rule), "; "));
    if (why.empty()) why = "the store has no citation of them; expected docnos such as US7654321B2";
    throw bad_input_error("{}: the rule '{}' keeps no citation of these topics: {}",
                          request.store.path, rule.text(), why);
  }
  file.finish();
  if (!request.family_map.empty()) write_family_map(store, docnos, request.family_map);
  print_note(fmt::format("rule {}: {}", rule.text(), rule.words()));
  print_note(fmt::format("{} with {}", count_text(judge.counts().topics, "topic"),
                         count_text(judge.counts().judgements, "judgement")));
  for (const std::string& note : judging_notes(judge.counts(), rule)) print_note(note);
}

void add_qrels_command(Command& group) {
  const auto [command, request] =
      group.add_command("qrels", "Write judgements, by a named rule.", write_qrels);
  request.store.add_to(command);
  command.add("--rule", request.rule, "RULE",
              "examiner or clef-ip, and behind commas direct, cited-family, family, applicant, "
              "interfering, later (examiner)");
  add_category_flag(command, request.categories);
  command.add("--collection", request.collection, "FILE",
              "Documents that can be found: ids on lines, or JSON lines; others are not judged");
  command.add("--topics", request.topics, "FILE",
              "Topics: docnos on lines, or JSON lines (the collection, or all that cite)");
  command.add("--language", request.selection.language, "CODE", "Only topics of a language: en");
  command.add("--sample", request.selection.sample, "N", "Draw so many topics", Limits{1});
  command.add("--by", request.strata, "WHAT",
              "Give each stratum its share of the sample: ipc-section, year, or both");
  command.add("--seed", request.selection.seed, "N", "Seed of the sample (1)");
  command.add("--output", request.output, "FILE", "Write here instead of stdout");
  command.add("--family-map", request.family_map, "FILE",
              "Write also the families of all topics and documents, for --family-map of others");
  command.footer(
      "Examples:\n"
      "  prescope citations qrels --output qrels.txt\n"
      "  prescope citations qrels --rule clef-ip --collection patents.jsonl.gz --output qrels.txt\n"
      "  prescope citations qrels --sample 1000 --by ipc-section,year --seed 7 > qrels.txt");
}

// show

struct ShowRequest {
  StorePath store;
  std::string docno, rule;
  bool has_statistics = false, verifies = false;
  StudyOutput output;
};

void check_request(const ShowRequest& request) {
  const bool has_docno = !request.docno.empty(), has_statistics = request.has_statistics;
  const ResultFiles& files = request.output.files;
  const bool only_verifies =
      request.verifies && !files.wants("--json") && !files.wants("--csv") && !files.wants("--html");
  if (has_docno == has_statistics && (has_docno || !only_verifies)) {
    throw usage_error("expected either a DOCNO or --stats");
  }
  if (has_statistics) return;
  if (!request.rule.empty()) throw usage_error("--rule: has no meaning without --stats");
  if (!request.output.svg.empty()) throw usage_error("--svg: only --stats has figures");
}

void show(ShowRequest& request) {
  check_request(request);
  const std::array<std::string, 1> inputs{request.store.path};
  const CitationRule rule = CitationRule::parse(request.rule);
  request.output.open(inputs);
  const CitationStore store = CitationStore::open(request.store.path);
  if (request.verifies) {
    store.verify();
    print_note(fmt::format("{}: no damage found", request.store.path));
    if (request.docno.empty() && !request.has_statistics) return;
  }
  if (request.has_statistics) {
    return request.output.write(
        store_report(store_statistics(store, rule), request.store.path, rule));
  }
  const auto document = show_document(store, request.docno);
  if (!document) {
    throw bad_input_error(
        "{}: the store has nothing about '{}'; 'prescope citations explain' prints how it is read",
        request.store.path, request.docno);
  }
  request.output.write(shown_document_report(*document));
}

void add_show_command(Command& group) {
  const auto [command, request] = group.add_command(
      "show", "Show the citations of a document, or statistics of a store.", show);
  command.add("DOCNO", request.docno, "DOCNO", "Document: who cites it, and whom it cites");
  request.store.add_to(command);
  command.add_flag("--stats", request.has_statistics,
                   "Distributions over the whole store, instead of a document");
  command.add_flag("--verify", request.verifies, "Check every byte of the store first");
  command.add("--rule", request.rule, "RULE",
              "Rule by which --stats counts relevant documents (examiner)");
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope citations show US7654321B2\n"
      "  prescope citations show --stats --html citations.html");
}

}  // namespace

void add_citations_commands(Command& program) {
  Command& group =
      program.add_command("citations", "Judgements from the citation files of patent offices.");
  add_import_command(group);
  add_explain_number_command(group);
  add_qrels_command(group);
  add_show_command(group);
}

}  // namespace prescope::cli

#pragma once

#include <array>
#include <string_view>

namespace prescope::cli {

enum class ValueKind {
  kText,
  kPath,    ///< relative to the experiment file's folder, or as a flag to the current one
  kEngine,  ///< a name, or the path of a module
  kInteger,
  kTextList,
  kIntegerList,
};

/// An option of a replay: a key of the experiment file and the flag that overrides it.
struct OptionKey {
  std::string_view key;  ///< "qrels.docno": key docno of the table [qrels]
  std::string_view flag;
  ValueKind kind;
  std::string_view value_name;
  std::string_view help;
};

/// All of them but arms and citation categories, in the order in which they are listed.
inline constexpr std::array<OptionKey, 17> kOptionKeys{{
    {"name", "--name", ValueKind::kText, "TEXT", "Name of the experiment"},
    {"note", "--note", ValueKind::kText, "TEXT", "Words about the data, shown with the results"},
    {"engine", "--engine", ValueKind::kEngine, "NAME", "Engine's name, or path of its module"},
    {"index", "--index", ValueKind::kPath, "DIR", "Index to search"},
    {"cutoffs", "--cutoffs", ValueKind::kIntegerList, "N,N",
     "N_max values for PRES, R and AP (100,1000)"},
    {"measures", "--measures", ValueKind::kTextList, "M,M",
     "Measures instead of those, such as PRES@100,P@10"},
    {"depth", "--depth", ValueKind::kInteger, "N", "Hits to ask for (the largest cutoff)"},
    {"threads", "--threads", ValueKind::kInteger, "N", "Queries at the same time (1)"},
    {"seed", "--seed", ValueKind::kInteger, "N", "Of the arms' random order in each topic (1)"},
    {"qrels.path", "--qrels", ValueKind::kPath, "FILE", "Citation judgements"},
    {"qrels.docno", "--docno", ValueKind::kText, "POLICY",
     "When docnos are the same document: raw, publication, patent or family (patent)"},
    {"qrels.family_map", "--family-map", ValueKind::kPath, "FILE",
     "Lines 'docno family', for docno policy family"},
    {"qrels.min_grade", "--min-grade", ValueKind::kInteger, "N",
     "Grade from which a document is relevant (1)"},
    {"topics.source", "--topics-source", ValueKind::kText, "KIND",
     "file, or documents: each topic is the indexed document of this id"},
    {"topics.path", "--topics", ValueKind::kPath, "FILE",
     "Topics: 'id TAB text' lines, or JSON lines"},
    {"topics.exclude", "--exclude", ValueKind::kText, "WHAT",
     "Documents left out of a topic's ranking: none, self or family"},
    {"topics.exclude_pairs", "--exclude-pairs", ValueKind::kPath, "FILE",
     "Lines 'topic docno' of further documents to leave out"},
}};

}  // namespace prescope::cli

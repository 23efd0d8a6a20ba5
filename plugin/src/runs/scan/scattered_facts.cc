#include "runs/scan/scattered_facts.h"

#include <span>
#include <string>

#include "runs/scan/docno_hash.h"
#include "runs/scan/lines_again.h"

namespace prescope {

namespace {

void read_docnos_of(std::vector<ScatteredTopic>& topics, const LineReading& reading,
                    const RunInput& input) {
  std::vector<WantedLine*> lines;
  for (ScatteredTopic& topic : topics) {
    for (WantedLine& line : topic.wanted) lines.push_back(&line);
  }
  if (!lines.empty()) read_docnos_again(reading, input, lines);
}

}  // namespace

ScatteredFacts::ScatteredFacts(const LineReading& reading, const RunInput& input,
                               const ScatteredLines& lines, RunFacts& facts)
    : reading_(reading),
      input_(input),
      lines_(lines),
      facts_(facts),
      survey_(reading.qrels, reading.scan.count_greater),
      topic_lines_(reading.qrels, reading.precision, reading.scan.count_greater) {}

void ScatteredFacts::add(TopicIndex topic) {
  of_topic_.clear();
  lines_.copy(topic, of_topic_);
  topics_.push_back(survey_.survey(topic, of_topic_));
  wanted_ += topics_.back().wanted.size();
  if (wanted_ >= reading_.docnos_at_once) read_topics();
}

void ScatteredFacts::finish() {
  read_topics();
  read_repeating();
}

void ScatteredFacts::read_topics() {
  read_docnos_of(topics_, reading_, input_);
  for (ScatteredTopic& topic : topics_) {
    if (topic.add_to(facts_, reading_.qrels)) continue;
    repeating_lines_ += topic.num_ret;
    repeating_.push_back(std::move(topic));
    if (repeating_lines_ >= reading_.docnos_at_once) read_repeating();
  }
  topics_.clear();
  wanted_ = 0;
}

void ScatteredFacts::read_repeating() {
  for (ScatteredTopic& topic : repeating_) {
    of_topic_.clear();
    lines_.copy(topic.index, of_topic_);
    topic.wanted.clear();
    for (std::uint32_t i = 0; i < of_topic_.size(); ++i) {
      topic.wanted.push_back({.line = i, .kept = of_topic_[i]});
    }
  }
  read_docnos_of(repeating_, reading_, input_);
  for (const ScatteredTopic& topic : repeating_) add_repeating(topic);
  repeating_.clear();
  repeating_lines_ = 0;
}

/// The docnos of a topic are put together for it.
void ScatteredFacts::add_repeating(const ScatteredTopic& topic) {
  docnos_.clear();
  for (const WantedLine& line : topic.wanted) docnos_ += line.docno;
  docnos_.append(kPadding, '\0');
  topic_lines_.begin(reading_.qrels.topic(topic.index).id().text(), topic.index);
  topic_lines_.set_text(docnos_.data());
  std::size_t place = 0;
  for (const WantedLine& line : topic.wanted) {
    TopicEntry entry = TopicEntry::of_line(place, line.docno.size(), place);
    entry.hash = topic_lines_.hash_of({docnos_.data() + place, line.docno.size()});
    topic_lines_.add_scored(entry, line.kept.score());
    place += line.docno.size();
  }
  topic_lines_.finish(facts_);
}

}  // namespace prescope

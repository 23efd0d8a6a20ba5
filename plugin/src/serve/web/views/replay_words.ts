// What a finished replay says in words.
import type { Difference, LatencyRatio, Pair, Summary } from "../data/documents.ts";
import type { ReplayDocument, ReplayIndex } from "../data/replay_document.ts";
import { count, counted, difference, interval, meanName, score } from "../format.ts";
import type { Tone } from "../plots/forest.ts";
import { exactPercent, pValue, ratio } from "../statistics_format.ts";
import { shown } from "./parts.ts";

export function subjectLines(document: ReplayDocument): [string, string][] {
  const { options, indexes, note } = document;
  const lines: [string, string][] = note ? [["note", note]] : [];
  if (indexes.length === 1) lines.push(["engine", `${indexes[0]!.engine.name} ${indexes[0]!.engine.version}`], ["index", indexWords(indexes[0]!)]);
  else for (const index of indexes) lines.push(["index", `${indexWords(index)} (${index.engine.name} ${index.engine.version})`]);
  lines.push(
    ["qrels", `${options.qrels.path}, docno policy ${options.qrels.docno}, relevant from grade ${options.qrels.min_grade}; ` +
      `${counted(document.summary.topics, "topic")}, ${counted(document.summary.judgements, "judgement")}`],
    ["topics", `${counted(document.topics.run, "topic")} run: ${options.topics.source === "file" ? options.topics.path ?? "" : "title and abstract of the indexed document of this id"}`]);
  const left = leftOut(document);
  if (left) lines.push(["left out", left]);
  for (const arm of options.arms) lines.push(["arm", armWords(document, arm)]);
  lines.push(["run", `depth ${options.depth}, ${counted(options.threads, "thread")}, seed ${options.seed}`]);
  return lines.map(([label, words]) => [label, shown(words)]);
}

function indexWords({ path, documents }: ReplayIndex): string {
  return documents === null ? path : `${path}, ${counted(documents, "document")}`;
}

function leftOut({ options, topics }: ReplayDocument): string {
  const { exclude, exclude_pairs } = options.topics;
  return [
    exclude === "none" ? "" : "the topic's own document", exclude === "family" ? "its family" : "", exclude_pairs ?? "",
    topics.relevant_excluded ? `${counted(topics.relevant_excluded, "relevant document")} among them, counted as not found` : "",
  ].filter(Boolean).join(", ");
}

function armWords({ indexes }: ReplayDocument, arm: ReplayDocument["options"]["arms"][number]): string {
  const settings = Object.entries(arm.settings).map(([key, value]) => `${key} = ${value}`).join(", ");
  return `${arm.name}${settings ? `: ${settings}` : ""}${indexes.length > 1 ? ` (${arm.index})` : ""}`;
}

/** What came out of a pair of arms, in a sentence. */
export function pairSentence(pair: Pair, measures: string[]): string {
  const those = (verdict: string) => measures.filter((measure) => pair.differences[measure]?.verdict === verdict).map(meanName);
  const better = those("better"), worse = those("worse"), open = those("no difference shown"), same = those("identical");
  const parts = [
    better.length ? `better in ${list(better)}` : "", worse.length ? `worse in ${list(worse)}` : "",
    open.length ? `not shown to differ in ${list(open)}` : "", same.length ? `the same in every topic in ${list(same)}` : "",
  ].filter(Boolean);
  const verdict = parts.length ? `${pair.b} is ${list(parts)}, compared with ${pair.a}` : `Too few topics to compare ${pair.b} with ${pair.a}`;
  return shown(`${verdict}. ${latencySentence(pair)}`.trim());
}

/** "In the same topic bm25 takes 0.812 times as long as tfidf, 95 % interval [0.800, 0.825]: faster." */
export function latencySentence({ a, b, latency_ratio: it }: Pair): string {
  if (it.mean === null || it.ci_low === null || it.ci_high === null) return "";
  return `In the same topic it takes ${ratio(it.mean)} times as long as ${a} does, 95 % interval [${ratio(it.ci_low)}, ${ratio(it.ci_high)}]: ` +
    `${latencyWords(it, b)}.`;
}

function latencyWords(it: LatencyRatio, b: string): string {
  if (it.ci_high! < 1) return `${b} is faster`;
  if (it.ci_low! > 1) return `${b} is slower`;
  return "no difference shown";
}

function list(parts: string[]): string {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

export function toneOf({ verdict }: Difference): Tone {
  return verdict === "better" ? "good" : verdict === "worse" ? "bad" : "same";
}

export function verdictWords(it: Difference, { a, b }: Pair): string {
  switch (it.verdict) {
    case "better": return shown(`${b} is better`);
    case "worse": return shown(`${a} is better`);
    case "identical": return "every topic the same";
    case "too few topics": return "fewer than 2 topics";
    default: return it.ci_low === null || it.ci_high === null ? it.verdict : `not shown (±${score((it.ci_high - it.ci_low) / 2)})`;
  }
}

export function differenceLine(measure: string, it: Difference): string {
  if (it.mean === null) return `${meanName(measure)}: fewer than 2 topics.`;
  return `${meanName(measure)}: ${difference(it.mean)}, 95 % interval ${interval(it.ci_low, it.ci_high, difference)}, p ${pValue(it.p_value)}, over ${counted(it.topics, "topic")}.`;
}

export const aboutDifferences = `Differences are over the topics in which both arms have a value, with their ${exactPercent(0.95)} paired t interval and the ` +
  "p of the paired t test, two-sided: they hold for a finished run, not for looking while it still goes on. Not corrected for the number of measures.";

export const aboutLatency = "Latency counts queries, not topics. own: the plugin's time on the query thread, within the query's latency.";

/** What is odd about the run, a sentence each. */
export function oddities({ summary, topics }: ReplayDocument): string[] {
  const lines: (string | null)[] = [
    topics.not_run.length ? `${counted(topics.not_run.length, "topic of the qrels was not run", "topics of the qrels were not run")}: ` +
      topics.not_run.slice(0, 5).map(({ topic, reason }) => `${topic} (${reason})`).join(", ") + (topics.not_run.length > 5 ? ` and ${topics.not_run.length - 5} more` : "") : null,
    topics.without_judgements ? `topics of the topics file without judgements, not run: ${count(topics.without_judgements)}` : null,
    summary.topics_without_relevant ? `${counted(summary.topics_without_relevant, "topic has", "topics have")} no relevant document and count in no mean` : null,
    summary.judgements_repeated ? `${counted(summary.judgements_repeated, "line of the qrels repeats", "lines of the qrels repeat")} an earlier one and count once` : null,
    summary.judgements_merged ? `${counted(summary.judgements_merged, "judgement was merged", "judgements were merged")} with another of the same document (kind codes or families) and kept the higher grade` : null,
    ...summary.arms.flatMap(armOddities),
    ...unusualCounters(summary),
  ];
  return lines.filter((line): line is string => line !== null).map(shown);
}

function armOddities(arm: Summary["arms"][number]): (string | null)[] {
  return [
    arm.relevant_missing ? `${counted(arm.relevant_missing, "relevant judgement is", "relevant judgements are")} not in the index of ${arm.name} and count as not found` : null,
    arm.retried_queries ? `${arm.name} answered ${counted(arm.retried_queries, "query", "queries")} only when asked again; their latency is left out` : null,
    arm.duplicate_hits ? `${arm.name} served ${counted(arm.duplicate_hits, "judged document")} again at a worse rank; the first rank counts` : null,
    ...Object.entries(arm.means).map(([measure, mean]) => mean.too_shallow
      ? `${arm.name} did not serve ${counted(mean.too_shallow, "topic")} deep enough for ${measure}; they have no value there` : null),
  ];
}

/** Counters that are 0 in a healthy replay. */
function unusualCounters({ health }: Summary): string[] {
  return Object.entries(health).filter(([name, value]) => value > 0 && name !== "pushed" && name !== "recorded")
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${count(value)}`);
}

// What a verdict of the gate says in words.
import type { GateDocument, GateEvaluation, GateMeasure, GateOutcome, RuleStatus } from "../data/gate_document.ts";
import { count, counted, dateAndTime, difference, interval, meanName } from "../format.ts";
import type { Tone } from "../plots/forest.ts";
import { pValue } from "../statistics_format.ts";
import { shown } from "./parts.ts";

/** What the two evaluations are called: baseline and tonight, or two nights of a store. */
export interface GateNames {
  before: string;
  after: string;
  /** Two nights that somebody chose: nobody pinned, nobody gates. */
  isComparison: boolean;
}

export const gateNames: GateNames = { before: "baseline", after: "tonight", isComparison: false };

export function nightNames(a: string, b: string): GateNames {
  return { before: `night ${a}`, after: `night ${b}`, isComparison: true };
}

/** How rules are told from each other: a word, a shape, a colour. */
export const statuses: Record<RuleStatus, { words: string; tally: string; sign: string; tag: string; rank: number }> = {
  bad_input: { words: "BAD INPUT", tally: "bad input", sign: "✕", tag: "bad", rank: 0 },
  fail: { words: "FAILS", tally: "failed", sign: "▼", tag: "bad", rank: 1 },
  inconclusive: { words: "not shown", tally: "not shown", sign: "◇", tag: "warn", rank: 2 },
  warning: { words: "warning", tally: "warned", sign: "!", tag: "warn", rank: 3 },
  pass: { words: "holds", tally: "held", sign: "●", tag: "good", rank: 4 },
  skipped: { words: "skipped", tally: "skipped", sign: "–", tag: "", rank: 5 },
};

export const outcomes: Record<GateOutcome, { sign: string; tag: string }> = {
  PASS: { sign: "●", tag: "good" },
  REGRESSION: { sign: "▼", tag: "bad" },
  INCONCLUSIVE: { sign: "◇", tag: "warn" },
  "BAD INPUT": { sign: "✕", tag: "bad" },
};

/** What came out, in a sentence. */
export function outcomeSentence(document: GateDocument, names: GateNames): string {
  const tonight = names.isComparison ? `Night ${names.after.slice(6)}` : document.evaluation === null ? "Tonight's evaluation" : `Evaluation ${document.evaluation}`;
  const baseline = names.isComparison ? names.before : `baseline “${shown(document.baseline.name)}”`;
  switch (document.outcome) {
    case "PASS": return document.identical
      ? `${tonight} found the same documents at the same ranks as ${baseline}.` : `${tonight} holds against ${baseline}.`;
    case "REGRESSION": return names.isComparison
      ? `${tonight} is worse than ${baseline} by more than the default rules accept.` : `${tonight} is worse than ${baseline} allows.`;
    case "INCONCLUSIVE": return `${tonight} is not shown to hold against ${baseline}, nor to be worse.`;
    case "BAD INPUT": return `${tonight} cannot be compared with ${baseline}; nothing is said about the ranking.`;
  }
}

/** "13 rules: 2 failed, 11 held" */
export function tally({ rules }: GateDocument): string {
  const parts = (Object.keys(statuses) as RuleStatus[]).map((status) => {
    const number = rules.filter((rule) => rule.status === status).length;
    return number ? `${number} ${statuses[status].tally}` : "";
  });
  return `${counted(rules.length, "rule")}: ${parts.filter(Boolean).join(", ")}.`;
}

export function subjectLines(document: GateDocument, names: GateNames): [string, string][] {
  const { baseline, tonight } = document;
  const lines: [string, string][] = names.isComparison
    ? [[names.before, evaluationWords(baseline.evaluation)], [names.after, evaluationWords(tonight)]]
    : [["baseline", `${baseline.name}: ${evaluationWords(baseline.evaluation)}`],
      ["pinned", `${dateAndTime(baseline.pinned)} by ${baseline.pinned_by}: ${baseline.why}`],
      ["tonight", evaluationWords(tonight)]];
  lines.push(["qrels", qrelsWords(tonight)]);
  if (baseline.must_find.length) lines.push(["must find", counted(baseline.must_find.length, "pinned citation")]);
  const before = indexWords(baseline.evaluation), now = indexWords(tonight);
  if (before || now) lines.push([`index, ${names.before}`, before || "unknown"], [`index, ${names.after}`, now || "unknown"]);
  if (!names.isComparison) lines.push(["store", `${document.store}, ${document.evaluation === null ? "nothing stored" : `evaluation ${document.evaluation}`}`]);
  return lines.map(([label, words]) => [label, shown(words)]);
}

function evaluationWords({ arm, source, index, time, depth }: GateEvaluation): string {
  return `${arm}, ${source}${index.path ? ` on ${index.path}` : ""}, ${dateAndTime(time)}, depth ${depth}`;
}

function qrelsWords({ qrels }: GateEvaluation): string {
  return `${counted(qrels.topics, "topic")}, ${counted(qrels.relevant, "relevant document")}, docno policy ${qrels.docno_policy}, ` +
    `relevant from grade ${qrels.min_grade}`;
}

/** Nothing where nothing is known of it. */
function indexWords({ index, qrels }: GateEvaluation): string {
  return [
    index.engine ? `${index.engine} ${index.engine_version}` : "",
    index.documents === null ? "" : counted(index.documents, "document"),
    index.judged_found === null ? "" : `${count(index.judged_found)} of ${count(qrels.relevant)} relevant judgements found in it`,
  ].filter(Boolean).join(", ");
}

export function toneOf(status: RuleStatus): Tone {
  return status === "pass" ? "good" : status === "fail" || status === "bad_input" ? "bad" : "same";
}

/** A deciding measure in a line. */
export function measureLine(it: GateMeasure, document: GateDocument): string {
  if (it.difference === null || it.low === null) return `${meanName(it.measure)}: no value in both.`;
  return `${meanName(it.measure)}: ${difference(it.difference)}, bounds ${interval(it.low, it.high, difference)} each at ` +
    `${Number((document.applied.confidence * 100).toPrecision(6))} %, margin ${it.margin}, p worse ${pValue(it.p_non_inferior)}, over ${counted(it.topics, "topic")}.`;
}

export function aboutMeasures(document: GateDocument, { before, after }: GateNames): string[] {
  return [
    `Differences are ${after} minus ${before} over the topics with a value in both. bounds: the true mean difference is above the lower and ` +
      `below the upper one, each at ${Number((document.applied.confidence * 100).toPrecision(6))} %.`,
    "margin: the largest mean loss that is accepted, shaded in the plot; p worse: of a loss as large or larger, small where it is ruled out; " +
      "p differs: paired t, two-sided.",
  ];
}

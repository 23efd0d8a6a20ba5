import type { Difference, Pair, Summary } from "../../data/documents.ts";
import { element, fill, setText } from "../../dom.ts";
import { explained, measureExplanation } from "../../explain.ts";
import { count, difference, interval, meanName, nameInText, none, percent } from "../../format.ts";
import { selectedPair, selection } from "../../selection.ts";
import { table } from "../../table.ts";
import { stateName, statePromise, stateTag, verdictGrounds, verdictSentence } from "../../words.ts";
import { intervalPicture } from "./interval_picture.ts";
import type { Part } from "./part.ts";

interface Row {
  measure: string;
  of: Difference;
  /** Topics are of one arm each: none is won or lost. */
  split: boolean;
  /** What the pictures of all rows reach to. */
  reach: number;
}

/** The verdict of the selected pair and measure in words, and those of all measures in a table. */
export function verdictPart(): Part {
  const state = element("span");
  const sentence = element("p", { class: "sentence" });
  const grounds = element("p", { class: "grounds" });
  const alarm = element("p", { class: "problem", hidden: true });
  const title = element("h2");
  const rows = verdictTable();
  const part = element("section", { class: "card verdict", "aria-label": "Verdict" },
    element("div", { class: "verdict-lead" }, state, element("div", {}, sentence, grounds)), alarm, title, rows.element);
  return {
    element: part,
    set({ place, summary }) {
      const chosen = selection(place, summary);
      const pair = selectedPair(chosen, summary);
      part.hidden = pair === null;
      const of = pair?.differences[chosen.measure];
      if (!pair || !of) return;
      state.className = stateTag(of.live, of.mean);
      setText(state, stateName(of.live.state, of.topics));
      setText(sentence, `${verdictSentence(pair.a, pair.b, chosen.measure, of)}.`);
      setText(grounds, verdictGrounds(of));
      setText(title, `${nameInText(pair.b)} minus ${nameInText(pair.a)}, ${summary.mode === "split" ? "less what was expected of their topics" : "topic by topic"}`);
      showAlarm(alarm, pair);
      rows.set(rowsOf(pair, summary));
    },
  };
}

function verdictTable() {
  return table<Row>({
    caption: "The difference in each measure",
    class: "verdicts",
    columns: [
      { head: "Measure", heads: true, cell: (row) => explained(meanName(row.measure), measureExplanation(row.measure)) },
      { head: "Difference", about: "difference", cell: (row) => element("strong", { text: difference(row.of.mean) }), attributes: (row) => named(row, "mean") },
      { head: "Interval", about: "confidence sequence", align: "start", attributes: () => ({ class: "picture" }),
        cell: (row) => intervalPicture(row.of, row.reach) },
      { head: "[low, high]", cell: (row) => interval(row.of.live.low, row.of.live.high, difference), attributes: (row) => named(row, "interval"),
        explain: (row) => `Holds at all times but for a chance of ${percent(row.of.live.alpha)}.` },
      { head: "Topics", about: "topics", cell: (row) => count(row.of.topics), attributes: (row) => named(row, "topics") },
      { head: "Detectable", about: "detectable", cell: (row) => (row.of.live.detectable === null ? "–" : difference(row.of.live.detectable).replace("+", "")) },
      { head: "Wins / ties / losses", about: "wins", cell: outcomes },
      { head: "State", about: "state", align: "start", cell: (row) => element("span", { class: stateTag(row.of.live, row.of.mean), text: stateName(row.of.live.state, row.of.topics) }),
        explain: (row) => statePromise[row.of.live.state], attributes: (row) => named(row, "state") },
    ],
  });
}

const outcomes = ({ of, split }: Row) => (split ? none : `${count(of.wins)} / ${count(of.ties)} / ${count(of.losses)}`);

const named = (row: Row, what: string) => ({ "data-number": `difference/${row.measure}/${what}` });

function rowsOf(pair: Pair, summary: Summary): Row[] {
  const shown = summary.measures.flatMap((measure) => {
    const of = pair.differences[measure];
    return of ? [{ measure, of }] : [];
  });
  const reach = Math.max(0.01, ...shown.filter(({ of }) => of.live.state !== "collecting").map(({ of }) => Math.max(Math.abs(of.live.low), Math.abs(of.live.high))));
  return shown.map((row) => ({ ...row, reach, split: summary.mode === "split" }));
}

function showAlarm(alarm: HTMLElement, pair: Pair): void {
  alarm.hidden = !pair.sample_ratio?.alarm;
  if (pair.sample_ratio?.alarm)
    fill(alarm, `The arms are not comparable: ${count(pair.sample_ratio.topics_a)} topics went to ${nameInText(pair.a)} and ${count(pair.sample_ratio.topics_b)} to ${nameInText(pair.b)}, which no fair coin would do.`);
}

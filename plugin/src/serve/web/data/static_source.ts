import { listTopics } from "../views/topic_list.ts";
import type { PageData, ReplayDocument, SummaryDocument } from "./documents.ts";
import type { Source } from "./source.ts";

const summaryOf = ({ kind, document }: PageData) =>
  kind === "replay" ? (document as ReplayDocument).summary : null;

/** The documents of the report that this page is: it sorts and searches as a server would. */
export function staticSource(data: PageData): Source {
  const summary = summaryOf(data);
  const topics = data.topics ?? [];
  return {
    topics: (query) => held(summary && listTopics(
      topics, summary.measures, summary.arms.map((arm) => arm.name), query)),
    topic: (id) => held(topics.find(({ topic }) => topic === id),
      `There is no topic ${id} in this report.`),
    sweep: () => held(data.sweep),
    history: () => held(null),
    compare: () => held(null),
  };
}

function held<Document>(
  document: Document | null | undefined, otherwise = "This report does not hold that.") {
  return document ? Promise.resolve(document) : Promise.reject(new Error(otherwise));
}

/** The summary as a server would give it; without one if the report is not of a replay. */
export function summaryDocument(data: PageData): SummaryDocument {
  const { prescope = "" } = (data.document ?? {}) as Partial<SummaryDocument>;
  const summary = summaryOf(data);
  const has = { experiment: summary !== null, series: false, history: false };
  return { prescope, source: "session", store: null, time: "", started: null, has, summary };
}

import { listTopics } from "../views/topic_list.ts";
import type { PageData, Summary, SummaryDocument, Sweep, TopicDetail, TopicsQuery } from "./documents.ts";
import type { ReplayDocument } from "./report_documents.ts";
import { type Source, SourceError } from "./source.ts";

/** The documents of the report that this page is: what a server sorts and searches is done here. */
export function staticSource(data: PageData): Source {
  const replay = data.kind === "replay" ? data.document as ReplayDocument : null;
  const summary = replay?.summary ?? null;
  const topics = data.topics?.length ? data.topics : summary ? withoutCitations(summary) : [];
  return {
    summary: () => Promise.resolve(summaryDocument(data, summary)),
    series: none,
    subscribe: () => () => {},
    topics: (query) => summary ? Promise.resolve(page(topics, summary, query)) : none(),
    topic: (id) => {
      const found = topics.find((topic) => topic.topic === id);
      return found ? Promise.resolve(found) : Promise.reject(new SourceError(`There is no topic ${id} in this report.`, 404));
    },
    sweep: () => data.sweep ? Promise.resolve<Sweep>(data.sweep) : none(),
    history: none,
    compare: none,
  };
}

function none(): Promise<never> {
  return Promise.reject(new SourceError("This report does not hold that."));
}

function summaryDocument(data: PageData, summary: Summary | null): SummaryDocument {
  const { prescope = "" } = (data.document ?? {}) as { prescope?: string };
  return { prescope, source: "session", store: null, time: "", started: null,
    has: { experiment: summary !== null, series: false, history: false }, summary };
}

function page(topics: TopicDetail[], summary: Summary, query: TopicsQuery) {
  return listTopics(topics, summary.measures, summary.arms.map((arm) => arm.name), query);
}

/** Topics as a summary has them: their citations are not in it. */
function withoutCitations(summary: Summary): TopicDetail[] {
  const measure = summary.measures.find((each) => each.startsWith("PRES@")) ?? summary.measures[0] ?? "";
  return summary.per_topic.map((row) => ({
    topic: row.topic, num_rel: row.num_rel, measure, cutoff: Number(measure.split("@")[1] ?? 0), citations: [], pairs: [],
    arms: summary.arms.map(({ name }) => ({ name, ...row.arms[name]! })),
  }));
}

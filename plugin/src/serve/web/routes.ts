import type { PageKind, SummaryDocument } from "./data/documents.ts";
import type { Route } from "./view.ts";
import { compareView } from "./views/compare.ts";
import { gateView } from "./views/gate.ts";
import { healthView } from "./views/health.ts";
import { historyView } from "./views/history.ts";
import { overviewView } from "./views/overview.ts";
import { replayView } from "./views/replay.ts";
import { sweepView } from "./views/sweep.ts";
import { topicView } from "./views/topic.ts";
import { topicsView } from "./views/topics.ts";

const experiment = (document: SummaryDocument | null) => document?.has.experiment ?? false;
const history = (document: SummaryDocument | null) => document?.has.history ?? false;

const topics: Route = { name: "topics", title: "Topics", view: topicsView };
const topic: Route = { name: "topic", title: "Topic", view: topicView, hidden: true };
const sweep: Route = { name: "sweep", title: "Cutoff sweep", view: sweepView };

const routes: Record<PageKind, Route[]> = {
  live: [
    { name: "", title: "Overview", view: overviewView, fits: experiment },
    { ...topics, fits: experiment },
    topic,
    { ...sweep, fits: experiment },
    { name: "health", title: "Health", view: healthView, fits: experiment },
    { name: "history", title: "History", view: historyView, fits: history },
    { name: "compare", title: "Two nights", view: gateView, hidden: true },
  ],
  replay: [{ name: "", title: "Replay", view: replayView }, topics, topic, sweep],
  compare: [{ name: "", title: "Comparison", view: compareView }],
  gate: [{ name: "", title: "Gate", view: gateView }],
  history: [{ name: "", title: "History", view: historyView }],
};

/** The views of a kind of page, in the order of the navigation. */
export function routesOf(kind: PageKind): Route[] {
  return routes[kind] ?? [];
}

import "./styles/base.css";
import "./styles/print.css";
import "./styles/reports.css";
import "./styles/overview.css";
import "./styles/topics.css";
import type { PageData, PageKind, Series, SummaryDocument } from "./data/documents.ts";
import {
  type ConnectionState, follow, loadSeries, server, setToken, type Source, takeLinkedToken,
} from "./data/source.ts";
import { staticSource, summaryDocument } from "./data/static_source.ts";
import { html } from "./dom.ts";
import { watchExplanations } from "./explain.ts";
import { type Route, Shell } from "./shell.ts";
import { address, type Changes, type Context, here, type ShownView } from "./view.ts";
import { compareView } from "./views/compare.ts";
import { gateView } from "./views/gate.ts";
import { healthView } from "./views/health.ts";
import { historyView } from "./views/history.ts";
import { overviewView } from "./views/overview.ts";
import { replayView } from "./views/replay.ts";
import { sweepView } from "./views/sweep.ts";
import { topicView } from "./views/topic.ts";
import { topicsView } from "./views/topics.ts";

/** The page: the newest data, the current view, and the address that names it. */
class App implements Context {
  readonly source: Source;
  /** False for a report. */
  private readonly isLive: boolean;
  private readonly shell: Shell;
  private document: SummaryDocument | null = null;
  private series: Series | null = null;
  /** Points are missing at its end; it is shown until there is a better one. */
  private seriesEnded = false;
  private shown: { route: Route; path: string; view: ShownView } | null = null;
  private loadingSeries = false;
  private stop = () => {};

  constructor(readonly data: PageData) {
    this.isLive = data.kind === "live";
    this.source = this.isLive ? server : staticSource(data);
    this.shell = new Shell(data, (token) => {
      setToken(token);
      this.listen();
    });
  }

  start(): void {
    document.body.append(this.shell.element);
    addEventListener("hashchange", () => {
      if (this.isLive && takeLinkedToken()) this.listen();
      this.show();
    });
    if (!this.isLive) return this.take(summaryDocument(this.data), null);
    takeLinkedToken();
    this.listen();
  }

  get now() {
    return { document: this.document!, series: this.series };
  }

  setParameters(changes: Changes): void {
    const { path, parameters } = here();
    history.replaceState(null, "", address(path, parameters, changes));
    this.show();
  }

  private listen(): void {
    this.stop();
    this.stop = follow(({ document, point }) => this.take(document, point),
      (state) => this.connection(state));
  }

  private connection(state: ConnectionState): void {
    this.shell.connection(state);
    if (state.is !== "connected") this.seriesEnded = true;
  }

  private take(summary: SummaryDocument, point: Series | null): void {
    this.document = summary;
    if (point && this.series && !this.seriesEnded) {
      const longer = extended(this.series, point);
      this.series = longer ?? this.series;
      this.seriesEnded = longer === null;
    }
    if ((!this.series || this.seriesEnded) && summary.has.series) void this.loadSeries();
    this.shell.document(summary);
    if (this.shown) this.shown.view.update?.();
    else this.show();
  }

  private async loadSeries(): Promise<void> {
    if (this.loadingSeries) return;
    this.loadingSeries = true;
    try {
      this.series = await loadSeries();
      this.seriesEnded = false;
      this.shown?.view.update?.();
    } catch {
      // The next event tries again.
    } finally {
      this.loadingSeries = false;
    }
  }

  private show(): void {
    if (!this.document) return;
    const path = here().path;
    const fitting = routes[this.data.kind].filter(({ hidden, needs }) =>
      hidden || !needs || this.document!.has[needs]);
    const menu = fitting.filter((route) => !route.hidden);
    const route = fitting.find((each) => each.name === (path[0] ?? "")) ?? menu[0];
    if (!route) return this.shell.show(nothing(), "prescope");
    const { shown } = this;
    if (shown?.route === route && shown.path === path.join("/") && shown.view.parameters)
      shown.view.parameters();
    else this.open(route, path.join("/"));
    this.shell.navigation(menu, route);
  }

  private open(route: Route, path: string): void {
    const moved = this.shown !== null && (this.shown.route !== route || this.shown.path !== path);
    this.shown?.view.close?.();
    const view = route.view(this);
    this.shown = { route, path, view };
    const experiment = this.document?.summary?.experiment ?? "prescope";
    this.shell.show(view.element, this.data.title ?? `${route.title} · ${experiment}`);
    view.update?.();
    if (moved) this.shell.focusHeading();
  }
}

function nothing(): HTMLElement {
  return html("div", html("h1", "Nothing to show yet"),
    html("p", "There is neither an experiment nor a history here."));
}

/** Largest number of points that a server keeps before it thins them out. */
const mostPoints = 2048;

/**
 * Returns `series` with `point` at its end, or null if the point does not continue it; the caller
 * then fetches the series again.
 */
function extended(series: Series, point: Series): Series | null {
  const time = point.time_ms[0];
  if (time === undefined || time <= (series.time_ms.at(-1) ?? -Infinity)) return series;
  const shape = ({ arms, pairs }: Series) => JSON.stringify([arms, pairs], (_key, value) =>
    (isColumn(value) ? "column" : value));
  if (shape(series) !== shape(point)) return null;
  const known = new Set(series.epochs.map((epoch) => epoch.number));
  const epochs = [...series.epochs, ...point.epochs.filter((epoch) => !known.has(epoch.number))];
  const longer: Series = { ...joined(series, point), epochs };
  return longer.time_ms.length <= mostPoints ? longer : null;
}

const isColumn = (value: unknown): value is unknown[] =>
  Array.isArray(value) && (value.length === 0 || value[0] === null || typeof value[0] !== "object");

/** Each column of `of` joined with that of `other` at the same place. */
function joined(of: any, other: any): any {
  if (isColumn(of)) return [...of, ...other];
  if (typeof of !== "object" || of === null) return of;
  if (Array.isArray(of)) return of.map((each, index) => joined(each, other[index]));
  const entries = Object.entries(of).map(([key, each]) => [key, joined(each, other?.[key])]);
  return Object.fromEntries(entries);
}

const topics: Route = { name: "topics", title: "Topics", view: topicsView, needs: "experiment" };
const topic: Route = { name: "topic", title: "Topic", view: topicView, hidden: true };
const sweep: Route =
  { name: "sweep", title: "Cutoff sweep", view: sweepView, needs: "experiment" };

/** The views of each kind of page, in the order of the navigation. */
const routes: Record<PageKind, Route[]> = {
  live: [
    { name: "", title: "Overview", view: overviewView, needs: "experiment" },
    topics, topic, sweep,
    { name: "health", title: "Health", view: healthView, needs: "experiment" },
    { name: "history", title: "History", view: historyView, needs: "history" },
    { name: "compare", title: "Two nights", view: gateView, hidden: true },
  ],
  replay: [{ name: "", title: "Replay", view: replayView }, topics, topic, sweep],
  compare: [{ name: "", title: "Comparison", view: compareView }],
  gate: [{ name: "", title: "Gate", view: gateView }],
  history: [{ name: "", title: "History", view: historyView }],
};

watchExplanations();
const holder = document.getElementById("prescope-data");
new App(JSON.parse(holder?.textContent || '{"kind":"live"}') as PageData).start();

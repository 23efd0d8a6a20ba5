import type { PageData, PageKind, Series, SummaryDocument } from "./data/documents.ts";
import { liveSource } from "./data/live_source.ts";
import { extended } from "./data/series.ts";
import { type ConnectionState, type Source, type Token, token } from "./data/source.ts";
import { staticSource } from "./data/static_source.ts";
import { element, fill } from "./dom.ts";
import { address, change, type Place, presentPlace } from "./place.ts";
import { Shell } from "./shell.ts";
import type { Context, Now, Route, ShownView } from "./view.ts";
import { compareView } from "./views/compare.ts";
import { gateView } from "./views/gate.ts";
import { healthView } from "./views/health.ts";
import { historyView } from "./views/history.ts";
import { overviewView } from "./views/overview.ts";
import { replayView } from "./views/replay.ts";
import { sweepView } from "./views/sweep.ts";
import { topicView } from "./views/topic.ts";
import { topicsView } from "./views/topics.ts";

/** The page: what is known, which view is on, and the address that says which. */
export class App {
  private readonly token: Token | null;
  private readonly source: Source;
  private readonly shell: Shell;
  private document: SummaryDocument | null = null;
  private series: Series | null = null;
  /** Points are missing at its end; it is shown until there is a better one. */
  private seriesEnded = false;
  private shown: { route: Route; path: string; view: ShownView } | null = null;
  private loadingSeries = false;
  private stop = () => {};

  constructor(private readonly data: PageData) {
    this.token = data.kind === "live" ? token() : null;
    this.source = this.token ? liveSource(this.token) : staticSource(data);
    this.shell = new Shell(data, (value) => this.useToken(value));
  }

  start(): void {
    document.body.append(this.shell.element);
    addEventListener("hashchange", () => this.show());
    if (this.data.kind === "live") this.listen();
    else void this.source.summary().then((summary) => this.shell.document(this.document = summary), () => {}).then(() => this.show());
  }

  private listen(): void {
    this.stop();
    this.stop = this.source.subscribe({
      event: (event) => this.take(event.document, event.point),
      connection: (state) => this.connection(state),
    });
  }

  private useToken(value: string): void {
    this.token?.set(value);
    this.listen();
  }

  private connection(state: ConnectionState): void {
    this.shell.connection(state);
    if (state.is === "lost") this.seriesEnded = true;
  }

  private take(summary: SummaryDocument, point: Series | null): void {
    this.document = summary;
    if (point) this.prolong(point);
    if ((!this.series || this.seriesEnded) && summary.has.series) void this.loadSeries();
    this.shell.document(summary);
    if (this.shown) this.shown.view.update?.(this.now());
    else this.show();
  }

  private prolong(point: Series): void {
    if (!this.series || this.seriesEnded) return;
    const longer = extended(this.series, point);
    if (longer) this.series = longer;
    else this.seriesEnded = true;
  }

  private async loadSeries(): Promise<void> {
    if (this.loadingSeries) return;
    this.loadingSeries = true;
    try {
      this.series = await this.source.series();
      this.seriesEnded = false;
      this.shown?.view.update?.(this.now());
    } catch {
      // The next event tries again.
    } finally {
      this.loadingSeries = false;
    }
  }

  // Views of reports without a summary do not look at it.
  private now(): Now {
    return { document: this.document!, series: this.series };
  }

  private show(): void {
    if (this.data.kind === "live" && !this.document) return;
    const place = presentPlace();
    const routes = routesOf(this.data.kind).filter((route) => route.hidden || (route.fits?.(this.document) ?? true));
    const route = routes.find((each) => each.name === (place.path[0] ?? "")) ?? routes.find((each) => !each.hidden);
    if (!route) return this.shell.show(nothing(), "prescope");
    const path = place.path.join("/");
    if (this.shown?.route === route && this.shown.path === path && this.shown.view.parameters) this.shown.view.parameters(place);
    else this.open(route, path, place);
    this.shell.navigation(routes.filter((each) => !each.hidden), route);
  }

  private open(route: Route, path: string, place: Place): void {
    const moved = this.shown !== null && (this.shown.route !== route || this.shown.path !== path);
    this.shown?.view.close?.();
    const view = route.view(this.context(place));
    this.shown = { route, path, view };
    this.shell.show(view.element, this.data.title ?? `${route.title} · ${this.document?.summary?.experiment ?? "prescope"}`);
    view.update?.(this.now());
    if (moved) this.shell.focusHeading();
  }

  private context(place: Place): Context {
    const app = this;
    return {
      data: this.data, source: this.source, place,
      get now() { return app.now(); },
      setParameters: (changes) => this.setParameters(changes),
    };
  }

  private setParameters(changes: Record<string, string | null>): void {
    const place = presentPlace();
    change(place.parameters, changes);
    history.replaceState(null, "", address(place.path, place.parameters));
    this.show();
  }
}

function nothing(): HTMLElement {
  const view = element("div");
  fill(view, element("h1", { text: "Nothing to show yet" }), element("p", { text: "There is neither an experiment nor a history here." }));
  return view;
}

const hasExperiment = (document: SummaryDocument | null) => document?.has.experiment ?? false;
const hasHistory = (document: SummaryDocument | null) => document?.has.history ?? false;

const topics: Route = { name: "topics", title: "Topics", view: topicsView };
const topic: Route = { name: "topic", title: "Topic", view: topicView, hidden: true };
const sweep: Route = { name: "sweep", title: "Cutoff sweep", view: sweepView };

const routes: Record<PageKind, Route[]> = {
  live: [
    { name: "", title: "Overview", view: overviewView, fits: hasExperiment },
    { ...topics, fits: hasExperiment },
    topic,
    { ...sweep, fits: hasExperiment },
    { name: "health", title: "Health", view: healthView, fits: hasExperiment },
    { name: "history", title: "History", view: historyView, fits: hasHistory },
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

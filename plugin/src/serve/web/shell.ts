import type { PageData, SummaryDocument } from "./data/documents.ts";
import type { ConnectionState } from "./data/source.ts";
import { element, fill, setText } from "./dom.ts";
import { dateAndTime, timeOfDay, zone } from "./format.ts";
import { href } from "./place.ts";
import { themeButton } from "./theme.ts";
import type { Route } from "./view.ts";

/** What surrounds every view: name, navigation, state of the connection, theme. */
export class Shell {
  readonly element = element("div", { class: "page" });
  private readonly title = element("bdi", { class: "experiment" });
  private readonly status = element("span", { class: "status" });
  private readonly notice = element("div", { class: "notice", role: "alert", hidden: true });
  private readonly menu = element("ul");
  private readonly content = element("main", { id: "content", tabindex: -1 });
  private readonly version = element("span");
  private connected = false;
  private shownTime: string | null = null;
  private countdown: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly data: PageData, private readonly useToken: (token: string) => void) {
    const live = data.kind === "live";
    this.title.textContent = live ? "" : data.title ?? "";
    this.element.append(
      element("a", { class: "skip", href: "#content", onclick: (event: Event) => this.skip(event) }, "Skip to content"),
      element("header", { class: "top" },
        element("div", { class: "brand" }, element("span", { class: "name", text: "prescope" }), this.title),
        element("nav", { "aria-label": "Views" }, this.menu),
        element("div", { class: "tools" }, this.status, themeButton())),
      this.notice, this.content,
      element("footer", { class: "bottom" }, this.version, element("span", { text: `Times in ${zone()}` })));
    if (live) fill(this.content, element("h1", { text: "Waiting for the first numbers" }));
  }

  /** Puts a view on the page. */
  show(view: HTMLElement, title: string): void {
    document.title = title;
    fill(this.content, view);
  }

  focusHeading(): void {
    const heading = this.content.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus();
    scrollTo(0, 0);
  }

  navigation(routes: Route[], current: Route): void {
    const focused = this.menu.contains(document.activeElement) ? document.activeElement?.getAttribute("data-route") : null;
    fill(this.menu, routes.length < 2 ? [] : routes.map((route) => element("li", {}, element("a", {
      href: href(...(route.name ? [route.name] : [])), "data-route": route.name,
      "aria-current": route === current ? "page" : null, text: route.title }))));
    if (typeof focused === "string") this.menu.querySelector<HTMLElement>(`[data-route="${CSS.escape(focused)}"]`)?.focus();
  }

  document(summary: SummaryDocument): void {
    this.status.dataset.time = summary.time;
    if (this.data.kind === "live") setText(this.title, summary.summary?.experiment ?? summary.store ?? "");
    setText(this.version, `prescope ${summary.prescope}`);
    this.shownTime = summary.time;
    if (!this.connected) return;
    const words = summary.source === "live" ? `live · ${timeOfDay(summary.time)}` : `as of ${dateAndTime(summary.time)}`;
    setText(this.status, words);
  }

  connection(state: ConnectionState): void {
    this.connected = state.is === "connected";
    this.status.dataset.state = state.is;
    clearInterval(this.countdown);
    this.notice.hidden = state.is !== "lost" && state.is !== "token wanted";
    if (state.is === "connecting") setText(this.status, "connecting");
    if (state.is === "token wanted") this.askForToken(state.refused);
    if (state.is === "lost") this.lost(state.retry);
  }

  private lost(retry: number): void {
    setText(this.status, "not connected");
    const next = element("span", { "aria-hidden": "true" });
    fill(this.notice, element("strong", { text: "Connection lost" }),
      this.shownTime === null ? "; no numbers yet. " : `, showing numbers of ${timeOfDay(this.shownTime)}. `, next);
    const tell = () => setText(next, `Next attempt in ${Math.max(0, Math.ceil((retry - Date.now()) / 1000))} s.`);
    tell();
    this.countdown = setInterval(tell, 1000);
  }

  private askForToken(refused: boolean): void {
    const input = element("input", { type: "password", id: "token", autocomplete: "off", required: true });
    const submit = (event: Event) => {
      event.preventDefault();
      this.useToken(input.value);
    };
    fill(this.notice, element("form", { onsubmit: submit },
      element("label", { for: "token", text: refused ? "The server refused this token. Another:" : "This server asks for its token:" }),
      input, element("button", { type: "submit", text: "Connect" })));
    input.focus();
  }

  // The address names the view, so the link must not change it.
  private skip(event: Event): void {
    event.preventDefault();
    this.content.focus();
  }
}

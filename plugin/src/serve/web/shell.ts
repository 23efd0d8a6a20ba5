import type { PageData, SummaryDocument } from "./data/documents.ts";
import type { ConnectionState } from "./data/source.ts";
import { fill, html, keepingFocus, setText } from "./dom.ts";
import { dateAndTime, recentTime, timeOfDay, visibleText, zone } from "./format.ts";
import { themeButton } from "./theme.ts";
import { href, type View } from "./view.ts";

export interface Route {
  /** The first part of the path: "" or "topics"; further parts are the view's own. */
  name: string;
  /** Shown in the navigation and in the window's title. */
  title: string;
  view: View;
  hidden?: boolean;
  /** The view makes sense only if this is served. */
  needs?: "experiment" | "history";
}

/** The frame around every view: name, navigation, state of the connection, theme. */
export class Shell {
  readonly element = html("div.page");
  private readonly title = html("bdi.experiment");
  private readonly status = html("span.status");
  private readonly notice = html("div.notice", { role: "alert", hidden: true });
  private readonly menu = html("ul");
  private readonly content = html("main", { id: "content", tabindex: -1 });
  private readonly version = html("span");
  private readonly isLive: boolean;
  private connected = false;
  private shownTime: string | null = null;
  private countdown: ReturnType<typeof setInterval> | undefined;

  constructor({ kind, title }: PageData, private readonly useToken: (token: string) => void) {
    this.isLive = kind === "live";
    // The address names the view, so the link must not change it.
    const skip = (event: Event) => {
      event.preventDefault();
      this.content.focus();
    };
    fill(this.element,
      html("a.skip", { href: "#content", onclick: skip }, "Skip to content"),
      html("header.top",
        html("div.brand", html("span.name", "prescope"), this.title),
        html("nav", { "aria-label": "Views" }, this.menu),
        html("div.tools", this.status, themeButton())),
      this.notice, this.content,
      html("footer.bottom", this.version, html("span", `Times in ${zone()}`)));
    if (this.isLive) fill(this.content, html("h1", "Waiting for the first numbers"));
    else this.title.textContent = visibleText(title ?? "");
  }

  show(view: HTMLElement, title: string): void {
    document.title = visibleText(title);
    fill(this.content, view);
  }

  focusHeading(): void {
    const heading = this.content.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus();
    scrollTo(0, 0);
  }

  navigation(routes: Route[], current: Route): void {
    const link = (route: Route) => html("a", { href: href(route.name), "data-key": route.name,
      "aria-current": route === current ? "page" : null }, route.title);
    keepingFocus(this.menu, () =>
      fill(this.menu, routes.length < 2 ? [] : routes.map((route) => html("li", link(route)))));
  }

  document({ time, summary, store, prescope, source }: SummaryDocument): void {
    this.status.dataset.time = this.shownTime = time;
    if (this.isLive) setText(this.title, visibleText(summary?.experiment ?? store ?? ""));
    setText(this.version, `prescope ${prescope}`);
    if (this.connected) setText(this.status,
      source === "live" ? `live · ${timeOfDay(time)}` : `as of ${dateAndTime(time)}`);
  }

  connection(state: ConnectionState): void {
    this.connected = state.is === "connected";
    this.status.dataset.state = state.is;
    clearInterval(this.countdown);
    this.notice.hidden = state.is === "connecting" || state.is === "connected";
    if (state.is === "connecting") setText(this.status, "connecting");
    if (state.is === "unreadable") this.unreadable(state.problem);
    if (state.is === "token wanted") this.askForToken(state.refused);
    if (state.is === "lost") this.lost(state.retry);
  }

  private unreadable(problem: string): void {
    setText(this.status, "numbers not readable");
    fill(this.notice, html("strong", "The server's numbers cannot be shown"),
      `: ${visibleText(problem)}. Reload the page; if that does not help, report this sentence.`);
  }

  private lost(retry: number): void {
    setText(this.status, "not connected");
    const next = html("span", { "aria-hidden": "true" });
    fill(this.notice, html("strong", "Connection lost"), this.shownTime === null
      ? "; no numbers yet. " : `, showing numbers of ${recentTime(this.shownTime)}. `, next);
    const tell = () => {
      const seconds = Math.max(0, Math.ceil((retry - Date.now()) / 1000));
      setText(next, `Next attempt in ${seconds} s.`);
    };
    tell();
    this.countdown = setInterval(tell, 1000);
  }

  private askForToken(refused: boolean): void {
    const input =
      html("input", { type: "password", id: "token", autocomplete: "off", required: true });
    const onsubmit = (event: Event) => {
      event.preventDefault();
      this.useToken(input.value);
    };
    const label = refused ? "The server refused this token. Another:"
      : "This server asks for its token:";
    fill(this.notice, html("form", { onsubmit },
      html("label", { for: "token" }, label), input,
      html("button", { type: "submit" }, "Connect")));
    input.focus();
  }
}

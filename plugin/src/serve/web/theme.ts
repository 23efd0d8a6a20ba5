import { element, fill, svg } from "./dom.ts";

type Theme = "auto" | "light" | "dark";

const key = "prescope.theme";
const next: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
const words: Record<Theme, string> = { auto: "system", light: "light", dark: "dark" };
const listeners = new Set<() => void>();

/** Calls `listener` after each change of colours; gives what stops it. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The value of a CSS variable under the present theme: colour("--arm-0"). */
export function colour(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** A button that goes round system, light and dark, and remembers. */
export function themeButton(): HTMLButtonElement {
  let theme = stored();
  const button = element("button", { type: "button", class: "quiet", "data-theme-button": true });
  const apply = () => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
    button.setAttribute("aria-label", `Theme: ${words[theme]}`);
    fill(button, halfMoon(), element("span", { class: "prefix", text: "Theme: " }), words[theme]);
    for (const listener of listeners) listener();
  };
  button.addEventListener("click", () => {
    theme = next[theme];
    store(theme);
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  watchPrinting(apply);
  apply();
  return button;
}

function halfMoon(): SVGSVGElement {
  return svg("svg", { viewBox: "0 0 16 16", width: 13, height: 13, "aria-hidden": "true", class: "half" },
    svg("circle", { cx: 8, cy: 8, r: 7, fill: "none", stroke: "currentColor", "stroke-width": 2 }),
    svg("path", { d: "M8 1a7 7 0 0 1 0 14Z", fill: "currentColor" }));
}

// Paper is light.
function watchPrinting(back: () => void): void {
  addEventListener("beforeprint", () => {
    document.documentElement.setAttribute("data-theme", "light");
    for (const listener of listeners) listener();
  });
  addEventListener("afterprint", back);
}

// A page opened from disk may have no storage.
function stored(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto";
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // The choice lasts as long as the page.
  }
}

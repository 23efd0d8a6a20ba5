import { fill, html, svg } from "./dom.ts";

const themes = ["system", "light", "dark"];
const key = "prescope.theme";
const root = document.documentElement;
const storage = memory();

/** Null if the browser keeps nothing for this page, as it may for one from disk. */
function memory(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** A button that goes round system, light and dark, and remembers. */
export function themeButton(): HTMLButtonElement {
  let theme = themes.find((each) => each === storage?.getItem(key)) ?? "system";
  const apply = () => {
    button.setAttribute("aria-label", `Theme: ${theme}`);
    fill(button, halfMoon(), html("span.prefix", "Theme: "), theme);
    root.dataset.theme = theme;
  };
  const next = () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    apply();
    storage?.setItem(key, theme);
  };
  const button = html("button.quiet", { type: "button", "data-theme-button": true, onclick: next });
  apply();
  return button;
}

function halfMoon(): SVGSVGElement {
  const size = { viewBox: "0 0 16 16", width: 13, height: 13 };
  return svg("svg.half", { ...size, "aria-hidden": "true" },
    svg("circle", { cx: 8, cy: 8, r: 7, fill: "none", stroke: "currentColor", "stroke-width": 2 }),
    svg("path", { d: "M8 1a7 7 0 0 1 0 14Z", fill: "currentColor" }));
}

// A real browser for tests: Debian's Chromium, driven by playwright-core.
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "node:test";

// Packages are in the build folder, not beside this file.
const require = createRequire(join(process.env.PRESCOPE_BROWSER_PACKAGES, "package.json"));
const { chromium } = require("playwright-core");
const axePath = require.resolve("axe-core/axe.min.js");

export const widths = { narrow: { width: 390, height: 844 }, wide: { width: 1440, height: 900 } };

const browsers = [];

export async function startBrowser() {
  const browser = await chromium.launch({
    executablePath: process.env.PRESCOPE_CHROMIUM, headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--no-proxy-server"] });
  browsers.push(browser);
  return browser;
}

// A page that stayed open would go on drawing what its server sends, or look for the server, beside
// all later tests.
afterEach(async () => {
  for (const context of browsers.flatMap((browser) => browser.contexts())) await context.close();
});

/**
 * Opens `url` and records faults: console errors, exceptions, requests elsewhere. `options` are
 * those of a browser context, such as {viewport, colorScheme}.
 */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: widths.wide, timezoneId: "Europe/Berlin", locale: "en-GB", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") page.problems.push(message.text()); });
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin) page.problems.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

/** Returns the violations that axe-core finds at level AA, as "rule: target" lines. */
export async function accessibilityViolations(page) {
  // Does not add a script element, which the page's policy would refuse.
  const { readFileSync } = await import("node:fs");
  await page.evaluate(readFileSync(axePath, "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
  return violations.flatMap((violation) => violation.nodes.map((node) => `${violation.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}

/** Returns the texts and labels that change the direction of the text around them. */
export function turningTexts(page) {
  return page.evaluate(() => [document.title, document.querySelector(".page").textContent,
    ...[...document.querySelectorAll("[aria-label]")].map((each) => each.getAttribute("aria-label"))]
    .filter((text) => text.includes("\u202e")));
}

/** Returns by how many pixels the page is wider than its window. */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Returns the texts of drawings that reach beyond their drawing. */
export function textsOutside(page) {
  const slack = 12;  // widths of letters are estimates
  return page.evaluate((slack) => [...document.querySelectorAll("main svg text")].filter((text) => {
    const inner = text.getBoundingClientRect(), outer = text.ownerSVGElement.getBoundingClientRect();
    return inner.left < outer.left - slack || inner.right > outer.right + slack || inner.top < outer.top - slack || inner.bottom > outer.bottom + slack;
  }).map((text) => text.textContent), slack);
}

/** Keeps a picture of the whole page for whoever looks at the results. */
export async function keepScreenshot(page, name) {
  const folder = process.env.PRESCOPE_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

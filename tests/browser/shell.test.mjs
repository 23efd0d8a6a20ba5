// The frame around every view: keyboard, theme, explanations, the connection, the token, names that
// would be markup.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test, { after, before } from "node:test";
import { hostileSummary, lastPoint, liveSummary, seriesOf, summaryDocument } from "./support/documents.mjs";
import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, turningTexts, widths } from "./support/browser.mjs";
import { StandIn } from "./support/stand_in.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

const standIn = async (summary = liveSummary(), options = {}) => {
  const series = seriesOf(summary);
  const server = await new StandIn({ answers: { "/api/series": series }, ...options }).start();
  server.publish(summaryDocument(summary), lastPoint(series));
  return server;
};

async function serving(summary, options, then) {
  const server = await standIn(summary, options);
  try {
    await then(server);
  } finally {
    await server.stop();
  }
}

test("the policy names exactly the script and the style of the page", () => {
  const page = readFileSync(process.env.PRESCOPE_PAGE, "utf8");
  const policy = readFileSync(process.env.PRESCOPE_PAGE_POLICY, "utf8");
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  assert.ok(policy.includes(`script-src ${hash(/<script>([^]*)<\/script>/.exec(page)[1])}`));
  assert.ok(policy.includes(`style-src ${hash(/<style>([^]*)<\/style>/.exec(page)[1])}`));
  assert.doesNotMatch(policy, /unsafe/);
  assert.ok(page.length <= 300 * 1024);
});

test("keyboard: skip link, navigation, explanations, charts", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, server.url);
  await page.waitForSelector("[data-number]");
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "SELECT");
  const term = page.locator(".term", { hasText: "Detectable" });
  await term.focus();
  assert.match(await page.locator(".tip").innerText(), /Smallest true difference/);
  assert.match(await term.getAttribute("aria-description"), /Smallest true difference/);
  await page.keyboard.press("Escape");
  await page.locator(".tip").waitFor({ state: "hidden" });
  const plot = page.locator(".plot").first();
  await plot.focus();
  await page.keyboard.press("Home");
  assert.match(await page.locator(".readout").first().innerText(), /^03:40:15/);
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".readout").first().innerText(), /^03:40:30/);
  assert.match(await plot.getAttribute("aria-label"), /over 189 topics/);
  await page.getByRole("link", { name: "Health", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:has-text('Health')");
  assert.equal(await focused(), "Health");
  assert.deepEqual(page.problems, []);
}));

test("every button, link, select and scrolling frame shows that it has focus", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, server.url);
  await page.waitForSelector("[data-number]");
  for (let step = 0; step < 60; ++step) {
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => {
      const element = document.activeElement;
      return element === document.body ? "end" : `${getComputedStyle(element).outlineStyle} ${element.outerHTML.slice(0, 80)}`;
    });
    if (outline === "end") break;
    assert.doesNotMatch(outline, /^none/);
  }
}));

test("charts can be read as tables", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, server.url);
  await page.waitForSelector("[data-number]");
  await page.locator(".chart-table summary").first().click();
  const rows = page.locator(".chart-table").first().locator("tbody tr");
  await rows.nth(120).waitFor();
  assert.equal(await rows.count(), 121);
  assert.match(await rows.last().innerText(), /04:10:00\s/);
}));

test("light and dark: by the system, by the button, remembered", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, server.url, { colorScheme: "dark" });
  await page.waitForSelector("[data-number]");
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  const button = page.locator("[data-theme-button]");
  await button.click();
  assert.equal(await button.innerText(), "Theme: light");
  const light = await background();
  assert.notEqual(light, dark);
  await page.reload();
  await page.waitForSelector("[data-number]");
  assert.equal(await background(), light);
  await button.click();
  assert.equal(await background(), dark);
}));

test("a server that goes away is said, and found again when it is back", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, server.url);
  await page.waitForSelector("[data-number]");
  const lostWith = async (hoursOld) => {
    const time = new Date(Date.now() - hoursOld * 3_600_000).toISOString();
    server.publish(summaryDocument(liveSummary(), { time }));
    await page.locator(`.status[data-time="${time}"][data-state="connected"]`).waitFor();
    await server.stop();
    await page.getByText("Connection lost").waitFor();
    return page.locator(".notice").innerText();
  };
  assert.match(await lostWith(25), /showing numbers of \d\d\/\d\d\/\d{4}, \d\d:\d\d\./);
  await server.start();
  await page.locator(".notice").waitFor({ state: "hidden", timeout: 20_000 });
  assert.match(await lostWith(23), /showing numbers of \d\d:\d\d:\d\d\./);
  assert.equal(await page.locator(".status").innerText(), "not connected");
  await keepScreenshot(page, "connection-lost");
  assert.deepEqual(await accessibilityViolations(page), []);
  const changed = liveSummary();
  changed.arms[0].means["PRES@100"].mean = 0.9876;
  server.publish(summaryDocument(changed));
  await server.start();
  await page.locator(".notice").waitFor({ state: "hidden", timeout: 20_000 });
  assert.match(await page.locator('[data-number="arm/tfidf/PRES@100"]').innerText(), /0\.9876/);
}));

test("separators of lines and paragraphs in a name do not end an event", () => {
  const summary = liveSummary();
  summary.experiment = "line\u2028separator\u2029";
  return serving(summary, {}, async (server) => {
    const page = await openPage(browser, server.url);
    await page.waitForSelector("[data-number]");
    assert.equal(await page.locator(".notice").isVisible(), false);
    assert.deepEqual(page.problems, []);
  });
});

test("an event that cannot be read is said, and the next one is shown", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, server.url);
  await page.waitForSelector("[data-number]");
  for (const data of ["{", JSON.stringify({ document: { summary: {} }, point: null })]) {
    for (const stream of server.streams) stream.write(`data: ${data}\n\n`);
    await page.getByText("The server's numbers cannot be shown").waitFor();
    assert.equal(await page.getByText("Connection lost").count(), 0);
    server.publish(summaryDocument(liveSummary()));
    await page.locator(".notice").waitFor({ state: "hidden" });
  }
}));

test("a hidden page holds no connection, and shows the newest numbers when it is visible again", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, server.url);
  await page.waitForSelector("[data-number]");
  await page.locator(".readout").first().getByText("04:10:00").waitFor();
  const become = async (hidden, streams) => {
    await page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
    for (let tries = 0; tries < 50 && server.streams.size !== streams; ++tries) await page.waitForTimeout(100);
    assert.equal(server.streams.size, streams);
  };
  await become(true, 0);
  const changed = liveSummary();
  changed.arms[0].means["PRES@100"].mean = 0.9876;
  const series = server.answers["/api/series"] = seriesOf(changed, { end: Date.parse("2026-11-22T03:12:00Z") });
  server.publish(summaryDocument(changed), lastPoint(series));
  await become(false, 1);
  await page.locator('[data-number="arm/tfidf/PRES@100"]').getByText("0.9876").waitFor();
  await page.locator(".readout").first().getByText("04:12:00").waitFor();
  await page.locator(".chart-table summary").first().click();
  await page.locator(".chart-table tbody th").getByText("04:11:30").first().waitFor();  // from while it was hidden
  assert.deepEqual(page.problems, []);
}));

test("a server that wants a token gets it, from the link or from the reader", () => serving(liveSummary(), { token: "s3cret/+&" }, async (server) => {
  const linked = await openPage(browser, `${server.url}#token=${encodeURIComponent("s3cret/+&")}`);
  await linked.waitForSelector("[data-number]");
  assert.doesNotMatch(linked.url(), /token/);
  await linked.reload();
  await linked.waitForSelector("[data-number]");
  assert.deepEqual(linked.problems, []);
  const asked = await openPage(browser, server.url);
  await asked.getByLabel("This server asks for its token:").fill("wrong");
  await asked.keyboard.press("Enter");
  await asked.getByLabel(/refused this token/).fill("s3cret/+&");
  await asked.keyboard.press("Enter");
  await asked.waitForSelector("[data-number]");
}));

test("a link with the token is followed in a tab that asks for it", () => serving(liveSummary(), { token: "s3cret" }, async (server) => {
  const page = await openPage(browser, server.url);
  await page.getByLabel("This server asks for its token:").waitFor();
  await page.evaluate(() => { location.hash = "#token=s3cret"; });
  await page.waitForSelector("[data-number]");
  assert.equal(page.url(), `${server.url}#/`);
}));

test("a token may contain %, and is taken without invisible characters", () => serving(liveSummary(), { token: "100%s3cret" }, async (server) => {
  const linked = await openPage(browser, `${server.url}#token=100%s3cret`);
  await linked.waitForSelector("[data-number]");
  const asked = await openPage(browser, server.url);
  await asked.getByLabel("This server asks for its token:").fill("\u200b100%s3cret \u00a0");
  await asked.keyboard.press("Enter");
  await asked.waitForSelector("[data-number]");
}));

test("names are text whatever they are, and find room", () => serving(hostileSummary(), {}, async (server) => {
  for (const [name, viewport] of Object.entries(widths)) {
    for (const view of ["", "health"]) {
      const page = await openPage(browser, `${server.url}#/${view}`, { viewport });
      await page.waitForSelector("[data-number]");
      await page.waitForTimeout(300);
      assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
      assert.equal(await page.locator("main img, main script, header svg[onload]").count(), 0);
      assert.deepEqual(await turningTexts(page), []);
      assert.equal(await overflow(page), 0);
      await keepScreenshot(page, `hostile-${view || "overview"}-${name}`);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(page.problems, []);
    }
  }
}));

test("an address that leads nowhere shows the first view", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, `${server.url}#/%E0%A4%A/nowhere?measure=%`);
  await page.waitForSelector("h1:has-text('Overview')");
  assert.deepEqual(page.problems, []);
}));

test("the page prints without what cannot be used on paper", () => serving(liveSummary(), {}, async (server) => {
  const page = await openPage(browser, server.url, { colorScheme: "dark" });
  await page.waitForSelector("[data-number]");
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  assert.equal(await page.locator("nav").isVisible(), false);
  await keepScreenshot(page, "overview-print");
}));

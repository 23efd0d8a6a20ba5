// A search service in another language than prescope's, as a team may have one: it answers users
// from an OpenSearch-shaped server, and tells `prescope collect` what it served.
//
//   node service.mjs SEARCH_URL COLLECT_URL TOPICS.tsv VISITS VISITS_PER_SECOND
//
// VISITS 0 is without end. Only `tell` and the lines that it sends are there for prescope.
import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";

const [searchUrl, collectUrl, topicsFile, visits, rate] = process.argv.slice(2);
const arms = ["bm25", "tfidf"]; // the first one is served
const depth = 100;
const topics = readFileSync(topicsFile, "utf8").trimEnd().split("\n")
  .map((line) => line.split("\t"));
const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));

async function search(arm, text) {
  const began = performance.now();
  const response = await fetch(`${searchUrl}/${arm}/_search`, {
    method: "POST",
    body: JSON.stringify({ query: { match: { text } }, size: depth, _source: false }),
  });
  const answer = await response.json();
  return { answer, ms: performance.now() - began };
}

// A line for each ranking: the whole answer of the server, and what the answer does not say.
async function rankingOf(visit, topic, text, arm) {
  const line = { id: randomUUID(), visit, topic, arm, depth, shadow: arm !== arms[0],
    time: new Date().toISOString() };
  try {
    const { answer, ms } = await search(arm, text);
    return { ...line, answer, latency_ms: ms };
  } catch {
    return { ...line, flags: ["failed"] };
  }
}

let waiting = [];

// Sends the lines, and sends them again until they are in prescope's store: each id counts once.
async function tell() {
  const lines = waiting;
  waiting = [];
  const body = lines.map((line) => JSON.stringify(line) + "\n").join("");
  for (let pause = 100; ; pause = Math.min(2 * pause, 5000)) {
    const response = await fetch(`${collectUrl}/v1/rankings`, { method: "POST", body })
      .catch(() => null);
    if (response?.ok) {
      const { refused } = await response.json();
      for (const { line, why } of refused) console.error(`line ${line} was refused: ${why}`);
      return;
    }
    if (response?.status === 400) throw new Error(await response.text());
    console.error(`prescope collect answers ${response?.status ?? "nothing"}; the lines wait`);
    await sleep(pause);
  }
}

for (let v = 0; Number(visits) === 0 || v < Number(visits); ++v) {
  const [topic, text] = topics[Math.floor(Math.random() * topics.length)];
  const visit = randomUUID();
  waiting.push(await rankingOf(visit, topic, text, arms[0])); // the user has the answer now
  waiting.push(await rankingOf(visit, topic, text, arms[1]));
  if (waiting.length >= 40) await tell();
  if (Number(rate) > 0) await sleep(1000 / Number(rate));
}
if (waiting.length > 0) await tell();

import assert from "node:assert/strict";
import test from "node:test";
import { changesOf, defaults, listTopics, queryOf, topicSorts } from "../../../plugin/src/serve/web/views/topic_list.ts";
import { textbookPres, topicDocuments, topicsDocument } from "../support/collection.mjs";
import { madeUpCollection } from "../support/rankings.mjs";

const collection = madeUpCollection({ seed: 31, topics: 90 });
const documents = topicDocuments(collection);
const list = (query = {}) => listTopics(documents, collection.measures, collection.arms, query);

test("differences are of the arms' scores by the textbook", () => {
  const page = list({ size: 500 });
  assert.equal(page.topics.length, 90);
  for (const row of page.topics) {
    const topic = documents.find((each) => each.topic === row.topic);
    const [a, b] = topic.arms.map((arm) => arm.seen ? textbookPres(topic.num_rel, 100, arm.relevant_ranks) : null);
    if (a === null || b === null) assert.equal(row.difference, null);
    else assert.ok(Math.abs(row.difference - (b - a)) < 1e-12, row.topic);
  }
});

test("every difference is a win, a loss or a tie; wins and losses are in the bin they belong to", () => {
  const page = list({ size: 500 });
  const differences = page.topics.map((row) => row.difference).filter((value) => value !== null);
  assert.ok(page.wins > 0 && page.losses > 0 && page.ties > 0);
  assert.equal(page.wins + page.ties + page.losses, differences.length);
  assert.equal(page.strip.length, 40);
  for (const bin of page.strip) {
    // A border belongs to the bin that is nearer to 0.
    const inside = differences.filter((value) => value > 0 ? value > bin.low + 1e-10 && value <= bin.high + 1e-10
      : value < bin.high - 1e-10 && value >= bin.low - 1e-10);
    assert.equal(bin.topics, inside.filter((value) => value !== 0).length, `from ${bin.low}`);
  }
});

test("every order sorts, either way; topics without a value are last, equal ones by id", () => {
  for (const sort of topicSorts) {
    for (const order of ["asc", "desc"]) {
      const page = list({ sort, order, size: 500 });
      const keys = page.topics.map((row) => ({
        topic: row.topic, num_rel: row.num_rel, difference: row.difference,
        abs_difference: row.difference === null ? null : Math.abs(row.difference),
        visits: row.arms[0].visits + row.arms[1].visits,
        score_a: row.arms[0].mean, score_b: row.arms[1].mean,
        latency_a: row.arms[0].latency_ms, latency_b: row.arms[1].latency_ms,
      })[sort]);
      for (let i = 1; i < keys.length; ++i) {
        if (keys[i] === null) continue;
        assert.notEqual(keys[i - 1], null, `${sort} ${order}: a value after none`);
        assert.ok(order === "asc" ? keys[i - 1] <= keys[i] : keys[i - 1] >= keys[i], `${sort} ${order} at ${i}`);
        if (keys[i - 1] === keys[i]) assert.ok(page.topics[i - 1].topic < page.topics[i].topic, `${sort}: by id`);
      }
    }
  }
});

test("a report lists its topics as a server would", () => {
  for (const query of [{}, { sort: "score_b", order: "asc", page: 1, size: 20 }, { measure: "AP@1000", a: "bm25", b: "tfidf", search: "5" }]) {
    const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    assert.deepEqual(list(query), topicsDocument(collection, parameters));
  }
});

test("pages join to the whole, searching narrows them", () => {
  const whole = list({ size: 500 }).topics.map((row) => row.topic);
  const joined = [0, 1, 2, 3].flatMap((page) => list({ size: 25, page }).topics.map((row) => row.topic));
  assert.deepEqual(joined, whole);
  const found = list({ search: "ep120008", size: 500 });
  assert.equal(found.matching, 10);
  assert.equal(found.total, 90);
  assert.equal(found.wins, list().wins, "outcomes are of all topics");
});

test("one arm alone has scores and no differences", () => {
  const alone = madeUpCollection({ arms: ["bm25"], topics: 5 });
  const page = listTopics(topicDocuments(alone), alone.measures, alone.arms, {});
  assert.equal(page.b, null);
  assert.ok(page.topics.every((row) => row.difference === null && row.arms.length === 1));
  assert.equal(page.wins + page.ties + page.losses, 0);
});

test("what stands in the address is what is read from it", () => {
  const hostile = `"><script>&=#%/+ \u202e`;
  const query = { measure: "AP@100", a: hostile, b: "b&c=d", sort: "latency_b", order: "asc", page: 3, size: 25, search: hostile };
  const address = new URLSearchParams(changesOf(query)).toString();
  assert.deepEqual(queryOf(new URLSearchParams(address)), query);
  assert.ok(Object.values(changesOf(defaults)).every((value) => value === null), "defaults are left out");
  assert.deepEqual(queryOf(new URLSearchParams()), defaults);
});

test("an address that makes no sense shows the list as it comes", () => {
  assert.deepEqual(queryOf(new URLSearchParams("sort=__proto__&order=up&page=-4&size=1e9")), defaults);
  assert.equal(queryOf(new URLSearchParams("size=9999")).size, 500);
  assert.equal(queryOf(new URLSearchParams("page=0")).page, 0);
  assert.equal(queryOf(new URLSearchParams("page=3")).page, 2);
});

// Axes: round values and round times, within their ends, as many as there is room for.
import assert from "node:assert/strict";
import test from "node:test";
import { at, extent, ticks, tickTexts, timeTicks, valueAt } from "../../../plugin/src/serve/web/plots/plot.ts";
import { random } from "../support/rankings.mjs";

test("a scale is undone by its reverse, upwards and downwards", () => {
  for (const scale of [{ low: -0.2, high: 0.6, first: 50, last: 450 }, { low: 0, high: 1, first: 200, last: 10 }]) {
    assert.equal(at(scale, scale.low), scale.first);
    assert.equal(at(scale, scale.high), scale.last);
    for (const share of [0, 0.3, 1]) {
      const value = scale.low + share * (scale.high - scale.low);
      assert.ok(Math.abs(valueAt(scale, at(scale, value)) - value) < 1e-12);
    }
  }
});

test("ticks are multiples of a round step, within the ends", () => {
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-0.033, 0.071, 4), [0, 0.05]);
  assert.deepEqual(ticks(0.3, 0.3, 5), [0.3]);
  assert.ok(ticks(0.6, 0.6000000000000001, 4).length <= 5);  // neighbours among the doubles
  const next = random(5);
  for (let i = 0; i < 300; ++i) {
    const low = (next() - 0.5) * 10 ** Math.floor(next() * 8 - 4), high = low + next() * 10 ** Math.floor(next() * 8 - 6);
    const values = ticks(low, high, 5);
    assert.ok(values.length <= 6, `${low} ${high}: ${values}`);
    for (const value of values) assert.ok(value >= low - (high - low) * 1e-6 && value <= high + (high - low) * 1e-6, `${value} in ${low} ${high}`);
  }
});

test("tick texts have the digits of their step, a real minus, and a sign where asked for", () => {
  assert.deepEqual(tickTexts([-0.05, 0, 0.05], true), ["−0.05", "0", "+0.05"]);
  assert.deepEqual(tickTexts([0, 50, 100]), ["0", "50", "100"]);
  assert.deepEqual([[0.3], [0], [20]].map((values) => tickTexts(values)), [["0.3"], ["0"], ["20"]]);
});

const minute = 60_000, day = 24 * 60 * minute;
const local = (...parts) => new Date(...parts).getTime();

test("times are round in the viewer's zone, as fine as they are apart", () => {
  const cases = [
    [local(2026, 10, 22, 0, 7), local(2026, 10, 22, 0, 31), (at) => at.getMinutes() % 5 === 0 && at.getSeconds() === 0],
    [local(2026, 10, 19, 3), local(2026, 10, 22, 3), (at) => at.getHours() % 12 === 0 && at.getMinutes() === 0],
    [local(2026, 0, 26), local(2026, 10, 22), (at) => at.getDate() === 1 && at.getHours() === 0],
    [local(2022, 9, 14), local(2026, 10, 22), (at) => at.getMonth() === 0 && at.getDate() === 1],
  ];
  for (const [first, last, isRound] of cases) {
    const found = timeTicks(first, last, 5);
    assert.ok(found.length >= 2 && found.length <= 6, `${found.length}`);
    for (const { time, text } of found) assert.ok(isRound(new Date(time)) && text.length > 0, new Date(time).toString());
  }
});

test("times stay within their ends, whatever the span", () => {
  for (let span = 1000; span < 100_000 * day; span = span * 3 + 7) {
    const first = 1_700_000_000_123, last = first + span;
    const found = timeTicks(first, last, 5);
    assert.ok(found.length <= 8, `${span}: ${found.length}`);
    for (const { time } of found) assert.ok(time >= first && time <= last, `${span}`);
    assert.deepEqual(found.map(({ time }) => time), found.map(({ time }) => time).sort((one, other) => one - other));
  }
});

test("an extent is of any number of values", () => {
  const values = Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 200_000 - 500);
  assert.deepEqual(extent(values), [-500, 199_499]);
  assert.deepEqual(extent([3]), [3, 3]);
});

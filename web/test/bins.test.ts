import assert from "node:assert/strict";
import test from "node:test";
import { type Choice, chooseRows, pick, toBins, toKeyBins } from "../src/bins";

const bins = toBins([
  { value: "red", frequency: 0, raw: -0.1, stderr: 0.1, low: -0.3, high: 0.1 },
  { value: "green", frequency: 0.6, raw: 0.5, stderr: 0.1, low: 0.3, high: 0.7 },
  { value: "dark red", frequency: 0.4, raw: 0.7, stderr: 0.1, low: 0.5, high: 0.9 },
  { value: "blue", frequency: 0, raw: 0.05, stderr: 0.1, low: -0.15, high: 0.25 },
]);
const choice: Choice = { order: "frequency", top: 0, search: "", shown: "both" };

function names(change: Partial<Choice>): string[] {
  return Array.from(chooseRows(bins, { ...choice, ...change }), (row) => bins.labels[row] ?? "");
}

test("the largest come first, equal ones by their raw estimate", () => {
  assert.deepEqual(names({}), ["green", "dark red", "blue", "red"]);
});

test("raw goes by the raw estimates", () => {
  assert.deepEqual(names({ shown: "raw" }), ["dark red", "green", "blue", "red"]);
});

test("the natural order is the answer's", () => {
  assert.deepEqual(names({ order: "natural" }), ["red", "green", "dark red", "blue"]);
});

test("top takes the largest, in either order", () => {
  assert.deepEqual(names({ top: 2 }), ["green", "dark red"]);
  assert.deepEqual(names({ top: 2, shown: "raw", order: "natural" }), ["green", "dark red"]);
  assert.deepEqual(names({ top: 3, order: "natural" }), ["green", "dark red", "blue"]);
  assert.deepEqual(names({ top: 9 }).length, 4);
});

test("a search finds parts of names, in any case", () => {
  assert.deepEqual(names({ search: " RED " }), ["dark red", "red"]);
  assert.deepEqual(names({ search: "yellow" }), []);
});

test("columns follow the rows", () => {
  assert.deepEqual([...pick(bins.raw, Int32Array.of(3, 0))], [0.05, -0.1]);
});

test("keys have means, and NaN where there is none", () => {
  const share = { frequency: 0.5, raw: 0.5, stderr: 0.1, low: 0.3, high: 0.7 };
  const { labels, means } = toKeyBins([
    { value: "a", ...share, mean: -0.5, mean_stderr: 0.1, mean_low: -0.7, mean_high: -0.3 },
    { value: 7, ...share, mean: null, mean_stderr: null, mean_low: null, mean_high: null },
    { value: "z", ...share, mean: 0, mean_stderr: 0.1, mean_low: -0.2, mean_high: 0.2 },
  ]);
  assert.deepEqual(labels, ["a", "7", "z"]);
  assert.deepEqual([...means.mean], [-0.5, Number.NaN, 0]);
  assert.deepEqual([...means.low], [-0.7, Number.NaN, -0.2]);
  assert.deepEqual([...means.high], [-0.3, Number.NaN, 0.2]);
  assert.equal(bins.means, null);
});

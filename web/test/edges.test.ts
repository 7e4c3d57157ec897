import assert from "node:assert/strict";
import test from "node:test";
import { binWords, edgeWords, isEven, numberAt, placeOf, rangeWords, ticks } from "../src/edges";

const even = [0, 25, 50, 75, 100];
const uneven = [0, 1, 10, 100, 1000];

test("a number has its place in its bin, and a place its number", () => {
  assert.equal(placeOf(even, 0), -0.5);
  assert.equal(placeOf(even, 37.5), 1);
  assert.equal(placeOf(even, 50), 1.5);
  assert.equal(placeOf(even, 100), 3.5);
  assert.equal(placeOf(uneven, 55), 2);
  for (const number of [0, 0.5, 1, 55, 550, 1000]) {
    assert.equal(numberAt(uneven, placeOf(uneven, number)), number);
  }
});

test("what is outside is at the nearest end", () => {
  assert.equal(placeOf(uneven, -3), -0.5);
  assert.equal(placeOf(uneven, 2000), 3.5);
  assert.equal(numberAt(uneven, -7), 0);
  assert.equal(numberAt(uneven, 12), 1000);
});

test("bins are even if only the last is narrower", () => {
  assert.ok(isEven(even));
  assert.ok(isEven([0, 0.3, 0.6, 0.9, 1]));
  assert.ok(!isEven([0, 0.3, 0.6, 1]));
  assert.ok(!isEven([0, 0.1, 0.6, 1.1]));
  assert.ok(!isEven(uneven));
});

test("an even axis has round numbers, and zoomed more of them", () => {
  assert.deepEqual(ticks(even, -0.5, 3.5, 2), [
    { place: -0.5, text: "0" },
    { place: 1.5, text: "50" },
    { place: 3.5, text: "100" },
  ]);
  assert.deepEqual(
    ticks(even, 0.5, 1.5, 5).map(({ text }) => text),
    ["25", "30", "35", "40", "45", "50"],
  );
  assert.deepEqual(
    ticks([-1, 0, 1], -0.5, 1.5, 4).map(({ text }) => text),
    ["−1.0", "−0.5", "0.0", "0.5", "1.0"],
  );
});

test("an uneven axis has edges, as many as there is room for", () => {
  const texts = (most: number) => ticks(uneven, -0.5, 3.5, most).map(({ text }) => text);
  assert.deepEqual(texts(5), ["0", "1", "10", "100", "1,000"]);
  assert.deepEqual(texts(3), ["0", "10", "1,000"]);
  assert.deepEqual(texts(0), ["0"]);
});

test("edges have the decimals that tell them apart and no more", () => {
  assert.deepEqual(edgeWords([0, 0.09765625, 0.1953125]), ["0", "0.0977", "0.1953"]);
  assert.deepEqual(edgeWords([-1000, 0.5, 1234.5]), ["−1,000", "0.5", "1,234.5"]);
  assert.deepEqual(edgeWords([0, 1e-9, 2e-9]), ["0", "1e-9", "2e-9"]);
  assert.deepEqual(binWords([0, 12.5, 25]), ["0 to 12.5", "12.5 to 25"]);
  assert.equal(rangeWords(-0.12345, 12000), "−0.12345 to 12,000");
});

import assert from "node:assert/strict";
import test from "node:test";
import { moved, whole, within, zoomed } from "../src/charts/zoom";

test("the whole has half a bin of room at both ends", () => {
  assert.deepEqual(whole(10), { min: -0.5, max: 9.5 });
  assert.deepEqual(whole(0), { min: -0.5, max: 0.5 });
});

test("a span stays within the bins", () => {
  assert.deepEqual(within({ min: -20, max: -10 }, 100), { min: -0.5, max: 9.5 });
  assert.deepEqual(within({ min: 95, max: 105 }, 100), { min: 89.5, max: 99.5 });
  assert.deepEqual(within({ min: -1000, max: 1000 }, 100), { min: -0.5, max: 99.5 });
});

test("three bins are the least that is shown", () => {
  const span = within({ min: 50, max: 50.1 }, 100);
  assert.equal(span.max - span.min, 3);
});

test("a zoom keeps its place, a move its width", () => {
  assert.deepEqual(zoomed({ min: 0, max: 8 }, 2, 0.5), { min: 1, max: 5 });
  assert.deepEqual(moved({ min: 0, max: 8 }, 0.5), { min: 4, max: 12 });
});

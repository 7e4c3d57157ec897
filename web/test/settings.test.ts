import assert from "node:assert/strict";
import test from "node:test";
import { createCommand } from "../src/plan/command";
import {
  askingOrder,
  bounds,
  epsilons,
  fromSlider,
  settingsFrom,
  toSlider,
  toView,
} from "../src/plan/settings";

test("a slider goes from end to end in numbers that people type", () => {
  for (const limits of Object.values(bounds)) {
    assert.ok(Math.abs(fromSlider(0, limits) / limits.from - 1) < 0.05);
    assert.ok(Math.abs(fromSlider(1, limits) / limits.to - 1) < 0.05);
    assert.ok(
      Math.abs(fromSlider(toSlider(limits.usual, limits), limits) / limits.usual - 1) < 0.05,
    );
  }
  assert.equal(fromSlider(0.5, bounds.users), 100_000);
});

test("the chosen epsilon is among those that are computed, once", () => {
  assert.equal(epsilons(1).length, 13);
  assert.equal(epsilons(0.4).length, 14);
  assert.ok(epsilons(0.4).includes(0.4));
});

test("the chosen epsilon is asked for first, and all are asked for once", () => {
  const all = epsilons(0.4);
  const order = askingOrder(all, 0.4);
  assert.equal(order[0], 0.4);
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    all,
  );
});

test("settings survive the address", () => {
  const settings = { users: 2500, domain: 7, epsilon: 0.4, delta: 1e-8 };
  assert.deepEqual(settingsFrom(new URLSearchParams(toView(settings))), settings);
  assert.equal(settingsFrom(new URLSearchParams("users=-1")).users, bounds.users.usual);
});

test("the command makes the planned task", () => {
  assert.equal(
    createCommand({ users: 2500, domain: 7, epsilon: 0.4, delta: 1e-8 }, "grr"),
    "tombola task create --config tombola.json --name NAME --domain 7 --epsilon 0.4 --delta 1e-8 " +
      "--users 2500 --mechanism grr",
  );
});

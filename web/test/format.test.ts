import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import {
  atMost,
  atMostShort,
  bytes,
  chance,
  count,
  counted,
  decimalsFor,
  duration,
  fromNow,
  percent,
  roundedDown,
  roundedUp,
  short,
  time,
  withError,
} from "../src/format";

test("a share is shown to as many decimals as its error has", () => {
  assert.equal(withError(0.31588334, 0.00282893), "31.59 % ± 0.28");
  assert.equal(withError(0.00012, 0.000031), "0.0120 % ± 0.0031");
  assert.equal(withError(0.5, 0.12), "50 % ± 12");
});

test("a negative share has a minus, but zero has none", () => {
  assert.equal(percent(-0.0125, 2), "−1.25 %");
  assert.equal(percent(-0.000001, 2), "0.00 %");
});

test("what is promised is never rounded down", () => {
  assert.equal(atMost(0.9416965), "0.942");
  assert.equal(atMost(1.4691), "1.47");
  assert.equal(atMost(1.4601), "1.47");
  assert.equal(atMost(0.9999958), "1.00");
  assert.equal(atMost(1), "1.00");
  assert.equal(atMost(2336.2), "2,337");
  assert.equal(atMost(0), "0");
  assert.equal(atMost(1.0000000001), "1.01");
  assert.equal(atMost(0.00002), "2e-5");
  assert.equal(atMost(1234567), "1.24e+6");
  for (let i = 1; i < 4000; ++i) {
    const value = Math.exp(i / 50 - 40);
    for (const text of [atMost(value), atMostShort(value)]) {
      const said = Number(text.replace(/,/g, ""));
      assert.ok(said >= value && said <= value * 1.011, `${value} became ${text}`);
    }
  }
});

test("a probability that was written short is told so", () => {
  assert.equal(atMostShort(1e-6), "1e-6");
  assert.equal(atMostShort(0.209421), "0.21");
  assert.equal(atMostShort(1e-12), "1e-12");
  assert.equal(atMostShort(0), "0");
});

// The same table as for the command line and for Python.
test("decimals are never on the wrong side", () => {
  const file = `${process.env["TOMBOLA_TEST_DATA"] ?? "../tests/data"}/rounded.txt`;
  let cases = 0;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [value = 0, digits = 0, up, down] = line.split(" ").map(Number);
    if (line.startsWith("#") || !(value > 0 && value < Infinity) || digits > 15) continue;
    assert.equal(Number(roundedUp(value, digits)), up, line);
    assert.equal(Number(roundedDown(value, digits)), down, line);
    ++cases;
  }
  assert.ok(cases > 300);
});

test("chances are told in words", () => {
  assert.equal(chance(1e-6), "one in a million");
  assert.equal(chance(1e-9), "one in a billion");
  assert.equal(chance(4e-7), "one in 2.5 million");
  assert.equal(chance(0.01), "one in 100");
  assert.equal(chance(1e-3), "one in a thousand");
  assert.equal(chance(1e-20), "one in 1.0e+20");
  assert.equal(chance(0.2094), "one in 4.77");
  assert.equal(chance(1.0005e-6), "one in 999 thousand");
});

test("no chance is told smaller than it is", () => {
  const sizes = new Map([
    ["thousand", 1e3],
    ["million", 1e6],
    ["billion", 1e9],
    ["trillion", 1e12],
  ]);
  for (let i = 0; i < 4000; ++i) {
    const probability = Math.exp(-i / 80);
    const [, , many = "", size = ""] = chance(probability).split(" ");
    const one = (many === "a" ? 1 : Number(many)) * (sizes.get(size) ?? 1);
    assert.ok(1 / one >= probability, `${probability} became ${chance(probability)}`);
    assert.ok(1 / one <= probability * 1.11, `${probability} became ${chance(probability)}`);
  }
});

test("counts have groups and their nouns a number", () => {
  assert.equal(count(42178), "42,178");
  assert.equal(counted(1, "batch", "batches"), "1 batch");
  assert.equal(counted(0, "batch", "batches"), "0 batches");
});

test("decimals follow the size", () => {
  assert.equal(decimalsFor(0.28), 2);
  assert.equal(decimalsFor(12), 0);
  assert.equal(decimalsFor(0), 2);
  assert.equal(decimalsFor(1e-30), 9);
});

test("numbers are short", () => {
  assert.equal(short(1e-6), "1e-6");
  assert.equal(short(0.00312456), "0.00312");
  assert.equal(short(100), "100");
  assert.equal(bytes(58.4), "58 B");
  assert.equal(bytes(43704), "43.7 kB");
});

test("times are in UTC, and what is no time is left as it is", () => {
  assert.equal(time("2026-11-16T10:05:00Z"), "16 Nov 2026, 10:05 UTC");
  assert.equal(time("soon"), "soon");
});

test("distances in time have one unit", () => {
  const now = Date.parse("2026-11-16T10:00:00Z");
  assert.equal(fromNow("2026-11-18T11:00:00Z", now), "in 2 days");
  assert.equal(fromNow("2026-11-16T09:58:30Z", now), "1 minute ago");
  assert.equal(fromNow("2026-11-16T10:00:30Z", now), "within a minute");
  assert.equal(duration(3600), "1 hour");
  assert.equal(duration(90), "90 seconds");
});

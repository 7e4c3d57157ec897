import assert from "node:assert/strict";
import test from "node:test";
import type { StreamBin, StreamTotal, TaskDetail } from "../src/api_types";
import {
  beginOf,
  endOf,
  namesOf,
  periodQuery,
  seriesFileQuery,
  seriesQuery,
  streamChoicesFrom,
  streamView,
  streamWays,
} from "../src/task/stream_choices";
import { intervalOf, linesOf, wordsOf } from "../src/task/stream_series";
import {
  aboutWords,
  lackingWords,
  lacks,
  runsOfPeriods,
  runWords,
  submissionWords,
  voidWords,
} from "../src/task/stream_words";

const task = {
  begins: "2026-01-30T00:00:00Z",
  ends: "2026-03-30T12:00:00Z",
  interval_seconds: 86400,
  periods: 60,
  domain: 3,
} as TaskDetail;

function chosen(view: string) {
  return streamChoicesFrom(new URLSearchParams(view));
}

function bin(value: string, count: number, of: number): StreamBin {
  const share = count / of;
  return {
    value,
    frequency: Math.max(0, share),
    raw: share,
    stderr: 10 / of,
    low: share - 20 / of,
    high: share + 20 / of,
    count,
    count_stderr: 10,
    count_low: count - 20,
    count_high: count + 20,
  };
}

function total(last: number, bins: StreamBin[], change: Partial<StreamTotal> = {}): StreamTotal {
  const submissions = bins.length === 0 ? 0 : 1000;
  return { periods: { first: 1, last }, submissions, missing: [], strange: [], bins, ...change };
}

test("what is usual does not stand in the address, and the rest survives it", () => {
  assert.deepEqual(streamView(chosen("")), {});
  const view = {
    over: "single",
    unit: "count",
    lines: "3",
    named: "a,b",
    at: "27",
    order: "natural",
    search: "x",
    postprocess: "none",
    confidence: "0.99",
    periods: "between",
    since: "2026-02-01T00:00:00Z",
    until: "2026-02-11T00:00:00Z",
  };
  const text = new URLSearchParams(view).toString();
  const again = new URLSearchParams(streamView(chosen(text))).toString();
  assert.deepEqual(again.split("&").sort(), text.split("&").sort());
});

test("a view that is none is the usual one", () => {
  const odd = chosen("over=x&unit=y&lines=99&at=-3&periods=one&postprocess=em");
  assert.deepEqual([odd.over, odd.unit, odd.lines, odd.at, odd.periods, odd.postprocess], [
    "totals",
    "share",
    8,
    0,
    "all",
    "pop",
  ]);
  assert.ok(streamWays.every(([way]) => way !== "em"));
});

test("lines are of the largest values, or of those that are named", () => {
  assert.deepEqual(seriesQuery(chosen("")), { series: "true", top: 5 });
  assert.deepEqual(seriesQuery(chosen("over=single&lines=2")), { series: "true", single: "true", top: 2 });
  assert.deepEqual(namesOf(chosen("named= b, a ,,b")), ["b", "a"]);
  assert.equal(namesOf(chosen("named=1,2,3,4,5,6,7,8,9")).length, 8);
  assert.deepEqual(seriesQuery(chosen("named=b,a")), { series: "true", value: ["b", "a"] });
  assert.deepEqual(seriesFileQuery(chosen("named=b")), { series: "true" });
});

test("the histogram is of the total up to a period, of a range's total, or of the period itself", () => {
  const common = { confidence: "0.95", postprocess: "pop" };
  assert.deepEqual(periodQuery(chosen(""), task, 27), { ...common, at: 27 });
  assert.deepEqual(periodQuery(chosen("over=single"), task, 27), { ...common, period: 27 });
  const range = "periods=between&since=2026-02-01T00:00:00Z&until=2026-02-11T00:00:00Z";
  assert.deepEqual(periodQuery(chosen(range), task, 5), {
    ...common,
    since: "2026-02-01T00:00:00Z",
    until: "2026-02-04T00:00:00Z",
  });
  assert.deepEqual(periodQuery(chosen(`${range}&over=single`), task, 5), { ...common, period: 5 });
  const open = "periods=between&until=2026-02-11T00:00:00Z";
  assert.deepEqual(periodQuery(chosen(open), task, 5), { ...common, at: 5 });
  const large = { ...task, domain: 1e6 };
  assert.deepEqual(periodQuery(chosen(""), large, 5), { ...common, at: 5, top: 2000 });
  assert.deepEqual(periodQuery(chosen("search=x"), large, 5), { ...common, at: 5, value: "x" });
});

test("a period begins where the one before ends, and the last ends with the task", () => {
  assert.equal(beginOf(task, 1), "2026-01-30T00:00:00Z");
  assert.equal(beginOf(task, 3), "2026-02-01T00:00:00Z");
  assert.equal(endOf(task, 2), beginOf(task, 3));
  assert.equal(endOf(task, 60), task.ends);
});

test("runs of periods are named in words", () => {
  assert.deepEqual(runsOfPeriods([9, 6, 10, 11, 20]), [
    { first: 6, last: 6 },
    { first: 9, last: 11 },
    { first: 20, last: 20 },
  ]);
  assert.equal(runWords(runsOfPeriods([9, 6, 10, 11, 20])), "6, 9 to 11 and 20");
  assert.equal(runWords([]), "");
  assert.equal(runWords([{ first: 1000, last: 1001 }]), "1,000 to 1,001");
});

test("a total says what it is about and what is not in it", () => {
  const one = total(27, [bin("a", 600, 1000)]);
  assert.equal(aboutWords(one), "periods 1 to 27");
  assert.equal(submissionWords(one), "1,000 submissions of periods 1 to 27");
  assert.deepEqual(lackingWords(one), []);
  assert.equal(lacks(one), false);
  const lacking = total(27, [], {
    periods: { first: 27, last: 27 },
    missing: [{ first: 6, last: 6 }],
    strange: [{ first: 2, last: 3 }],
  });
  assert.equal(lacks(lacking), true);
  assert.equal(submissionWords(lacking), "0 submissions of period 27");
  const [missing = "", strange = "", ...rest] = lackingWords(lacking);
  assert.match(missing, /^Period 6 is not in it/);
  assert.match(strange, /has periods 2 to 3 as well/);
  assert.deepEqual(rest, []);
});

test("void nodes are named, each in its own right", () => {
  assert.equal(voidWords([]), "");
  assert.match(voidWords([4]), /^Node 4 was void: it held/);
  assert.match(voidWords([4, 7, 8]), /^Nodes 4 and 7 to 8 were void: each held/);
});

test("there is a line for each value, broken where nothing was released", () => {
  const series = [
    total(1, [bin("b", 700, 1000), bin("a", 300, 1000)]),
    total(2, []),
    total(3, [bin("a", 900, 1000), bin("b", 100, 1000)]),
    total(4, []),
  ];
  const lines = linesOf(series, chosen("unit=count"));
  assert.deepEqual(
    lines.map(({ name }) => name),
    ["a", "b"],
  );
  assert.deepEqual([...(lines[1]?.value ?? [])], [700, NaN, 100, NaN]);
  assert.deepEqual([...(lines[1]?.high ?? [])], [720, NaN, 120, NaN]);
  assert.deepEqual(linesOf([total(1, [])], chosen("")), []);
});

test("a bin is a share or a count, processed or raw, with its interval", () => {
  const below = bin("a", -10, 1000);
  assert.equal(intervalOf(below, chosen("")).value, 0);
  assert.equal(intervalOf(below, chosen("shown=raw")).value, -0.01);
  assert.equal(wordsOf(intervalOf(bin("a", 300, 1000), chosen("")), chosen("")), "30.0 % ± 2.0");
  const counts = chosen("unit=count");
  assert.deepEqual(intervalOf(below, counts), { value: -10, low: -30, high: 10 });
  assert.equal(wordsOf(intervalOf(bin("a", 300, 1000), counts), counts), "300 ± 20");
});

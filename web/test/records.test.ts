import assert from "node:assert/strict";
import test from "node:test";
import type { Estimate, RecordCell, Records } from "../src/api_types";
import { mixed } from "../src/charts/colours";
import { runsOf } from "../src/charts/paint";
import { axisOf, gridOf, scaleOf } from "../src/task/record_cells";
import {
  cellsQuery,
  chooseView,
  conditionOn,
  numberOf,
  recordChoicesFrom,
  recordQuery,
  recordView,
  setCondition,
  settle,
} from "../src/task/record_choices";
import { cellLines, independenceWords, partialWords, viewWords } from "../src/task/record_words";

const view = { sizes: [], branching: 0, levels: 1, cells: 1 };
const records: Records = {
  max_records: 3,
  max_alike: 3,
  attributes: [
    { name: "age", low: 16, high: 80, bins: 64 },
    { name: "price", low: 0, high: 40, bins: 20 },
    { name: "kind", labels: ["food", "books & more"] },
  ],
  measures: [{ name: "amount", low: 0, high: 10, levels: 3 }],
  views: [
    { ...view, attributes: ["age"], measure: null },
    { ...view, attributes: ["price", "kind"], measure: "amount" },
    { ...view, attributes: ["age", "price", "kind"], measure: null },
    { ...view, attributes: [], measure: "amount" },
  ],
};

function chosen(text: string) {
  return recordChoicesFrom(new URLSearchParams(text), records);
}

function estimate(value: number): Estimate {
  return { value, stderr: 1, low: value - 2, high: value + 2 };
}

function cell(values: string[], edges: ([number, number] | null)[], count: number): RecordCell {
  return {
    values,
    low_edges: edges.map((pair) => pair?.[0] ?? null),
    high_edges: edges.map((pair) => pair?.[1] ?? null),
    count: estimate(count),
    sum: null,
    avg: null,
  };
}

test("a view of one number is asked for its cells and quantiles", () => {
  assert.deepEqual(recordQuery(chosen(""), records), {
    by: "age",
    quantiles: "0.05,0.25,0.5,0.75,0.95",
  });
  assert.equal(numberOf(chosen(""), records)?.name, "age");
});

test("two attributes are asked for with the test of independence, unless one has a condition", () => {
  const choices = chosen("view=2");
  assert.deepEqual(recordQuery(choices, records), {
    by: "price,kind",
    measure: "amount",
    independence: "true",
  });
  setCondition(choices, "kind", " books & more ");
  assert.deepEqual(recordQuery(choices, records), {
    by: "price,kind",
    measure: "amount",
    where: ["kind=books & more"],
  });
  assert.deepEqual(cellsQuery(chosen("view=2"), records), { by: "price,kind", measure: "amount" });
});

test("of three attributes any two are shown, with conditions on all", () => {
  const choices = chosen("view=3&by=kind&and=age&where=price%3D5..20%26age%3D18..");
  assert.deepEqual(recordQuery(choices, records), {
    by: "kind,age",
    where: ["age=18..", "price=5..20"],
  });
  setCondition(choices, "age", "");
  assert.deepEqual(recordQuery(choices, records)["where"], ["price=5..20"]);
  assert.equal(recordQuery(choices, records)["independence"], "true");
});

test("one attribute of several is shown alone, and a view without any has no cells", () => {
  assert.equal(recordQuery(chosen("view=2&and="), records)["by"], "price");
  assert.deepEqual(recordQuery(chosen("view=4"), records), { measure: "amount" });
});

test("what is usual of a view does not stand in the address, and the rest survives it", () => {
  for (const text of ["", "view=2", "view=3&by=kind&and=age&quantiles=10%2C50", "view=2&told=avg&and=",
    "view=2&where=kind%3Dbooks%2B%2526%2Bmore", "confidence=0.99"]) {
    const again = new URLSearchParams(recordView(chosen(text), records)).toString();
    assert.deepEqual(again.split("&").sort(), text.split("&").sort());
  }
});

test("what an address says that there is not is not taken", () => {
  const choices = chosen("view=9&by=height&told=mode&quantiles=x");
  assert.equal(choices.view, 4);
  assert.equal(choices.by, "");
  assert.equal(choices.told, "count");
  assert.equal(chosen("told=avg").told, "count");
  assert.equal(chosen("view=3&by=age&and=age").and, "");
});

test("another view keeps conditions, which count where it has their attributes", () => {
  const choices = chosen("view=2&told=sum");
  setCondition(choices, "price", "5..");
  chooseView(choices, 1, records);
  assert.deepEqual([choices.by, choices.and, choices.told], ["age", "", "count"]);
  assert.equal(recordQuery(choices, records)["where"], undefined);
  chooseView(choices, 3, records);
  assert.equal(conditionOn(choices, "price"), "5..");
  choices.by = "kind";
  choices.and = "kind";
  settle(choices, records);
  assert.equal(choices.and, "");
});

test("cells become a grid by their values, whatever is left out", () => {
  const cells = [
    cell(["0..2", "food"], [[0, 2], null], 5),
    cell(["0..2", "tools"], [[0, 2], null], 6),
    cell(["2..4", "tools"], [[2, 4], null], 7),
  ];
  const grid = gridOf({ by: ["price", "kind"], cells });
  assert.deepEqual(grid.columns, { name: "price", labels: ["0 to 2", "2 to 4"], edges: [0, 2, 4] });
  assert.deepEqual(grid.rows, { name: "kind", labels: ["food", "tools"], edges: null });
  assert.deepEqual(
    grid.cells.map((one) => one?.count.value ?? null),
    [5, null, 6, 7],
  );
  assert.deepEqual(axisOf({ by: ["kind"], cells: [] }, 0).labels, []);
});

test("colours begin at no record, and at the least of what need not begin at 0", () => {
  assert.deepEqual(scaleOf([-3, 12, 40], "count"), [0, 40]);
  assert.deepEqual(scaleOf([3, Number.NaN, 8], "avg"), [3, 8]);
  assert.deepEqual(scaleOf([Number.NaN], "avg"), [0, 1]);
  assert.equal(mixed("#000000", "#ff8000", 0.5), "rgb(128 64 0)");
  assert.equal(mixed("#102030", "#ffffff", 0), "rgb(16 32 48)");
});

test("a line is broken where nothing is known", () => {
  const gap = Number.NaN;
  assert.deepEqual(runsOf([1, 2, gap, 3, gap, 4, 5], 0, 6), [[0, 1], [3], [5, 6]]);
  assert.deepEqual(runsOf([gap, gap], 0, 1), []);
});

test("a cell, a cut condition and a test are told in words", () => {
  const one = { ...cell(["food"], [null], 50), avg: { ...estimate(7), low: 6.5, high: 7.4 } };
  assert.deepEqual(cellLines(one, "amount"), [
    "records: 50.0 ± 2.0",
    "average amount: 7.00 ± 0.50",
    "sum of amount: too few records",
  ]);
  assert.deepEqual(cellLines(one, null), ["records: 50.0 ± 2.0"]);
  assert.equal(partialWords(0), "");
  assert.match(partialWords(12.4), /about 12 records/);
  const test_of = (p_value: number) =>
    independenceWords({ statistic: 61.25, degrees_of_freedom: 57, p_value }, ["price", "kind"], true);
  assert.match(test_of(0.5), /noise is allowed for, and a device's records are taken/);
  assert.match(test_of(0), /price and kind depend on each other.* p-value below 1e-12/);
  assert.match(test_of(0.05), /may depend/);
  assert.match(test_of(0.5), /nothing speaks against .* Chi-square 61\.25 with 57 degrees of freedom, p-value 0\.5;/);
  assert.equal(viewWords(records.views[2] as Records["views"][0]), "age by price by kind");
});

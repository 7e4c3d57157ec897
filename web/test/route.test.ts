import assert from "node:assert/strict";
import test from "node:test";
import { fileName } from "../src/download";
import { parseRoute } from "../src/route";
import { answerQuery, momentOf } from "../src/task/answer_choices";
import { choicesFrom, toView, usual } from "../src/task/choices";

test("the fragment chooses the page", () => {
  assert.equal(parseRoute("").page, "tasks");
  assert.equal(parseRoute("#/").page, "tasks");
  assert.equal(parseRoute("#/plan?users=5").page, "plan");
  assert.equal(parseRoute("#/task").page, "missing");
  assert.equal(parseRoute("#/elsewhere").page, "missing");
  const route = parseRoute("#/task/ab12?order=natural");
  assert.ok(route.page === "task" && route.id === "ab12" && route.view.get("order") === "natural");
});

test("choices survive the address, and only what is unusual stands in it", () => {
  const choices = { ...usual, order: "natural" as const, top: 10, search: "a&b=c" };
  const view = new URLSearchParams(toView(choices));
  assert.deepEqual([...view.keys()], ["order", "top", "search"]);
  assert.deepEqual(choicesFrom(view), choices);
});

test("nonsense in the address is as good as nothing", () => {
  assert.deepEqual(
    choicesFrom(new URLSearchParams("order=up&top=-3&confidence=7&postprocess=x")),
    usual,
  );
});

test("periods survive the address, and are asked for as they are chosen", () => {
  const between = {
    ...usual,
    periods: "between" as const,
    since: "2027-01-15T08:00:00Z",
    until: "2027-01-15T09:30:00Z",
  };
  const view = new URLSearchParams(toView(between));
  assert.deepEqual([...view.keys()], ["periods", "since", "until"]);
  assert.deepEqual(choicesFrom(view), between);
  assert.deepEqual(answerQuery(usual), { postprocess: "pop", confidence: "0.95" });
  assert.deepEqual(answerQuery(between), {
    postprocess: "pop",
    confidence: "0.95",
    since: "2027-01-15T08:00:00Z",
    until: "2027-01-15T09:30:00Z",
  });
  const one = choicesFrom(new URLSearchParams("periods=one&period=7"));
  assert.equal(answerQuery(one)["period"], 7);
  // What is not chosen is not asked for, though the fields keep it.
  assert.equal(answerQuery({ ...between, periods: "all" })["since"], undefined);
  assert.equal(answerQuery({ ...one, periods: "between" })["period"], undefined);
  assert.deepEqual(choicesFrom(new URLSearchParams("periods=some&period=0.5&since=noon")), usual);
});

test("moments are in UTC, whoever's clock the field has", () => {
  assert.equal(momentOf("2027-01-15T08:00"), "2027-01-15T08:00:00Z");
  assert.equal(momentOf("2027-01-15T08:00:30"), "2027-01-15T08:00:30Z");
  assert.equal(momentOf("2027-01-15T08:00:30Z"), "2027-01-15T08:00:30Z");
  assert.equal(momentOf("2027-01-15"), "2027-01-15T00:00:00Z");
  assert.equal(momentOf(""), "");
  assert.equal(momentOf("noon"), "");
});

test("a file's name is safe", () => {
  assert.equal(fileName("dark mode", "csv"), "dark-mode.csv");
  assert.equal(fileName("../../etc", "json"), "etc.json");
  assert.equal(fileName("///", "csv"), "histogram.csv");
});

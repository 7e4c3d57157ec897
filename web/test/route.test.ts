import assert from "node:assert/strict";
import test from "node:test";
import { fileName } from "../src/download";
import { parseRoute } from "../src/route";
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

test("a file's name is safe", () => {
  assert.equal(fileName("dark mode", "csv"), "dark-mode.csv");
  assert.equal(fileName("../../etc", "json"), "etc.json");
  assert.equal(fileName("///", "csv"), "histogram.csv");
});

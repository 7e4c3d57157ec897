import assert from "node:assert/strict";
import test from "node:test";
import type { Distribution } from "../src/api_types";
import { answerQuery } from "../src/task/answer_choices";
import { leastSquaresWays } from "../src/task/choices";
import { domainWords } from "../src/task/domain_words";
import { estimateCells, estimateWords, shareWords } from "../src/task/estimates";
import {
  numberChoicesFrom,
  numberQuery,
  numberView,
  percentages,
  rangeOf,
  rangeQuery,
  resolutions,
} from "../src/task/number_choices";
import {
  edgesOf,
  fractionWords,
  intervalWords,
  partialWords,
  quantilesOf,
  spreadWords,
} from "../src/task/number_words";

const numbers = {
  low: -10,
  high: 90,
  bins: 1024,
  equal: true,
  edges: null,
  branching: 4,
  levels: 5,
  missing: false,
  dithered: false,
};
const mean = { value: 41.3, stderr: 0.1, low: 41.1, high: 41.5 };

function chosen(view: string, change: Partial<typeof numbers> = {}) {
  return numberChoicesFrom(new URLSearchParams(view), { ...numbers, ...change }, leastSquaresWays);
}

test("an estimate has as many places as two digits of its error need", () => {
  assert.equal(estimateWords(mean), "41.30 ± 0.20");
  assert.deepEqual(estimateCells({ value: 17.48, low: 17.32, high: 17.61 }), [
    "17.48",
    "0.16",
    "17.32 to 17.61",
  ]);
  assert.equal(estimateWords({ value: -46549.7, low: -46668, high: -46431 }), "−46,550 ± 120");
  const large = { value: 22745284, low: 17845284, high: 27645284 };
  assert.equal(estimateWords(large), "22,700,000 ± 4,900,000");
  assert.equal(estimateWords({ value: 0.01, low: -0.49, high: 0.51 }), "0.01 ± 0.50");
  assert.equal(estimateWords({ value: 3e-12, low: 2.9e-12, high: 3.1e-12 }), "3e-12 ± 1e-13");
  assert.equal(shareWords({ value: 0.24612, low: 0.24335, high: 0.24889 }), "24.61 % ± 0.28");
});

test("what is known has no error", () => {
  const known = { value: 50000, low: 50000, high: 50000 };
  assert.equal(estimateWords(known), "50,000");
  assert.equal(shareWords({ value: 1, low: 1, high: 1 }), "100 %");
  assert.equal(intervalWords(known, "95 %"), "known without an error");
  assert.equal(intervalWords(mean, "95 %"), "41.10 to 41.50 (95 %)");
});

test("neighbours make one bin where they are equally many, if that is near what is wanted", () => {
  assert.deepEqual(resolutions(1024), [8, 16, 64, 128, 256, 512, 1024]);
  assert.deepEqual(resolutions(1000), [10, 20, 50, 100, 200, 500, 1000]);
  assert.deepEqual(resolutions(97), [10, 20, 49, 97]);
  assert.deepEqual(resolutions(2), [2]);
  assert.deepEqual(resolutions(1 << 20).slice(-2), [16384, 65536]);
});

test("what is usual does not stand in the address, and the rest survives it", () => {
  assert.deepEqual(numberView(chosen(""), numbers, leastSquaresWays), {});
  const view = { bins: "256", quantiles: "10,99.9", from: "0", to: "1e1", confidence: "0.99" };
  const text = new URLSearchParams(view).toString();
  const again = new URLSearchParams(numberView(chosen(text), numbers, leastSquaresWays)).toString();
  assert.deepEqual(again.split("&").sort(), text.split("&").sort());
  assert.equal(chosen("bins=77").bins, 64);
  assert.equal(chosen("quantiles=x").quantiles, "5,25,50,75,95");
});

test("percentages are read as people write them", () => {
  assert.deepEqual(percentages("50 %, 5;99.9  5"), [5, 50, 99.9]);
  for (const wrong of ["", "half", "-1", "101", Array(1001).fill("1").join()]) {
    assert.equal(percentages(wrong), null);
  }
});

test("quantiles are asked for as fractions, with the bins; a mean alone has neither", () => {
  assert.deepEqual(numberQuery(chosen("quantiles=7,57,99.9"), numbers), {
    quantiles: "0.07,0.57,0.999",
    bins: 64,
  });
  const alone = { ...numbers, dithered: true };
  assert.deepEqual(numberQuery(chosen(""), alone), {});
  const choices = numberChoicesFrom(new URLSearchParams(), alone, []);
  assert.deepEqual(answerQuery(choices), { confidence: "0.95" });
});

test("numbers are not made likely, since least squares leave no counts", () => {
  assert.deepEqual(
    leastSquaresWays.map(([way]) => way),
    ["pop", "norm_sub", "base_cut", "none"],
  );
});

test("a range may leave an end out, and names its bounds where it is none", () => {
  assert.equal(rangeOf(chosen(""), numbers), null);
  assert.deepEqual(rangeOf(chosen("from=5.5"), numbers), { low: 5.5, high: 90 });
  assert.deepEqual(rangeOf(chosen("to=5"), numbers), { low: -10, high: 5 });
  assert.match(String(rangeOf(chosen("from=-11"), numbers)), /within −10 to 90/);
  assert.match(String(rangeOf(chosen("to=x"), numbers)), /within −10 to 90/);
  assert.match(String(rangeOf(chosen("from=5&to=5"), numbers)), /above 5/);
  assert.deepEqual(rangeQuery({ low: -10, high: 5.5 }), { where: "-10..5.5", bins: 1 });
});

test("quantiles come by the share, in whatever order, and only where there are any", () => {
  const answer = { quantiles: { "1": mean, "0.5": mean, "0.05": mean, "0.25": null } };
  assert.deepEqual(
    quantilesOf(answer).map(({ fraction }) => fractionWords(fraction)),
    ["5 %", "50 %", "100 %"],
  );
  assert.equal(fractionWords(0.999), "99.9 %");
});

test("bins share their edges", () => {
  const bin = { value: "", frequency: 0, raw: 0, stderr: 0, low: 0, high: 0 };
  const bins = [
    { ...bin, low_edge: 0, high_edge: 1 },
    { ...bin, low_edge: 1, high_edge: 4 },
  ];
  assert.deepEqual(edgesOf(bins), [0, 1, 4]);
  assert.deepEqual(edgesOf([]), []);
});

test("what biases a mean or a range is said, rounded up, where there is anything", () => {
  const answer: Pick<Distribution, "spread" | "mean" | "partial"> = {
    spread: 0.04882,
    mean,
    partial: 120.3,
  };
  assert.match(spreadWords(answer), /off by up to 0\.0489 by that/);
  assert.equal(spreadWords({ ...answer, spread: 0 }), "");
  assert.equal(spreadWords({ ...answer, mean: null }), "");
  assert.match(partialWords(answer), /About 120 devices/);
  assert.equal(partialWords({ partial: 0 }), "");
});

test("a task of numbers says its range", () => {
  assert.equal(domainWords({ domain: 12, numbers: null }), "12 values");
  assert.equal(domainWords({ domain: 1024, numbers }), "numbers from −10 to 90 in 1,024 bins");
  assert.equal(
    domainWords({ domain: 2, numbers: { ...numbers, dithered: true } }),
    "mean of numbers from −10 to 90",
  );
});

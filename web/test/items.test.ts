import assert from "node:assert/strict";
import test from "node:test";
import { answerQuery } from "../src/task/answer_choices";
import { choicesFrom, postprocesses, shareWays, toView, usual } from "../src/task/choices";
import { meanCells, meanRange, meanWords } from "../src/task/means";
import { fullWords, mostItems, sizeNames, sizeShares } from "../src/task/sizes";

const sizes = {
  sizes: [0.25, 0.5, -0.0011, 0.2511],
  full: 0.2511,
  full_stderr: 0.001,
  full_low: 0.2491,
  full_high: 0.2531,
  hint: null,
};
const none = { mean: Number.NaN, low: Number.NaN, high: Number.NaN };

test("shares that need not sum to one are clipped, cut or left", () => {
  assert.deepEqual(
    shareWays.map(([way]) => way),
    ["clip", "base_cut", "none"],
  );
  assert.equal(postprocesses[0]?.[0], usual.postprocess);
});

test("what is usual of shares is asked for, and does not stand in the address", () => {
  const choices = choicesFrom(new URLSearchParams(), shareWays);
  assert.equal(answerQuery(choices)["postprocess"], "clip");
  assert.deepEqual(toView(choices, shareWays), {});
  const cut = choicesFrom(new URLSearchParams("postprocess=base_cut"), shareWays);
  assert.deepEqual(toView(cut, shareWays), { postprocess: "base_cut" });
});

test("a way that the kind does not have is as good as none", () => {
  const choices = choicesFrom(new URLSearchParams("postprocess=pop"), shareWays);
  assert.equal(choices.postprocess, "clip");
  assert.equal(choicesFrom(new URLSearchParams("postprocess=clip")).postprocess, "pop");
});

test("a mean is shown to as many decimals as its interval has", () => {
  assert.equal(meanWords({ mean: 0.25312, low: 0.2411, high: 0.26514 }), "0.253 ± 0.012");
  assert.equal(meanWords({ mean: -3.5, low: -27.5, high: 20.5 }), "−4 ± 24");
  assert.equal(meanWords({ mean: -0.0001, low: -0.1201, high: 0.1199 }), "0.00 ± 0.12");
  assert.deepEqual(meanCells({ mean: -0.5, low: -0.75, high: -0.25 }), [
    "−0.50",
    "0.25",
    "−0.75 to −0.25",
  ]);
});

test("an interval that ends at the range has the error of its other side", () => {
  assert.deepEqual(meanCells({ mean: 0.95, low: 0.8, high: 1 }), ["0.95", "0.15", "0.80 to 1.00"]);
});

test("a mean that is not known is told so", () => {
  assert.equal(meanWords(none), "too few holders");
  assert.deepEqual(meanCells(none), ["too few holders", "–", "–"]);
});

test("the chart of means has room for every interval, and ignores what is not known", () => {
  const [low, high] = [Float64Array.of(Number.NaN, -1, 0), Float64Array.of(Number.NaN, -0.5, 1)];
  assert.deepEqual(meanRange(low, high), [-1.1, 1.1]);
  const [least, most] = meanRange(Float64Array.of(2), Float64Array.of(2));
  assert.ok(least < 2 && most > 2);
  assert.deepEqual(meanRange(Float64Array.of(Number.NaN), Float64Array.of(Number.NaN)), [0, 1]);
});

test("sizes go from none to as many as are counted, or more", () => {
  assert.deepEqual(sizeNames(sizes), ["0", "1", "2", "3 or more"]);
  assert.equal(mostItems(sizes), "3");
});

test("sizes have the decimals of the error that is told", () => {
  assert.equal(fullWords(sizes), "25.11 % ± 0.20");
  assert.deepEqual(sizeShares(sizes), ["25.00 %", "50.00 %", "−0.11 %", "25.11 %"]);
});

import assert from "node:assert/strict";
import test from "node:test";
import { guaranteeWords, sentence } from "../src/guarantee";
import { progressWords, waitingWords } from "../src/progress";

const guarantee = {
  epsilon: 0.9162907,
  delta: 1e-6,
  local_epsilon: 5.62,
  users: 5000,
  method: "tight",
  batches: 3,
  submissions_per_device: 1,
  batch_epsilon: 0.9162907,
  batch_delta: 1e-6,
  total_epsilon: 1.00001,
  total_delta: 1e-6,
  total_submissions: 1,
  dishonest: 0,
  epsilon_foreign_10: 1,
  delta_foreign_10: 1e-6,
  epsilon_foreign_50: 1.517,
  delta_foreign_50: 1.2345e-6,
  reason: null,
  warning: null,
};

test("the promise has its factor and its chance", () => {
  assert.equal(
    guaranteeWords(guarantee, null).promise,
    "Whoever sees everything published can improve a guess about one device's value by at most a " +
      "factor e^epsilon = 2.50 in the odds, but for a chance of one in a million (delta), " +
      "over the one submission a device may make.",
  );
});

test("each case has its epsilon and its factor", () => {
  const cases = guaranteeWords(guarantee, null).cases;
  assert.deepEqual(
    cases.map((one) => one.epsilon),
    ["0.917", "1.00", "1.52", "5.62"],
  );
  assert.deepEqual(
    cases.map((one) => one.delta),
    ["1e-6", "1e-6", "1.24e-6", "0"],
  );
  assert.deepEqual(
    cases.map((one) => one.factor),
    ["2.50", "2.72", "4.56", "276"],
  );
});

test("a mechanism without a local epsilon guarantees nothing if the shuffler colludes", () => {
  const cases = guaranteeWords({ ...guarantee, local_epsilon: null }, null).cases;
  assert.equal(cases[3]?.epsilon, "none");
  assert.equal(cases[3]?.factor, "nothing is guaranteed then");
});

test("the scope says for how many devices and by which method", () => {
  const scope = guaranteeWords({ ...guarantee, accounted_users: 4500 }, null).scope.join(" ");
  assert.match(scope, /worst of the 3 batches .* the smallest has 5,000 reports/);
  assert.match(scope, /sized for 4,500 honest devices/);
  assert.match(scope, /Accountant: tight/);
});

test("several submissions and a dishonest share are told", () => {
  const scope = guaranteeWords(
    {
      ...guarantee,
      submissions_per_device: 4,
      batch_epsilon: 0.25,
      batch_delta: 1e-6,
      dishonest: 0.1,
      batches: 1,
    },
    null,
  ).scope.join(" ");
  assert.match(scope, /Every line covers all 4 submissions .* alone has epsilon 0\.250, delta 1e-6/);
  assert.match(scope, /10 % of the reports are already taken/);
  assert.match(scope, /the one batch/);
});

test("what all submissions of a device have is said of every line", () => {
  const words = guaranteeWords({ ...guarantee, epsilon: 10, delta: 0.2094, submissions_per_device: 100 }, null);
  assert.equal(words.over, "over the 100 submissions a device may make");
  assert.match(words.promise, /one in 4\.77 \(delta\), over the 100 submissions a device may make/);
  assert.equal(words.cases[0]?.delta, "0.21");
});

test("that nothing holds is said", () => {
  const words = guaranteeWords({ ...guarantee, epsilon: null, delta: 1, batch_epsilon: null }, null);
  assert.equal(words.promise, "Nothing is guaranteed over the one submission a device may make.");
  assert.equal(words.cases[0]?.epsilon, "none");
  assert.equal(sentence("over all of them"), "Over all of them.");
});

const periods = {
  first: 3,
  last: 3,
  begins: "2027-01-15T08:00:00Z",
  ends: "2027-01-15T09:00:00Z",
  counted: 1,
  missing: 0,
  missing_runs: [],
};

test("of one period the words are for what a device may make in it", () => {
  const words = guaranteeWords({ ...guarantee, batches: 1 }, periods);
  assert.equal(words.over, "over the one submission a device may make in this period");
  assert.match(words.promise, /over the one submission a device may make in this period\.$/);
  const scope = words.scope.join(" ");
  assert.match(scope, /at most one submission in a period, and one at most is in what was counted/);
  assert.doesNotMatch(scope, /makes one submission in|wait in one batch/);
});

test("of several periods each submission has a batch of its own", () => {
  const words = guaranteeWords(
    { ...guarantee, submissions_per_device: 4, batch_epsilon: 0.25 },
    { ...periods, last: 9, counted: 4, missing: 3, ends: "2027-01-15T15:00:00Z" },
  );
  assert.equal(words.over, "over the 4 submissions a device may make in these periods");
  const scope = words.scope.join(" ");
  assert.match(scope, /each in a batch of its own, and at most 4 are in what was counted; one of them alone has epsilon 0\.250/);
  assert.doesNotMatch(scope, /wait in one batch|Every line/);
});

test("what is left if the shuffler colludes is for all that was made in the time, and says so", () => {
  const words = guaranteeWords(guarantee, periods);
  assert.equal(
    words.cases[3]?.what,
    "If the shuffler colludes with the collector, over all that a device may have made in that time",
  );
  assert.match(
    words.scope.join(" "),
    /The last line is for all that a device may have submitted from 15 Jan 2027, 08:00 UTC to 15 Jan 2027, 09:00 UTC, counted or not/,
  );
  assert.equal(guaranteeWords(guarantee, null).cases[3]?.what, "If the shuffler colludes with the collector");
});

test("a batch with a period leaves when that is over", () => {
  const held = { state: "open", held_percent: 95, needed: 4500, planned: 5000 };
  assert.match(waitingWords(held, false), /^A batch leaves when 5,000 reports are held, and never with fewer than 4,500:/);
  assert.match(waitingWords(held, true), /^A batch leaves when its period is over, and never with fewer than 4,500:/);
});

test("progress is coarse and says when the guarantee holds", () => {
  const held = { state: "open", held_percent: 95, needed: 4500, planned: 5000 };
  assert.equal(
    progressWords(held),
    "next batch: about 95 % of 5,000 held, enough for its guarantee",
  );
  assert.equal(
    progressWords({ ...held, held_percent: 20 }),
    "next batch: about 20 % of 5,000 held",
  );
  assert.equal(
    progressWords({ ...held, held_percent: 0 }),
    "next batch: none or few of 5,000 held",
  );
  assert.equal(progressWords({ ...held, state: "closed" }), "takes no more reports");
});

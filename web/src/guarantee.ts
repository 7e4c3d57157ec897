// The guarantee of an answer in plain words, with its numbers, which are rounded up.
import type { Guarantee, Periods } from "./api_types";
import { atMost, atMostShort, chance, count, short, time } from "./format";

export interface GuaranteeWords {
  promise: string;
  // What every number in it is for, but for a case that says otherwise.
  over: string;
  cases: { what: string; epsilon: string; delta: string; factor: string }[];
  scope: string[];
}

export function factor(epsilon: number): string {
  const value = Math.exp(epsilon) * (1 + 4e-16); // Math.exp may be a unit below the truth
  return Number.isFinite(value) ? atMost(value) : "beyond any number";
}

// `periods`: those that the answer is about; null: the task has none.
export function overSubmissions(number: number, periods: Periods | null): string {
  const made = number === 1 ? "the one submission" : `the ${count(number)} submissions`;
  return `over ${made} a device may make${whenMade(periods)}`;
}

// What a device's whole life in a task may cost it, in the words of every face.
export function wholeLife(epsilon: number | null, delta: number, submissions: number): string {
  const pair = epsilon === null ? "nothing" : `epsilon ${atMostShort(epsilon)}, delta ${atMostShort(delta)}`;
  return `${pair} ${overSubmissions(submissions, null)} in the task's life`;
}

function whenMade(periods: Periods | null): string {
  if (periods === null) return "";
  return periods.first === periods.last ? " in this period" : " in these periods";
}

// A remark of the collector's as a sentence.
export function sentence(remark: string): string {
  return `${remark.slice(0, 1).toUpperCase()}${remark.slice(1)}.`;
}

export function guaranteeWords(g: Guarantee, periods: Periods | null): GuaranteeWords {
  const over = overSubmissions(g.submissions_per_device, periods);
  return {
    promise:
      g.epsilon === null
        ? `Nothing is guaranteed ${over}.`
        : "Whoever sees everything published can improve a guess about one device's value by at " +
          `most a factor e^epsilon = ${factor(g.epsilon)} in the odds, but for a chance of ` +
          `${chance(g.delta)} (delta), ${over}.`,
    over,
    cases: [
      aCase("As it stands", g.epsilon, g.delta),
      aCase(
        "If 10 % of the reports are the observer's own",
        g.epsilon_foreign_10,
        g.delta_foreign_10,
      ),
      aCase(
        "If 50 % of the reports are the observer's own",
        g.epsilon_foreign_50,
        g.delta_foreign_50,
      ),
      aCase(
        "If the shuffler colludes with the collector" +
          (periods === null ? "" : ", over all that a device may have made in that time"),
        g.local_epsilon,
        0,
      ),
    ],
    scope: scopeWords(g, periods),
  };
}

function aCase(what: string, epsilon: number | null, delta: number) {
  return epsilon === null
    ? { what, epsilon: "none", delta: "1", factor: "nothing is guaranteed then" }
    : { what, epsilon: atMost(epsilon), delta: atMostShort(delta), factor: factor(epsilon) };
}

function oneAlone(g: Guarantee): string {
  if (g.batch_epsilon === null) return "no guarantee";
  return `epsilon ${atMost(g.batch_epsilon)}, delta ${atMostShort(g.batch_delta)}`;
}

function submissionWords(g: Guarantee): string[] {
  return [
    g.submissions_per_device === 1
      ? "A device makes one submission in the task's life."
      : `Every line covers all ${count(g.submissions_per_device)} submissions that a device may make, ` +
        `even if they wait in one batch; one of them alone has ${oneAlone(g)}.`,
  ];
}

// Of a task with periods: the shuffler has seen submissions that no counted batch has, the others have
// not.
function periodWords(g: Guarantee, periods: Periods): string[] {
  const most = count(g.submissions_per_device);
  return [
    g.submissions_per_device === 1
      ? "A device makes at most one submission in a period, and one at most is in what was counted."
      : `A device makes at most one submission in a period, each in a batch of its own, and at most ` +
        `${most} are in what was counted; one of them alone has ${oneAlone(g)}.`,
    `The last line is for all that a device may have submitted from ${time(periods.begins)} to ` +
      `${time(periods.ends)}, counted or not; the others are for what was counted.`,
  ];
}

function scopeWords(g: Guarantee, periods: Periods | null): string[] {
  const words = [
    g.batches === 1
      ? `Computed for the one batch that this answer comes from, of ${count(g.users)} reports.`
      : `The worst of the ${count(g.batches)} batches that this answer comes from; ` +
        `the smallest has ${count(g.users)} reports.`,
  ];
  if (g.accounted_users !== undefined && g.accounted_users !== g.users) {
    words.push(
      `The noise is sized for ${count(g.accounted_users)} honest devices, so more add nothing.`,
    );
  }
  if (
    g.accounted_users !== undefined &&
    (g.epsilon_foreign_10 === null || g.epsilon_foreign_50 === null)
  ) {
    words.push(
      "Nothing is guaranteed where so many reports are the observer's own that fewer honest devices are " +
        "left than the noise is sized for: it is they who add it, and no guarantee is stated for so few. " +
        "A task with a larger --dishonest has noise for that.",
    );
  }
  if (g.dishonest > 0) {
    words.push(
      `${short(g.dishonest * 100)} % of the reports are already taken to be the observer's own.`,
    );
  }
  words.push(
    ...(periods === null ? submissionWords(g) : periodWords(g, periods)),
    `In total: ${wholeLife(g.total_epsilon, g.total_delta, g.total_submissions)}.`,
    `Accountant: ${g.method}. What is hidden is what a device said, not that it took part.`,
  );
  return words;
}

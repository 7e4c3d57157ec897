// The guarantee of an answer in plain words, with its numbers. Epsilons and factors are rounded up.
import type { Guarantee } from "./api_types";
import { atMost, chance, count, counted, short } from "./format";

export interface GuaranteeWords {
  promise: string;
  cases: { what: string; epsilon: string; factor: string }[];
  scope: string[];
}

export function factor(epsilon: number): string {
  const value = Math.exp(epsilon);
  return Number.isFinite(value) ? atMost(value) : "beyond any number";
}

export function guaranteeWords(g: Guarantee): GuaranteeWords {
  return {
    promise:
      "Whoever sees everything published can improve a guess about one device's value by at most " +
      `a factor e^epsilon = ${factor(g.epsilon)} in the odds, but for a chance of ` +
      `${chance(g.delta)} (delta).`,
    cases: [
      aCase("As it stands", g.epsilon),
      aCase("If 10 % of the reports are the observer's own", g.epsilon_foreign_10),
      aCase("If 50 % of the reports are the observer's own", g.epsilon_foreign_50),
      aCase("If the shuffler colludes with the collector", g.local_epsilon),
    ],
    scope: scopeWords(g),
  };
}

function aCase(what: string, epsilon: number | null) {
  return epsilon === null
    ? { what, epsilon: "none", factor: "nothing is guaranteed then" }
    : { what, epsilon: atMost(epsilon), factor: factor(epsilon) };
}

function scopeWords(g: Guarantee): string[] {
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
  if (g.dishonest > 0) {
    words.push(
      `${short(g.dishonest * 100)} % of the reports are already taken to be the observer's own.`,
    );
  }
  words.push(
    g.submissions_per_device === 1
      ? "A device makes one submission in the task's life."
      : `It covers all ${counted(g.submissions_per_device, "submission", "submissions")} that a device ` +
          `may make; one of them alone has epsilon ${atMost(g.batch_epsilon)}.`,
    `Accountant: ${g.method}. What is hidden is what a device said, not that it took part.`,
  );
  return words;
}

// An estimate among the figures above an answer.
import { figure } from "../parts";
import { estimateWords, type Interval } from "./estimates";
import { intervalWords, tooFew } from "./number_words";

// null: too few for one, which `without` says. `level`: "95 %".
export function estimateFigure(
  name: string,
  estimate: Interval | null,
  level: string,
  without = tooFew,
): HTMLElement {
  return estimate === null
    ? figure(name, "–", without)
    : figure(name, estimateWords(estimate), intervalWords(estimate, level));
}

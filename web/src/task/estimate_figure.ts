// An estimate among the figures above an answer.
import { figure } from "../parts";
import { estimateWords, type Interval } from "./estimates";
import { intervalWords, tooFew } from "./number_words";

// null: too few devices for one. `level`: "95 %".
export function estimateFigure(
  name: string,
  estimate: Interval | null,
  level: string,
): HTMLElement {
  return estimate === null
    ? figure(name, "–", tooFew)
    : figure(name, estimateWords(estimate), intervalWords(estimate, level));
}

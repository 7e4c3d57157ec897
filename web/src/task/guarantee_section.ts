// What the answer reveals of a device, in words and numbers.
import type { Guarantee, Periods } from "../api_types";
import { el } from "../dom";
import { atMost, atMostShort } from "../format";
import { guaranteeWords, sentence } from "../guarantee";
import { figure, section, table } from "../parts";

export function guaranteeSection(guarantee: Guarantee, periods: Periods | null): HTMLElement {
  const words = guaranteeWords(guarantee, periods);
  return section(
    "Guarantee",
    el(
      "dl",
      { class: "figures" },
      figure("Epsilon", guarantee.epsilon === null ? "none" : atMost(guarantee.epsilon), words.over),
      figure("Delta", atMostShort(guarantee.delta)),
    ),
    guarantee.warning === null
      ? null
      : el("ul", { class: "warnings" }, el("li", {}, sentence(guarantee.warning))),
    el("p", { class: "promise" }, words.promise),
    table(
      `What the guarantee becomes, ${words.over}`,
      [
        { title: "What is seen" },
        { title: "Epsilon", number: true },
        { title: "Delta", number: true },
        { title: "Factor in the odds", number: true },
      ],
      words.cases.map(({ what, epsilon, delta, factor }) => [what, epsilon, delta, factor]),
    ),
    el("ul", { class: "notes" }, ...words.scope.map((line) => el("li", {}, line))),
  );
}

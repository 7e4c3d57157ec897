// What the answer reveals of a device, in words and numbers.
import type { Guarantee } from "../api_types";
import { el } from "../dom";
import { atMost, short } from "../format";
import { guaranteeWords } from "../guarantee";
import { figure, section, table } from "../parts";

export function guaranteeSection(guarantee: Guarantee): HTMLElement {
  const words = guaranteeWords(guarantee);
  return section(
    "Guarantee",
    el(
      "dl",
      { class: "figures" },
      figure("Epsilon", atMost(guarantee.epsilon)),
      figure("Delta", short(guarantee.delta)),
    ),
    el("p", { class: "promise" }, words.promise),
    table(
      "What the guarantee becomes",
      [
        { title: "What is seen" },
        { title: "Epsilon", number: true },
        { title: "Factor in the odds", number: true },
      ],
      words.cases.map(({ what, epsilon, factor }) => [what, epsilon, factor]),
    ),
    el("ul", { class: "notes" }, ...words.scope.map((line) => el("li", {}, line))),
  );
}

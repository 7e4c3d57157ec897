// The controls above the distribution of numbers that are its own.
import { el } from "../dom";
import { count } from "../format";
import { choice, field } from "../parts";
import { type NumberChoices, percentages, resolutions } from "./number_choices";

// Fields that change `choices` in place. `bins`: how many the task has.
export function numberFields(
  choices: NumberChoices,
  bins: number,
  changed: () => void,
): HTMLElement[] {
  const set = (change: () => void) => {
    change();
    changed();
  };
  const resolution = choice(
    resolutions(bins).map((number) => [
      String(number),
      `${count(number)}${number === bins ? " (all)" : ""}`,
    ]),
    String(choices.bins),
    (value) => set(() => (choices.bins = Number(value))),
  );
  return [field("Bins", resolution), quantilesField(choices, set)];
}

// Shares in percent, of which `choices` takes those that are some.
export function quantilesField(
  choices: { quantiles: string },
  set: (change: () => void) => void,
): HTMLElement {
  const input = el("input", {
    type: "text",
    class: "quantiles",
    inputmode: "decimal",
    autocomplete: "off",
    required: true,
    value: choices.quantiles.replaceAll(",", ", "),
  });
  const wrong = el("small", { class: "wrong", role: "status" });
  input.addEventListener("input", () => {
    const chosen = percentages(input.value);
    input.setAttribute("aria-invalid", String(chosen === null));
    wrong.textContent = chosen === null ? "percentages, such as 10, 50, 99.9" : "";
    if (chosen !== null) set(() => (choices.quantiles = chosen.join(",")));
  });
  const root = field("Quantiles at, in %", input);
  root.append(wrong);
  return root;
}

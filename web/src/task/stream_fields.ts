// The controls of a stream that are its own.
import { mostLines } from "../charts/over_time";
import { el } from "../dom";
import { choice, field } from "../parts";
import type { Over, StreamChoices, Unit } from "./stream_choices";

// Fields that change `choices` in place: `changed` what is asked, `shown` what is shown of it.
export function streamFields(
  choices: StreamChoices,
  changed: () => void,
  shown: () => void,
): HTMLElement[] {
  const over = choice(
    [
      ["totals", "Totals"],
      ["single", "Single periods"],
    ],
    choices.over,
    (value) => {
      choices.over = value as Over;
      changed();
    },
  );
  const unit = choice(
    [
      ["share", "Shares"],
      ["count", "Counts"],
    ],
    choices.unit,
    (value) => {
      choices.unit = value as Unit;
      shown();
    },
  );
  const lines = el("input", { type: "number", min: 1, max: mostLines, step: 1, value: choices.lines });
  lines.addEventListener("change", () => {
    choices.lines = Math.min(mostLines, Math.max(1, Math.floor(Number(lines.value)) || 1));
    lines.value = String(choices.lines);
    changed();
  });
  const named = el("input", {
    type: "search",
    autocomplete: "off",
    placeholder: "the largest",
    value: choices.named,
  });
  named.addEventListener("input", () => {
    choices.named = named.value;
    changed();
  });
  return [
    field("Over", over),
    field("Unit", unit),
    field("Largest values", lines),
    field("Or these values", named),
  ];
}

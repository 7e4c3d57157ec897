// The controls above an answer about records that are its own. Which of them are seen depends on the view.
import type { Attribute, Records } from "../api_types";
import { el, fill } from "../dom";
import { choice, field } from "../parts";
import { quantilesField } from "./number_fields";
import {
  chooseView,
  chosenView,
  conditionOn,
  numberOf,
  type RecordChoices,
  setCondition,
  settle,
  type Told,
} from "./record_choices";
import { toldWords, viewWords } from "./record_words";

// Labels beyond these are not offered, but may be typed.
const mostOffered = 500;

// Fields that change `choices` in place. `changed`: something has, `typed`: somebody is typing a condition.
export function recordFields(
  choices: RecordChoices,
  records: Records,
  changed: () => void,
  typed: () => void,
): HTMLElement[] {
  const dynamic = el("div", { class: "fields" });
  const quantiles = quantilesField(choices, (change) => {
    change();
    typed();
  });
  const conditions = records.attributes.map((attribute) => ({
    attribute,
    root: conditionField(choices, attribute, typed),
  }));
  const show = () => {
    fill(dynamic, ...cellFields(choices, records, set));
    quantiles.hidden = numberOf(choices, records) === null;
    const { attributes } = chosenView(choices, records);
    for (const { attribute, root } of conditions) root.hidden = !attributes.includes(attribute.name);
  };
  const set = (change: () => void) => {
    const focused = dynamic.contains(document.activeElement) ? document.activeElement : null;
    const label = focused === null ? "" : labelOf(focused);
    change();
    settle(choices, records);
    show();
    // The one that was made anew.
    for (const control of dynamic.querySelectorAll("select"))
      if (label !== "" && labelOf(control) === label) control.focus();
    changed();
  };
  const view = choice(
    records.views.map((one, i) => [String(i + 1), viewWords(one)]),
    String(choices.view),
    (value) => set(() => chooseView(choices, Number(value), records)),
  );
  show();
  return [field("Question", view), dynamic, quantiles, ...conditions.map(({ root }) => root)];
}

function labelOf(control: Element): string {
  return control.closest(".field")?.querySelector("label")?.textContent ?? "";
}

// Of which attributes cells are, and what they tell.
function cellFields(
  choices: RecordChoices,
  records: Records,
  set: (change: () => void) => void,
): HTMLElement[] {
  const { attributes, measure } = chosenView(choices, records);
  const named = (names: string[]) => names.map((name): [string, string] => [name, name]);
  const fields: HTMLElement[] = [];
  if (attributes.length > 1) {
    const by = choice(named(attributes), choices.by, (value) => set(() => (choices.by = value)));
    const others = attributes.filter((name) => name !== choices.by);
    const and = choice([["", "nothing else"], ...named(others)], choices.and, (value) =>
      set(() => (choices.and = value)),
    );
    fields.push(field("By", by), field("And by", and));
  }
  if (measure === null) return fields;
  const told = choice(
    (["count", "avg", "sum"] as Told[]).map((one) => [one, toldWords(one, measure)]),
    choices.told,
    (value) => set(() => (choices.told = value as Told)),
  );
  return [...fields, field("Show", told)];
}

function conditionField(
  choices: RecordChoices,
  attribute: Attribute,
  typed: () => void,
): HTMLElement {
  const { name, low, high, bins } = attribute;
  const labels = attribute.labels ?? [];
  const input = el("input", {
    type: "text",
    class: "condition",
    autocomplete: "off",
    placeholder: bins !== undefined ? `${low ?? ""}..${high ?? ""}` : labels.slice(0, 2).join(","),
    value: conditionOn(choices, name),
  });
  input.addEventListener("input", () => {
    setCondition(choices, name, input.value);
    typed();
  });
  const root = field(`Only ${name}`, input);
  if (labels.length > 0) {
    const offered = el("datalist", { id: `${input.id}-labels` });
    fill(offered, ...labels.slice(0, mostOffered).map((label) => el("option", { value: label })));
    input.setAttribute("list", offered.id);
    root.append(offered);
  }
  return root;
}

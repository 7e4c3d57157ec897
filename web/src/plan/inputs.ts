// A slider and a number for each setting; each follows the other.
import { el } from "../dom";
import { bounds, fromSlider, type Setting, type Settings, toSlider, written } from "./settings";

const sliderSteps = 200;

// Changes `settings` in place.
export function settingInputs(settings: Settings, changed: () => void): HTMLElement {
  return el(
    "div",
    { class: "settings" },
    ...(Object.keys(bounds) as Setting[]).map((name) => one(name, settings, changed)),
  );
}

function one(name: Setting, settings: Settings, changed: () => void): HTMLElement {
  const limits = bounds[name];
  const id = `setting-${name}`;
  const slider = el("input", {
    type: "range",
    min: 0,
    max: sliderSteps,
    step: 1,
    "aria-label": `${limits.name}, slider`,
  });
  const number = el("input", {
    type: "number",
    id,
    min: 0,
    step: "any",
    required: true,
    inputmode: limits.whole ? "numeric" : "decimal",
  });
  const show = () => {
    slider.value = String(Math.round(toSlider(settings[name], limits) * sliderSteps));
    slider.setAttribute("aria-valuetext", written(settings[name]));
  };
  slider.addEventListener("input", () => {
    settings[name] = fromSlider(Number(slider.value) / sliderSteps, limits);
    number.value = written(settings[name]);
    slider.setAttribute("aria-valuetext", number.value);
    changed();
  });
  number.addEventListener("input", () => {
    const value = Number(number.value);
    const good = value > 0 && (!limits.whole || Number.isInteger(value));
    number.setCustomValidity(
      good ? "" : limits.whole ? "a whole number above 0" : "a number above 0",
    );
    number.setAttribute("aria-invalid", String(!good));
    if (!good) return;
    settings[name] = value;
    show();
    changed();
  });
  number.value = written(settings[name]);
  show();
  return el("div", { class: "setting" }, el("label", { for: id }, limits.name), slider, number);
}

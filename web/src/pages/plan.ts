// The planner: which mechanism gives the least error for a target.
import type { Plan } from "../api_types";
import { type ErrorKind, PlanChart } from "../charts/plan";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { failure, isStranger } from "../load";
import { choice, commandLine, field, section } from "../parts";
import { candidatesTable } from "../plan/candidates";
import { createCommand, toName } from "../plan/command";
import { settingInputs } from "../plan/inputs";
import { mechanismNames, swatch } from "../plan/mechanisms";
import { epsilons, settingsFrom, toView } from "../plan/settings";
import { sweep } from "../plan/sweep";
import { rememberView } from "../route";

export function planPage(page: HTMLElement, view: URLSearchParams, context: Context): void {
  document.title = "Planner · Tombola";
  const settings = settingsFrom(view);
  const [chart, told, at] = [
    el("div", {}),
    el("p", { class: "told", role: "status" }),
    el("div", {}),
  ];
  let kind: ErrorKind = "half_width";
  let asking = new AbortController();
  let waiting = 0;
  context.signal.addEventListener("abort", () => asking.abort());

  const ask = () => {
    asking.abort();
    asking = new AbortController();
    const points = epsilons(settings.epsilon);
    const drawn = new PlanChart(chart, points, settings.epsilon, kind, asking.signal);
    let come = 0;
    told.textContent = "Computing…";
    void sweep({ ...settings }, asking.signal, {
      arrived(plan) {
        drawn.add(plan);
        told.textContent = `Computing: ${++come} of ${points.length} epsilons`;
        if (plan.epsilon === settings.epsilon)
          showChosen(at, plan, kind, createCommand(settings, toName(plan)));
      },
      finished: () => (told.textContent = ""),
      failed(error) {
        told.textContent = "";
        if (isStranger(error)) context.signIn(error.message);
        else fill(at, failure(error, ask));
      },
    });
  };
  const soon = () => {
    rememberView(toView(settings));
    clearTimeout(waiting);
    waiting = window.setTimeout(ask, 250);
  };
  const kinds = choice(
    [
      ["half_width", "95 % half-width of a share"],
      ["mse", "Mean squared error"],
    ],
    kind,
    (value) => {
      kind = value as ErrorKind;
      ask();
    },
  );
  fill(
    page,
    el(
      "div",
      { class: "head" },
      el("h1", {}, "Planner"),
      el("p", { class: "as-of" }, "Which mechanism gives the least error for a target"),
    ),
    section("Target", settingInputs(settings, soon)),
    section(
      "Error against epsilon",
      el("div", { class: "controls" }, field("Error as", kinds)),
      chart,
      el(
        "ul",
        { class: "legend" },
        ...mechanismNames().map((name) => el("li", {}, swatch(name), name)),
        el("li", {}, "dots: the recommended one at the chosen epsilon"),
      ),
      told,
    ),
    at,
  );
  ask();
}

function option(text: string): HTMLElement {
  return el("code", { class: "together" }, text);
}

function showChosen(place: HTMLElement, plan: Plan, kind: ErrorKind, command: string): void {
  fill(
    place,
    section(
      `At epsilon ${plan.epsilon}`,
      el(
        "p",
        { class: "big" },
        plan.recommended === null
          ? "No mechanism can meet this target."
          : `Recommended: ${plan.recommended}`,
      ),
      plan.warnings.length > 0 &&
        el("ul", { class: "warnings" }, ...plan.warnings.map((warning) => el("li", {}, warning))),
      candidatesTable(plan, kind),
    ),
    plan.recommended !== null &&
      section(
        "Make the task",
        commandLine(command),
        el(
          "p",
          { class: "hint" },
          "A batch may be as small as 0.9 of the planned devices unless ",
          option("--min-batch"),
          " says otherwise, and the task is planned for that. Without ",
          option("--mechanism"),
          " the best of those with a local epsilon is taken",
          toName(plan) === null
            ? `: ${plan.recommended} leaves a device nothing if the shuffler colludes. Add `
            : ".",
          toName(plan) === null && option(`--mechanism ${plan.recommended}`),
          toName(plan) === null && " if that is what you want.",
        ),
      ),
  );
}

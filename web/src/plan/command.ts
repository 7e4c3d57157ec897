// The command that makes the planned task.
import type { Plan } from "../api_types";
import { type Settings, written } from "./settings";

// The recommended mechanism if that leaves a device a local epsilon, else none: the collector takes the
// best of those that do.
export function toName(plan: Plan): string | null {
  const best = plan.candidates.find((one) => one.mechanism === plan.recommended);
  return best === undefined || best.local_epsilon === null ? null : best.mechanism;
}

export function createCommand(settings: Settings, mechanism: string | null): string {
  return [
    "tombola task create --config tombola.json --name NAME",
    `--domain ${settings.domain} --epsilon ${written(settings.epsilon)}`,
    `--delta ${written(settings.delta)} --users ${settings.users}`,
    ...(mechanism === null ? [] : [`--mechanism ${mechanism}`]),
  ].join(" ");
}

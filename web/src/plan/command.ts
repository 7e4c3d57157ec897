// The command that makes the planned task.
import { type Settings, written } from "./settings";

export function createCommand(settings: Settings, mechanism: string | null): string {
  return [
    "tombola task create --config tombola.json --name NAME",
    `--domain ${settings.domain} --epsilon ${written(settings.epsilon)}`,
    `--delta ${written(settings.delta)} --users ${settings.users}`,
    ...(mechanism === null ? [] : [`--mechanism ${mechanism}`]),
  ].join(" ");
}

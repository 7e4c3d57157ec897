// Plans over many epsilons: one question each, three under way at most, answers kept for later.
import { ApiError, get, isAbort, type Query } from "../api";
import type { Plan, Plans } from "../api_types";
import { askingOrder, epsilons, type Settings } from "./settings";

const together = 3;
const mostKept = 500;
const kept = new Map<string, Plan>();

export interface SweepEvents {
  arrived(plan: Plan): void;
  failed(error: unknown): void;
  finished(): void;
}

// Asks until all have come, one has failed or `signal` ends it; what comes after that is dropped.
export async function sweep(
  settings: Settings,
  signal: AbortSignal,
  events: SweepEvents,
): Promise<void> {
  const left = askingOrder(epsilons(settings.epsilon), settings.epsilon);
  const work = async () => {
    for (let epsilon = left.shift(); epsilon !== undefined; epsilon = left.shift()) {
      // The smallest batch is costly, and is shown of the chosen one only.
      const brief = epsilon === settings.epsilon ? {} : { min_batch: "false" };
      const plan = await onePlan({ ...settings, epsilon, ...brief }, signal);
      if (signal.aborted) return;
      events.arrived(plan);
    }
  };
  try {
    await Promise.all(Array.from({ length: together }, work));
    if (!signal.aborted) events.finished();
  } catch (error) {
    left.length = 0;
    if (!isAbort(error) && !signal.aborted) events.failed(error);
  }
}

async function onePlan(question: Query, signal: AbortSignal): Promise<Plan> {
  const key = JSON.stringify(question);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const answer = await patiently(() => get<Plans>("/v1/plan", question, signal), signal);
  const plan = answer.plans[0];
  if (plan === undefined) throw new Error("the answer has no plan");
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, plan);
  return plan;
}

// A busy server says when to come back.
async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      const seconds = Math.min(30, error.retryAfterSeconds ?? 1);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      if (signal.aborted) throw error;
    }
  }
}

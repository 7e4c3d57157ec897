// Questions to a task, whatever its kind.
import { get, getBlob, type Query, taskPath } from "../api";
import type { Answer, TaskDetail } from "../api_types";

export function askAnswer<Kind extends Answer>(
  task: TaskDetail,
  question: Query,
  signal: AbortSignal,
): Promise<Kind> {
  return get<Kind>(answerPath(task), question, signal);
}

// The same as a file in one of the formats that the server writes.
export function answerFile(
  task: TaskDetail,
  question: Query,
  format: "csv" | "json",
  signal: AbortSignal,
): Promise<Blob> {
  return getBlob(answerPath(task), { ...question, format }, signal);
}

function answerPath(task: TaskDetail): string {
  return `${taskPath(task.task)}/answer`;
}

// Questions to a task, whatever its kind.
import { get, getBlob, type Query, taskPath } from "../api";
import type { Answer, Decoding, TaskDetail } from "../api_types";

export function askAnswer<Kind extends Answer>(
  task: TaskDetail,
  question: Query,
  signal: AbortSignal,
): Promise<Kind> {
  return get<Kind>(answerPath(task), question, signal);
}

// The same of an answer that is searched for, asked again until it is there.
export async function awaitAnswer(
  task: TaskDetail,
  question: Query,
  signal: AbortSignal,
  tell: (decoding: Decoding) => void,
): Promise<Answer> {
  for (let pause = 100; ; pause = Math.min(1000, 2 * pause)) {
    const answer = await askAnswer<Answer & { decoding?: Decoding }>(task, question, signal);
    if (answer.decoding === undefined) return answer;
    tell(answer.decoding);
    await waited(pause, signal);
  }
}

function waited(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = () => reject(new DOMException("the page was left", "AbortError"));
    if (signal.aborted) return left();
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      left();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

// The same as a file in one of the formats that the server writes.
export async function answerFile(
  task: TaskDetail,
  question: Query,
  format: "csv" | "json",
  signal: AbortSignal,
): Promise<Blob> {
  if (task.kind === "strings") await awaitAnswer(task, question, signal, () => {});
  return getBlob(answerPath(task), { ...question, format }, signal);
}

function answerPath(task: TaskDetail): string {
  return `${taskPath(task.task)}/answer`;
}

// A file for the reader. It is fetched first, since a link could not carry the token.
import { el } from "./dom";

export function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// A task's name as part of a file's.
export function fileName(task: string, ending: string): string {
  return `${task.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+/, "") || "histogram"}.${ending}`;
}

// Calls `ask` every `seconds` while the page is visible, and at once when it becomes so again.
export function whileVisible(seconds: number, signal: AbortSignal, ask: () => Promise<void>): void {
  let busy = false;
  const tick = async () => {
    if (busy || document.hidden) return;
    busy = true;
    await ask().finally(() => (busy = false));
  };
  const timer = setInterval(() => void tick(), seconds * 1000);
  document.addEventListener("visibilitychange", () => void tick(), { signal });
  signal.addEventListener("abort", () => clearInterval(timer));
}

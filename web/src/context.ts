// What a page is given besides its place.
export interface Context {
  // Aborted when the page is left.
  signal: AbortSignal;
  // Shows the form instead of the page; `message` says what the server said.
  signIn(message: string): void;
}

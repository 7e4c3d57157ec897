// The token that this tab sends. It lives as long as the tab does, and never in an address.

const key = "tombola-token";

export function token(): string | null {
  return sessionStorage.getItem(key);
}

export function keepToken(value: string): void {
  sessionStorage.setItem(key, value);
}

export function forgetToken(): void {
  sessionStorage.removeItem(key);
}

// Takes a token out of `#token=T`, so that it stays neither in the address bar nor in the history.
export function takeTokenFromAddress(): void {
  const match = /^#token=([^&]+)$/.exec(location.hash);
  if (match === null || match[1] === undefined) return;
  keepToken(readable(match[1]));
  history.replaceState(null, "", "#/");
}

// What cannot be a token is sent as one that nobody has, so that the answer says so.
function readable(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    return /^[!-~]+$/.test(decoded) ? decoded : "unreadable";
  } catch {
    return "unreadable";
  }
}

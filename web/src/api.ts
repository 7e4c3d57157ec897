// Questions to the collector. Every one goes to the origin that served the page.
import { token } from "./token";

// A list is a parameter that repeats.
export type Query = Record<string, string | number | string[] | null | undefined>;

// What the server said instead of an answer, or that it said nothing (`status` 0).
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfterSeconds: number | null,
  ) {
    super(message);
  }
}

export function taskPath(id: string): string {
  return `/v1/tasks/${encodeURIComponent(id)}`;
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const response = await request(path, query, signal);
  return (await response.json()) as T;
}

export async function getBlob(path: string, query: Query, signal?: AbortSignal): Promise<Blob> {
  const response = await request(path, query, signal);
  return response.blob();
}

async function request(path: string, query: Query, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Accept: "*/*" };
  const bearer = token();
  if (bearer !== null) headers["Authorization"] = `Bearer ${bearer}`;
  let response: Response;
  try {
    response = await fetch(path + queryString(query), {
      headers,
      cache: "no-store",
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError(0, "UNREACHABLE", "the collector does not answer", null);
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

function queryString(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) pairs.append(name, String(one));
  }
  const text = pairs.toString();
  return text === "" ? "" : `?${text}`;
}

async function errorOf(response: Response): Promise<ApiError> {
  const seconds = Number(response.headers.get("Retry-After") ?? "");
  const wait = seconds > 0 ? seconds : null;
  try {
    const body = (await response.json()) as { error: { status: string; message: string } };
    return new ApiError(response.status, body.error.status, body.error.message, wait);
  } catch {
    return new ApiError(response.status, "UNKNOWN", `HTTP status ${response.status}`, wait);
  }
}

// True of what a page that has been left need not hear of.
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

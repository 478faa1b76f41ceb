// What the scripts keep in the browser. A browser that forbids it is none the worse: it is asked again at the next page.
import { SESSION_KEY } from "../look.ts";

export function read<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage[key] as string) as T | null;
  } catch {
    return null;
  }
}

export function write(key: string, value: unknown): void {
  try {
    localStorage[key] = JSON.stringify(value);
  } catch {
    // Forbidden or full.
  }
}

export function sessionToken(): string | null {
  try {
    return (sessionStorage[SESSION_KEY] as string | undefined) ?? null;
  } catch {
    return null;
  }
}

import { useLocale } from "./locale.ts";

/** The name of a country's or a language's code in the reader's language; what is no code stays as it is. */
export function useCodeNames(type: "region" | "language"): (code: string) => string {
  const names = new Intl.DisplayNames([useLocale()], { type, fallback: "code" });
  return (code) => {
    try {
      return names.of(code) ?? code;
    } catch {
      return code;
    }
  };
}

import { useLocale, type Locale } from "./locale.ts";

type CodeType = "region" | "language";

/** Creating one takes longer than rendering a row. */
const created = new Map<string, Intl.DisplayNames>();

function namesIn(locale: Locale, type: CodeType): Intl.DisplayNames {
  const key = `${locale}/${type}`;
  const names = created.get(key) ?? new Intl.DisplayNames([locale], { type, fallback: "code" });
  created.set(key, names);
  return names;
}

/** The name of a country's or a language's code in the reader's language; what is no code stays as it is. */
export function useCodeNames(type: CodeType): (code: string) => string {
  const names = namesIn(useLocale(), type);
  return (code) => {
    try {
      return names.of(code) ?? code;
    } catch {
      return code;
    }
  };
}

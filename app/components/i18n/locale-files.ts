import type { Locale } from "./locale.ts";

/**
 * Of what a glob found in `app/locales`: the files of one language by their namespace. That is the
 * file's name, whatever folder it stands in.
 */
export const filesOf = <File>(locale: Locale, found: Record<string, File>): Record<string, File> =>
  Object.fromEntries(
    Object.entries(found)
      .filter(([path]) => path.includes(`/locales/${locale}/`))
      .map(([path, file]) => [path.slice(path.lastIndexOf("/") + 1, -".json".length), file]),
  );

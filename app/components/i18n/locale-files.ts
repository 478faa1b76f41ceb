import type { Locale } from "./locale.ts";

/**
 * The files of one language by their namespace, out of what a glob found in `app/locales`. That is the
 * file's name without its folder.
 */
export const filesOf = <File>(locale: Locale, found: Record<string, File>): Record<string, File> =>
  Object.fromEntries(
    Object.entries(found)
      .filter(([path]) => path.includes(`/locales/${locale}/`))
      .map(([path, file]) => [path.slice(path.lastIndexOf("/") + 1, -".json".length), file]),
  );

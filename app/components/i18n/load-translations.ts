// Loads the texts of one language and one screen before the screen renders.
import type { ClientLoaderFunction } from "@remix-run/react";
import type { i18n, ResourceKey } from "i18next";
import { loadOrKeep } from "../frame/lost-connection.ts";
import { showErrorToast } from "../ui/toast.ts";
import { createI18n } from "./create-i18n.ts";
import { filesOf } from "./locale-files.ts";
import { COMMON_NAMESPACES, toLocale, type Locale } from "./locale.ts";

/** What a route exports as `handle`: the namespaces of its texts. */
type TranslationHandle = { i18n: readonly string[] };

// Without the texts of embeds, storefronts and mails, which are not read by i18next.
const FILES = import.meta.glob<ResourceKey>(
  [
    "../../locales/*/**/*.json",
    "!../../locales/*/embeds/**",
    "!../../locales/storefront/**",
    "!**/mails.json",
  ],
  { import: "default" },
);

const load = async (locale: Locale, namespaces: readonly string[]) => {
  const files = filesOf(locale, FILES);
  return Promise.all(
    [...new Set(namespaces)].map(
      async (namespace) => [namespace, (await files[namespace]?.()) ?? {}] as const,
    ),
  );
};

let instance: i18n | undefined;

/** The browser's instance, with the texts of the page that the server rendered. */
export async function openTranslations(): Promise<i18n> {
  const locale = toLocale(document.documentElement.lang);
  const ofRoutes = Object.values(window.__remixRouteModules).flatMap(
    (route) => (route?.handle as TranslationHandle | undefined)?.i18n ?? [],
  );
  const texts = await load(locale, [...COMMON_NAMESPACES, ...ofRoutes]);
  instance = await createI18n(locale, Object.fromEntries(texts));
  return instance;
}

async function addTranslations(to: i18n, namespaces: readonly string[]): Promise<void> {
  const locale = toLocale(to.language);
  const missing = namespaces.filter((namespace) => !to.hasResourceBundle(locale, namespace));
  for (const [namespace, texts] of await load(locale, missing))
    to.addResourceBundle(locale, namespace, texts);
}

const showLost = () => instance && showErrorToast(instance.t("frame:problems.offline.title"));

/** The `clientLoader` of a screen: loads its texts in parallel with its data. */
export const withTranslations =
  ({ i18n: namespaces }: TranslationHandle): ClientLoaderFunction =>
  async ({ request, serverLoader }) => {
    const [answer] = await Promise.allSettled([
      loadOrKeep(serverLoader, request, showLost),
      instance && addTranslations(instance, namespaces),
    ]);
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  };

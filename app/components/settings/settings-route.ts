// What the routes of the settings' forms share.
import { withTranslations } from "../i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../frame/screen-error.tsx";
export { screenHeaders as headers } from "../frame/screen-headers.ts";

export const handle = { i18n: ["settings", "failures"] };
export const clientLoader = withTranslations(handle);

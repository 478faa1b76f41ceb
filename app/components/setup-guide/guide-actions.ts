// The actions of the setup guide's buttons.
import type { GuideResult } from "../../domain/merchant/setup-guide/run-step.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";

export type GuideActions = ReturnType<typeof useGuideActions>;

export function useGuideActions(action: string) {
  return {
    check_scripts: useScreenAction<GuideResult>("check_scripts", { action }),
    init_tags: useScreenAction<GuideResult>("init_tags", { action }),
    start_sync: useScreenAction<GuideResult>("start_sync", { action }),
    check_embed: useScreenAction<GuideResult>("check_embed", { action }),
    confirm_embed: useScreenAction<GuideResult>("confirm_embed", { action }),
    report_embed: useScreenAction<GuideResult>("report_embed", { action }),
  };
}

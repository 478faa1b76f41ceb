import type { HistoricTime } from "../../runtime/historic-time.ts";

/** What the consent log keeps about the browser of a decision. */
export type Visit = {
  userAgent: string | null;
  /** The browser sent Global Privacy Control. */
  gpc: boolean;
  /** Set only for the history of the demo store. */
  at?: HistoricTime;
};

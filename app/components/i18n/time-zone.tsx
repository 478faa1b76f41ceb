// The time zone of the merchant's screens: the store's own, as its admin shows times.
import { createContext, useContext, type ReactNode } from "react";

/** Null: the store's zone is not known, and times are in UTC and say so. */
const TimeZone = createContext<string | null>(null);

export function TimeZoneProvider({ zone, children }: { zone: string | null; children: ReactNode }) {
  return <TimeZone.Provider value={zone}>{children}</TimeZone.Provider>;
}

export const useTimeZone = (): string | null => useContext(TimeZone);

import { useEffect, useState, type ReactNode } from "react";

/** Disables input until the page is hydrated: earlier input would be shown and never saved. */
export function HydrationGate({ children }: { children: ReactNode }) {
  const [isUsable, setIsUsable] = useState(false);
  useEffect(() => setIsUsable(true), []);
  return (
    <fieldset disabled={!isUsable} style={{ display: "contents" }}>
      {children}
    </fieldset>
  );
}

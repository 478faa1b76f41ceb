import { useEffect, useState, type ReactNode } from "react";

/** What is typed before the page's script has come would be shown and never saved: until then nothing can be typed. */
export function OnceUsable({ children }: { children: ReactNode }) {
  const [isUsable, setIsUsable] = useState(false);
  useEffect(() => setIsUsable(true), []);
  return (
    <fieldset disabled={!isUsable} style={{ display: "contents" }}>
      {children}
    </fieldset>
  );
}

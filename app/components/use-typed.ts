import { useEffect, useRef, useState } from "react";

const TYPING_MS = 300;

/** A search field: what is typed is shown at once and looked for when the fingers rest. `shown`: what the list is searched for. */
export function useTyped(
  shown: string,
  search: (text: string | undefined) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  });
  // Going back in the browser changes the field; the answer to what was typed before takes nothing away that is typed now.
  useEffect(() => {
    if (timer.current === undefined) setTyped((now) => (now.trim() === shown ? now : shown));
  }, [shown]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    const rested = () => {
      timer.current = undefined;
      latest.current(text.trim() || undefined);
    };
    timer.current = setTimeout(rested, text === "" ? 0 : TYPING_MS);
  };
  return [typed, type];
}

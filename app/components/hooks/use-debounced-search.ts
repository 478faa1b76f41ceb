import { useEffect, useRef, useState } from "react";

const TYPING_MS = 300;

/** A debounced search field. `shown`: the search of the current list. */
export function useDebouncedSearch(
  shown: string,
  search: (text: string | undefined) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  });
  // Back in the browser changes the field; the result of an earlier search does not overwrite newer
  // input.
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

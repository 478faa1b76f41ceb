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
  /** Searches that were sent and whose list has not arrived. */
  const sent = useRef<string[]>([]);
  // Back in the browser changes the field; the result of an earlier search does not overwrite newer
  // input, neither while it waits to be sent nor while its own result is on the way.
  useEffect(() => {
    if (timer.current !== undefined) return;
    const at = sent.current.lastIndexOf(shown);
    if (at >= 0 && at < sent.current.length - 1) return;
    sent.current = [];
    setTyped((now) => (now.trim() === shown ? now : shown));
  }, [shown]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    const rested = () => {
      timer.current = undefined;
      sent.current.push(text.trim());
      latest.current(text.trim() || undefined);
    };
    timer.current = setTimeout(rested, text === "" ? 0 : TYPING_MS);
  };
  return [typed, type];
}

import { useRef, useState } from "react";

/**
 * The question that a screen's dialog asks. Each has a dialog of its own (`key`), and `close` ends only the
 * question it was made for: the dialog before may report its end after the next question was asked.
 */
export function useQuestion<Question>(): {
  question: Question | null;
  key: number;
  ask(question: Question): void;
  close(): void;
} {
  const count = useRef(0);
  const [asked, setAsked] = useState<{ question: Question; key: number } | null>(null);
  return {
    question: asked?.question ?? null,
    key: asked?.key ?? 0,
    ask(question) {
      count.current += 1;
      setAsked({ question, key: count.current });
    },
    close: () => setAsked((current) => (current?.key === asked?.key ? null : current)),
  };
}

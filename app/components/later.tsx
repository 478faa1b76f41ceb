// What comes later than the page: an answer that is still on its way, and a part whose script is loaded when it is needed.
// React gives up a boundary that it has not taken over yet as soon as anything around it changes, and complains (its error
// #421). The design system changes around every page when it is mounted, so there is no such boundary: what comes later
// begins in the browser, and the page as it arrives holds its place. `tests/architecture.test.ts` keeps boundaries here.
import { Await } from "@remix-run/react";
import { lazy, Suspense, useEffect, useState, type ComponentType, type ReactNode } from "react";

type LaterProps<Answer> = {
  answer: Promise<Answer>;
  waiting: ReactNode;
  children: (answer: Answer) => ReactNode;
};

/** `answer` never rejects; `waiting` takes the room that it will need. */
export function Later<Answer>({ answer, waiting, children }: LaterProps<Answer>) {
  return (
    <InBrowser waiting={waiting}>
      <Await resolve={answer}>{(known) => children(known)}</Await>
    </InBrowser>
  );
}

/** A part that few visits need, as its file's default. */
export function loadedLater<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  const Part = lazy(load) as unknown as ComponentType<Props>;
  return (props) => (
    <InBrowser waiting={null}>
      <Part {...props} />
    </InBrowser>
  );
}

function InBrowser({ waiting, children }: { waiting: ReactNode; children: ReactNode }) {
  const [isMounted, setIsMounted] = useState(false);
  useEffect(() => setIsMounted(true), []);
  return isMounted ? <Suspense fallback={waiting}>{children}</Suspense> : waiting;
}

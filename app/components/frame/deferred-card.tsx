// Cards that load after the page: deferred data, and components whose script is loaded on demand.
// React discards a boundary that is not hydrated yet as soon as its surroundings change, and
// reports error #421. The design system changes the surroundings of every page when it mounts, so
// there is no such boundary: the content renders in the browser, and the server's page reserves its
// height. `tests/architecture.test.ts` allows boundaries here only.
import { Await, useRevalidator } from "@remix-run/react";
import { Button, InlineStack, Text } from "@shopify/polaris";
import { useTranslation } from "react-i18next";
import { lazy, Suspense, useEffect, useState, type ComponentType, type ReactNode } from "react";

type LaterProps<Answer> = {
  answer: Promise<Answer>;
  waiting: ReactNode;
  children: (answer: Answer) => ReactNode;
};

/** `waiting` reserves the height. An answer that fails, or comes too late, leaves the rest of the page as it is. */
export function DeferredCard<Answer>({ answer, waiting, children }: LaterProps<Answer>) {
  return (
    <InBrowser waiting={waiting}>
      <Await resolve={answer} errorElement={<PartFailed />}>
        {(known) => children(known)}
      </Await>
    </InBrowser>
  );
}

function PartFailed() {
  const { t } = useTranslation("frame");
  const { revalidate, state } = useRevalidator();
  return (
    <InlineStack gap="200">
      <Text as="p" tone="critical">
        {t("partFailed")}
      </Text>
      <Button variant="plain" onClick={revalidate} loading={state === "loading"}>
        {t("tryAgain")}
      </Button>
    </InlineStack>
  );
}

/**
 * A component with a script of its own, the default export of its file. `waiting` reserves the
 * height of one that the page shows from its beginning.
 */
export function clientLazy<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  waiting: (props: Props) => ReactNode = () => null,
): ComponentType<Props> {
  const Part = lazy(load) as unknown as ComponentType<Props>;
  return (props) => (
    <InBrowser waiting={waiting(props)}>
      <Part {...props} />
    </InBrowser>
  );
}

function InBrowser({ waiting, children }: { waiting: ReactNode; children: ReactNode }) {
  const [isMounted, setIsMounted] = useState(false);
  useEffect(() => setIsMounted(true), []);
  return isMounted ? <Suspense fallback={waiting}>{children}</Suspense> : waiting;
}

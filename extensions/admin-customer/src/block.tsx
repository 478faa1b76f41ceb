import "@shopify/ui-extensions/preact";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { readCustomer, type Answer } from "./customer.ts";
import { platform } from "./platform.ts";
import { Summary } from "./summary.tsx";
import { text } from "./texts.ts";

export default async () => render(<Block />, document.body);

function Block() {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [attempt, setAttempt] = useState(0);
  const id = platform.data.selected[0]?.id ?? "";
  useEffect(() => {
    let isCurrent = true;
    setAnswer(null);
    void readCustomer(id).then((read) => isCurrent && setAnswer(read));
    return () => {
      isCurrent = false;
    };
  }, [id, attempt]);
  return (
    <s-admin-block heading={text("name")} collapsedSummary={collapsedSummary(answer)}>
      <Content answer={answer} onRetry={() => setAttempt(attempt + 1)} />
    </s-admin-block>
  );
}

function collapsedSummary(answer: Answer | null): string {
  if (answer?.outcome !== "found") return "";
  const { consents } = answer.customer;
  const granted = consents.filter(({ state }) => state === "granted").length;
  return text("summary", { granted, all: consents.length });
}

type Props = { answer: Answer | null; onRetry: () => void };

function Content({ answer, onRetry }: Props) {
  if (answer === null) return <s-spinner accessibilityLabel={text("loading")} />;
  if (answer.outcome === "found") return <Summary customer={answer.customer} />;
  if (answer.outcome === "unknown") return <s-paragraph>{text("unknown")}</s-paragraph>;
  return (
    <s-stack gap="base">
      <s-banner tone="critical">{text(answer.outcome)}</s-banner>
      <s-button onClick={onRetry}>{text("retry")}</s-button>
    </s-stack>
  );
}

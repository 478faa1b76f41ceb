import { platform, text } from "./platform.ts";
import { isOpen, type Run } from "./service.ts";

export function Progress({ run, tag }: { run: Run; tag: string }) {
  if (run.state === "failed") return <s-banner tone="critical">{text("failed")}</s-banner>;
  if (run.state === "cancelled")
    return <s-banner tone="info">{text("cancelled", { count: run.changed })}</s-banner>;
  if (run.state === "done") return <Result run={run} tag={tag} />;
  const number = (value: number) => platform.i18n.formatNumber(value);
  return (
    <s-stack gap="small-200">
      <s-stack direction="inline" gap="small-200" alignItems="center">
        <s-spinner accessibilityLabel={text("loading")} />
        <s-text>
          {run.processed === 0
            ? text("reading")
            : text("progress", { done: number(run.processed), total: number(run.total) })}
        </s-text>
      </s-stack>
      {isOpen(run) && <s-paragraph color="subdued">{text("background")}</s-paragraph>}
    </s-stack>
  );
}

function Result({ run: { processed, changed, refused, unknown }, tag }: { run: Run; tag: string }) {
  const had = processed - changed - refused;
  return (
    <s-stack gap="small-200">
      <s-banner tone="success">{text("done", { count: changed, tag })}</s-banner>
      {had > 0 && <s-paragraph>{text("had", { count: had })}</s-paragraph>}
      {refused > 0 && <s-paragraph>{text("refused", { count: refused })}</s-paragraph>}
      {unknown > 0 && <s-paragraph>{text("unknown", { count: unknown })}</s-paragraph>}
    </s-stack>
  );
}

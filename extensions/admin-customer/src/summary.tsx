import type { ComponentChildren } from "preact";
import type { Customer } from "./customer.ts";
import { eventText, nameOf, text, when } from "./texts.ts";

type Tone = "success" | "critical" | "warning" | "neutral";
const CONSENT_TONES: Record<string, Tone> = { granted: "success", withdrawn: "warning" };
const SYSTEM_TONES: Record<string, Tone> = {
  delivered: "success",
  waiting: "warning",
  dead: "critical",
};

export function Summary({ customer }: { customer: Customer }) {
  const { status, consents, tags, store_tags: storeTags, systems, events, url } = customer;
  const zone = customer.time_zone;
  return (
    <s-stack gap="base">
      {status === "suspended" && <s-banner tone="warning">{text("suspended")}</s-banner>}
      <s-grid gridTemplateColumns="repeat(auto-fit, minmax(240px, 1fr))" gap="base">
        <Part title={text("consents")}>
          {consents.map(({ type, state }) => (
            <Row key={type} name={nameOf("consent", type)}>
              <s-badge tone={CONSENT_TONES[state] ?? "neutral"}>
                {nameOf("decisions", state)}
              </s-badge>
            </Row>
          ))}
        </Part>
        <s-stack gap="base">
          <Part title={text("tags")}>
            <Tags names={tags.map(({ name }) => name)} />
          </Part>
          {storeTags.length > 0 && (
            <Part title={text("storeTags")}>
              <Tags names={storeTags} />
            </Part>
          )}
        </s-stack>
        <Part title={text("systems")}>
          {systems.length === 0 && <s-text color="subdued">{text("noSystems")}</s-text>}
          {systems.map(({ channel, status: state, at }) => (
            <Row key={channel} name={nameOf("channels", channel)} note={at && when(at, zone)}>
              <s-badge tone={SYSTEM_TONES[state] ?? "neutral"}>{nameOf("states", state)}</s-badge>
            </Row>
          ))}
        </Part>
        <Part title={text("events")}>
          {events.length === 0 && <s-text color="subdued">{text("noEvents")}</s-text>}
          {events.map((event, place) => (
            <s-stack key={place}>
              <s-text>{eventText(event)}</s-text>
              <s-text color="subdued">{when(event.at, zone)}</s-text>
            </s-stack>
          ))}
        </Part>
      </s-grid>
      <s-link href={url} target="_blank">
        {text("open")}
      </s-link>
    </s-stack>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <s-stack gap="small-200">
      <s-heading>{title}</s-heading>
      {children}
    </s-stack>
  );
}

type RowProps = { name: string; note?: string | null; children: ComponentChildren };

function Row({ name, note = null, children }: RowProps) {
  return (
    <s-stack direction="inline" gap="small-200" justifyContent="space-between" alignItems="center">
      <s-stack>
        <s-text>{name}</s-text>
        {note !== null && <s-text color="subdued">{note}</s-text>}
      </s-stack>
      {children}
    </s-stack>
  );
}

function Tags({ names }: { names: string[] }) {
  if (names.length === 0) return <s-text color="subdued">{text("noTags")}</s-text>;
  return (
    <s-stack direction="inline" gap="small-200">
      {names.map((name) => (
        <s-badge key={name}>{name}</s-badge>
      ))}
    </s-stack>
  );
}

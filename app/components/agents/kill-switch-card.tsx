import { Banner, BlockStack, Card, Text } from "@shopify/polaris";
import { AGENT_WORDS } from "./agent-words.ts";
import { CardHeading } from "../card-heading.tsx";
import { ConfirmButton } from "../confirm-button.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";

/** One press, one question, and the effect is there with the next call of any agent. */
export function KillSwitchCard({ name, isOn }: { name: "access" | "payments"; isOn: boolean }) {
  const { states, ...words } = useWords(AGENT_WORDS);
  const text = words[name];
  const { run, isBusy, refused } = useDeed({ onDone: () => text.done });
  const problem = useRefusal(refused);
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading
          title={text.title}
          status={{ tone: isOn ? "success" : "warning", text: isOn ? states.on : states.off }}
        >
          <ConfirmButton
            label={isOn ? text.turnOff : text.turnOn}
            title={isOn ? text.offTitle : text.onTitle}
            confirm={isOn ? text.confirmOff : text.confirmOn}
            isDestructive={isOn}
            isBusy={isBusy}
            onConfirm={() => run("switch", { name, is_on: !isOn })}
          >
            <Text as="p">{isOn ? text.offText : text.onText}</Text>
          </ConfirmButton>
        </CardHeading>
        <Text as="p">{isOn ? text.on : text.off}</Text>
        {problem && (
          <Banner tone="critical">
            <p>{problem}</p>
          </Banner>
        )}
      </BlockStack>
    </Card>
  );
}

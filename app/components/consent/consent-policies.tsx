import {
  Badge,
  Banner,
  BlockStack,
  Button,
  Card,
  Checkbox,
  EmptyState,
  FormLayout,
  IndexTable,
  InlineStack,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import { useState } from "react";
import { CardHeading } from "../card-heading.tsx";
import { CONSENT_WORDS } from "./consent-words.ts";
import { Moment } from "../moment.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useLocale, useWords } from "../words.tsx";

type Policy = { version: string; locale: string; sha256: string; effective_from: string };

export function PolicyList({
  policies,
  current,
}: {
  policies: readonly Policy[];
  current: string | null;
}) {
  const words = useWords(CONSENT_WORDS).policy;
  if (policies.length === 0)
    return (
      <Card>
        <EmptyState heading={words.empty.title} image="">
          <p>{words.empty.text}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <IndexTable
        selectable={false}
        itemCount={policies.length}
        resourceName={{ singular: words.version, plural: words.version }}
        headings={[
          { title: words.version },
          { title: words.language },
          { title: words.since },
          { title: words.fingerprint },
        ]}
      >
        {policies.map((policy, at) => (
          <IndexTable.Row
            key={`${policy.version}/${policy.locale}`}
            id={`${policy.version}/${policy.locale}`}
            position={at}
          >
            <IndexTable.Cell>
              <InlineStack gap="200">
                {policy.version}
                {policy.version === current && <Badge tone="success">{words.current}</Badge>}
              </InlineStack>
            </IndexTable.Cell>
            <IndexTable.Cell>{policy.locale}</IndexTable.Cell>
            <IndexTable.Cell>
              <Moment at={policy.effective_from} />
            </IndexTable.Cell>
            <IndexTable.Cell>
              <code title={policy.sha256}>{policy.sha256.slice(0, 12)}</code>
            </IndexTable.Cell>
          </IndexTable.Row>
        ))}
      </IndexTable>
    </Card>
  );
}

export function PolicyForm() {
  const words = useWords(CONSENT_WORDS).policy;
  const locale = useLocale();
  const empty = { version: "", locale: locale as string, body: "" };
  const [values, setValues] = useState(empty);
  const [isCurrent, setIsCurrent] = useState(true);
  const { run, isBusy, refused } = useDeed({
    onDone() {
      setValues(empty);
      return words.published;
    },
  });
  const general = useRefusal(refused);
  const set = (name: keyof typeof empty) => (value: string) =>
    setValues((known) => ({ ...known, [name]: value }));
  const wrong = (name: keyof typeof empty) =>
    refused && Object.hasOwn(refused.fields, name) ? words.wrong[name] : undefined;
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.add} />
        <Text as="p" tone="subdued">
          {words.intro}
        </Text>
        {refused && (
          <Banner tone="critical">
            <p>{refused.code === "conflict" ? words.conflict : general}</p>
          </Banner>
        )}
        <FormLayout>
          <FormLayout.Group>
            <TextField
              label={words.version}
              helpText={words.versionHint}
              autoComplete="off"
              maxLength={40}
              value={values.version}
              onChange={set("version")}
              error={wrong("version")}
            />
            <Select
              label={words.language}
              options={Object.entries(words.languages).map(([value, label]) => ({ value, label }))}
              value={values.locale}
              onChange={set("locale")}
              error={wrong("locale")}
            />
          </FormLayout.Group>
          <TextField
            label={words.text}
            helpText={words.textHint}
            autoComplete="off"
            multiline={8}
            maxHeight={320}
            value={values.body}
            onChange={set("body")}
            error={wrong("body")}
          />
          <Checkbox label={words.makeCurrent} checked={isCurrent} onChange={setIsCurrent} />
          <Button
            variant="primary"
            loading={isBusy}
            onClick={() => run("publish", { ...values, is_current: isCurrent })}
          >
            {words.publish}
          </Button>
        </FormLayout>
      </BlockStack>
    </Card>
  );
}

import {
  Box,
  BlockStack,
  Button,
  ChoiceList,
  FormLayout,
  InlineStack,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import { EVENT_WORDS } from "./event-words.ts";
import { useWords } from "../words.tsx";

export type Route = {
  event_type: string;
  channels: readonly string[];
  priority?: number | undefined;
};

const PRIORITIES = [1, 2, 3, 4, 5] as const;
const PATTERN = /^[a-z0-9_.*]{1,80}$/;

type Props = {
  place: number;
  route: Route;
  choices: { value: string; label: string }[];
  onChange(route: Route): void;
  onRemove(): void;
};

export function RouteFields({ place, route, choices, onChange, onRemove }: Props) {
  const words = useWords(EVENT_WORDS).edit;
  const isWrong = route.event_type !== "" && !PATTERN.test(route.event_type);
  const setPriority = (value: string) => {
    const { priority: _before, ...rest } = route;
    onChange(value === "" ? rest : { ...rest, priority: Number(value) });
  };
  return (
    <Box padding="400" borderWidth="025" borderColor="border" borderRadius="200">
      <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <legend style={{ position: "absolute", width: 1, height: 1, overflow: "hidden" }}>
          {words.route(place)}
        </legend>
        <BlockStack gap="300">
          <InlineStack align="space-between" blockAlign="center">
            <Text as="h3" variant="headingSm">
              {words.route(place)}
            </Text>
            <Button
              variant="plain"
              tone="critical"
              accessibilityLabel={words.remove(place)}
              onClick={onRemove}
            >
              {words.remove(place)}
            </Button>
          </InlineStack>
          <FormLayout>
            <FormLayout.Group>
              <TextField
                label={words.pattern}
                helpText={words.patternHint}
                autoComplete="off"
                maxLength={80}
                value={route.event_type}
                onChange={(event_type) => onChange({ ...route, event_type })}
                error={isWrong ? words.wrongRoutes : undefined}
              />
              <Select
                label={words.priority}
                options={[
                  { value: "", label: words.usual },
                  ...PRIORITIES.map((value) => ({
                    value: String(value),
                    label: words.priorities[value],
                  })),
                ]}
                value={String(route.priority ?? "")}
                onChange={setPriority}
              />
            </FormLayout.Group>
            <ChoiceList
              allowMultiple
              title={words.channels}
              choices={choices}
              selected={[...route.channels]}
              onChange={(channels) => onChange({ ...route, channels })}
            />
          </FormLayout>
        </BlockStack>
      </fieldset>
    </Box>
  );
}

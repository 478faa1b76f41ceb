import { useTranslation } from "react-i18next";
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
  const { t } = useTranslation("events");
  const isWrong = route.event_type !== "" && !PATTERN.test(route.event_type);
  const setPriority = (value: string) => {
    const { priority: _before, ...rest } = route;
    onChange(value === "" ? rest : { ...rest, priority: Number(value) });
  };
  return (
    <Box padding="400" borderWidth="025" borderColor="border" borderRadius="200">
      <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <legend style={{ position: "absolute", width: 1, height: 1, overflow: "hidden" }}>
          {t("edit.route", { place })}
        </legend>
        <BlockStack gap="300">
          <InlineStack align="space-between" blockAlign="center">
            <Text as="h3" variant="headingSm">
              {t("edit.route", { place })}
            </Text>
            <Button
              variant="plain"
              tone="critical"
              accessibilityLabel={t("edit.remove", { place })}
              onClick={onRemove}
            >
              {t("edit.remove", { place })}
            </Button>
          </InlineStack>
          <FormLayout>
            <FormLayout.Group>
              <TextField
                label={t("edit.pattern")}
                helpText={t("edit.patternHint")}
                autoComplete="off"
                maxLength={80}
                value={route.event_type}
                onChange={(event_type) => onChange({ ...route, event_type })}
                error={isWrong ? t("edit.wrongRoutes") : undefined}
              />
              <Select
                label={t("edit.priority")}
                options={[
                  { value: "", label: t("edit.usual") },
                  ...PRIORITIES.map((value) => ({
                    value: String(value),
                    label: t(`edit.priorities.${value}`),
                  })),
                ]}
                value={String(route.priority ?? "")}
                onChange={setPriority}
              />
            </FormLayout.Group>
            <ChoiceList
              allowMultiple
              title={t("edit.channels")}
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

// Rules for single countries, or parts of one, which come before those of their group.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  BlockStack,
  Box,
  Button,
  Card,
  InlineStack,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import type { ConsentRegions, RegionMode } from "../../domain/tenants/consent-regions.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { useModeOptions, useRegionNames } from "./region-texts.ts";

type Exception = ConsentRegions["exceptions"][number];
type Props = { exceptions: Exception[]; onChange(exceptions: Exception[]): void };

const REGION = /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/;

export function Exceptions({ exceptions, onChange }: Props) {
  const { t } = useTranslation("regions");
  const options = useModeOptions();
  const namesOf = useRegionNames();
  const labelOf = (mode: RegionMode) => options.find(({ value }) => value === mode)?.label ?? mode;
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("exceptions.title")} />
        <Text as="p">{t("exceptions.text")}</Text>
        {exceptions.map(({ region, mode }) => (
          <InlineStack key={region} gap="300" align="space-between" blockAlign="center">
            <Text as="p">
              {t("exceptions.line", { region: namesOf([region]), mode: labelOf(mode) })}
            </Text>
            <Button
              variant="plain"
              tone="critical"
              accessibilityLabel={t("exceptions.removeOf", { region: namesOf([region]) })}
              onClick={() => onChange(exceptions.filter((one) => one.region !== region))}
            >
              {t("exceptions.remove")}
            </Button>
          </InlineStack>
        ))}
        <NewException
          taken={exceptions.map(({ region }) => region)}
          onAdd={(added) => onChange([...exceptions, added])}
        />
      </BlockStack>
    </Card>
  );
}

function NewException({ taken, onAdd }: { taken: string[]; onAdd(added: Exception): void }) {
  const { t } = useTranslation("regions");
  const options = useModeOptions();
  const [text, setText] = useState("");
  const [mode, setMode] = useState<RegionMode>("opt_in");
  const [problem, setProblem] = useState<"shape" | "taken" | null>(null);
  const add = () => {
    const region = text.trim().toUpperCase();
    if (!REGION.test(region)) return setProblem("shape");
    if (taken.includes(region)) return setProblem("taken");
    setProblem(null);
    onAdd({ region, mode });
    setText("");
  };
  return (
    <InlineStack gap="300" blockAlign="start">
      <TextField
        label={t("exceptions.region")}
        helpText={t("exceptions.regionHelp")}
        value={text}
        onChange={setText}
        maxLength={6}
        autoComplete="off"
        error={problem ? t(`exceptions.${problem}`) : undefined}
      />
      <Select
        label={t("exceptions.mode")}
        helpText={t("exceptions.modeHelp")}
        options={options}
        value={mode}
        onChange={(chosen) => setMode(chosen as RegionMode)}
      />
      {/* Beside the fields, which have a label above and a help text below. */}
      <Box paddingBlockStart={{ sm: "600" }}>
        <Button onClick={add}>{t("exceptions.add")}</Button>
      </Box>
    </InlineStack>
  );
}

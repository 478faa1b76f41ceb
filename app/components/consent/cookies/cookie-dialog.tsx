// Adds a row to the list of cookies, or changes one.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, FormLayout, Select, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import type { ListedCookie } from "../../../domain/cookie-list/cookie-list.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.ts";
import { useCookieWords } from "./use-cookie-words.ts";

/** Null: a new row. */
export type CookieQuestion = { cookie: ListedCookie | null };
type Props = CookieQuestion & { brand: string; onClose(): void };

const LENGTHS = { name: 100, provider: 80, use: 300, duration: 60 } as const;

/** The texts that this dialog opened with: the server refuses to replace newer ones of somebody else. */
const wordsSeen = (cookie: ListedCookie | null) =>
  cookie?.text.by === "merchant"
    ? { purpose: cookie.purpose, use: cookie.text.use, duration: cookie.text.duration }
    : null;

export function CookieDialog({ cookie, brand, onClose }: Props) {
  const { t } = useTranslation("cookie-list");
  const words = useCookieWords();
  const [values, setValues] = useState(() => ({
    name: cookie?.name ?? "",
    provider: cookie?.provider ?? "",
    purpose: cookie?.purpose ?? "marketing",
    ...(cookie ? words(cookie) : { use: "", duration: "" }),
  }));
  const { submit, isBusy, error } = useScreenAction("save", {
    onSuccess() {
      onClose();
      showToast(t("saved"));
    },
  });
  const isKnown = cookie?.origin === "known";
  const set = (name: keyof typeof values) => (value: string) =>
    setValues((now) => ({ ...now, [name]: value }));
  const wrong = (name: keyof typeof LENGTHS) =>
    error?.fields && Object.hasOwn(error.fields, name)
      ? t(error.code === "conflict" ? "wrong.exists" : `wrong.${name}`)
      : undefined;
  const field = (name: keyof typeof LENGTHS, isFixed = false) => (
    <TextField
      label={t(`columns.${name}`)}
      autoComplete="off"
      maxLength={LENGTHS[name]}
      value={values[name]}
      onChange={set(name)}
      error={wrong(name)}
      disabled={isFixed}
      {...(name === "provider" && { helpText: t("providerHint", { brand }) })}
      {...(name === "duration" && { helpText: t("durationHint") })}
    />
  );
  const isEmpty = [values.name, values.use, values.duration].some((text) => text.trim() === "");
  const { name, provider, purpose, use, duration } = values;
  return (
    <Dialog
      title={cookie ? t("editTitle", { name: cookie.name }) : t("add")}
      onClose={onClose}
      primaryAction={{
        content: t("save"),
        onAction: () =>
          submit({
            name,
            provider,
            purpose,
            use,
            duration,
            was: cookie && { name: cookie.name, provider: cookie.provider },
            seen: wordsSeen(cookie),
          }),
        loading: isBusy,
        disabled: isEmpty,
      }}
      secondaryAction={{ content: t("cancel"), onAction: onClose }}
    >
      <BlockStack gap="400">
        {error && !error.fields && (
          <Banner tone="critical">
            <p>{error.message}</p>
          </Banner>
        )}
        <Text as="p" tone="subdued">
          {t("language")}
        </Text>
        <FormLayout>
          {field("name", isKnown)}
          {field("provider", isKnown)}
          <Select
            label={t("purpose")}
            options={Object.entries(t("purposes", { returnObjects: true })).map(
              ([value, label]) => ({ value, label }),
            )}
            value={values.purpose}
            onChange={set("purpose")}
          />
          {field("use")}
          {field("duration")}
        </FormLayout>
      </BlockStack>
    </Dialog>
  );
}

// Every mail of the store with sample data, as its recipients see it, and a test to an address that
// the merchant types.
import { useTranslation } from "react-i18next";
import {
  BlockStack,
  Button,
  Card,
  InlineGrid,
  InlineStack,
  Link,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import { useEffect, useState } from "react";
import type { MailSamples } from "../../domain/merchant/mail-samples.ts";
import type { RenderedMail } from "../../domain/mails/render-mail.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { PREVIEW_FRAME } from "./preview-frame.ts";

const PATH = "/app/settings/mails";
/** Each language is named in itself. */
const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "es", label: "Español" },
  { value: "fr", label: "Français" },
];

type Chosen = { template: string; locale: string; scheme: string };

export default function MailsCard({ samples }: { samples: MailSamples }) {
  const { t } = useTranslation("settings");
  const [chosen, setChosen] = useState<Chosen>({
    template: samples.templates[0] ?? "",
    locale: samples.locale,
    scheme: "light",
  });
  const choose = (part: keyof Chosen) => (value: string) =>
    setChosen((before) => ({ ...before, [part]: value }));
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <CardHeading title={t("mails.title")} />
          <Text as="p" tone="subdued">
            {t("mails.text")} <Link url="/app/settings/brand">{t("mails.brand")}</Link>
          </Text>
        </BlockStack>
        <InlineGrid columns={{ xs: 1, md: 3 }} gap="400">
          <Select
            label={t("mails.mail")}
            options={samples.templates.map((value) => ({
              value,
              label: t(`mails.names.${value}`),
            }))}
            value={chosen.template}
            onChange={choose("template")}
          />
          <Select
            label={t("mails.language")}
            options={LANGUAGES}
            value={chosen.locale}
            onChange={choose("locale")}
          />
          <Select
            label={t("mails.scheme")}
            options={[
              { value: "light", label: t("mails.schemes.light") },
              { value: "dark", label: t("mails.schemes.dark") },
            ]}
            value={chosen.scheme}
            onChange={choose("scheme")}
          />
        </InlineGrid>
        <Preview chosen={chosen} />
        {samples.isSendable ? (
          <SendTest chosen={chosen} />
        ) : (
          <Text as="p">
            {t("mails.notReady")}{" "}
            <Link url="/app/settings/integrations/email">{t("mails.connect")}</Link>
          </Text>
        )}
      </BlockStack>
    </Card>
  );
}

function Preview({ chosen }: { chosen: Chosen }) {
  const { t } = useTranslation("settings");
  const mail = useSample(chosen);
  if (mail === "failed") return <Text as="p">{t("mails.failed")}</Text>;
  return (
    <BlockStack gap="200">
      <div aria-live="polite">
        <Text as="p" breakWord>
          {mail ? t("mails.subject", { subject: mail.subject }) : t("mails.loading")}
        </Text>
      </div>
      {/* Without scripts, forms and navigation: it is only looked at. */}
      <iframe
        title={t("mails.preview")}
        sandbox=""
        srcDoc={mail?.html ?? ""}
        style={PREVIEW_FRAME}
      />
    </BlockStack>
  );
}

/** The last mail stays while the next one loads. Not with a fetcher: a failed one replaces the page. */
function useSample({ template, locale, scheme }: Chosen): RenderedMail | "failed" | null {
  const [mail, setMail] = useState<RenderedMail | "failed" | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const read = async () => {
      const query = new URLSearchParams({ template, locale, scheme });
      const answer = await fetch(`${PATH}?${query}`, { signal: leaving.signal });
      return answer.ok ? ((await answer.json()) as RenderedMail) : "failed";
    };
    void read()
      .catch(() => "failed" as const)
      .then((found) => {
        if (!leaving.signal.aborted) setMail(found);
      });
    return () => leaving.abort();
  }, [template, locale, scheme]);
  return mail;
}

function SendTest({ chosen: { template, locale } }: { chosen: Chosen }) {
  const { t } = useTranslation("settings");
  const [to, setTo] = useState("");
  const {
    submit,
    isBusy,
    data: sent,
    error,
  } = useScreenAction<{ to: string }>("send", { action: PATH });
  const problem = error && (error.code === "invalid_request" ? t("mails.invalid") : error.message);
  return (
    <BlockStack gap="200">
      <InlineStack gap="200" blockAlign="end">
        <TextField
          label={t("mails.address")}
          type="email"
          autoComplete="email"
          maxLength={254}
          value={to}
          onChange={setTo}
        />
        <Button
          loading={isBusy}
          disabled={to.trim() === ""}
          onClick={() => submit({ to: to.trim(), template, locale })}
        >
          {t("mails.send")}
        </Button>
      </InlineStack>
      <div aria-live="polite">
        {problem && (
          <Text as="p" tone="critical">
            {problem}
          </Text>
        )}
        {sent && (
          <Text as="p" tone="success" breakWord>
            {t("mails.sent", { to: sent.to })}
          </Text>
        )}
      </div>
      <Text as="p" tone="subdued">
        {t("mails.hint")}
      </Text>
    </BlockStack>
  );
}

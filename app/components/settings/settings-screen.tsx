// Every setting of a store on one page, for an operator outside the store admin.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, InlineGrid, InlineStack, Link, Text } from "@shopify/polaris";
import type { ComponentType } from "react";
import type { HostsView } from "../../domain/tenants/public-hosts.ts";
import type { FormCard, SettingsForm } from "../../domain/tenants/settings/settings-form.ts";
import { HydrationGate } from "../frame/hydration-gate.tsx";
import { PageGutter } from "../ui/layout.tsx";
import { ConnectionTest } from "./connection-test.tsx";
import { CardIntro, FormFields } from "./form-fields.tsx";
import { FormResult } from "./form-result.tsx";
import { PublicHosts } from "./public-hosts.tsx";
import type { SaveBarProps } from "./save-bar.ts";
import { useSettingsForm, type SettingsFormState } from "./use-settings-form.ts";

type Props = {
  pages: SettingsForm["pages"];
  hosts: HostsView;
  /** Where the form is posted. */
  action: string;
  SaveBar: ComponentType<SaveBarProps>;
};

export function SettingsScreen({ pages, hosts, action, SaveBar }: Props) {
  const { t } = useTranslation("settings");
  const fields = pages.flatMap(({ cards }) => cards.flatMap((card) => card.fields));
  const form = useSettingsForm(fields, { action });
  return (
    <HydrationGate>
      <SaveBar
        isOpen={form.isDirty}
        isBusy={form.isBusy}
        onSave={form.save}
        onDiscard={form.discard}
      />
      <FormResult form={form} fields={fields} />
      <BlockStack gap="400">
        <Contents names={pages.map(({ name }) => name)} />
        {pages.map((page) => (
          <BlockStack key={page.name} gap="400">
            <PageGutter>
              <Text as="h2" variant="headingLg" id={`page-${page.name}`}>
                {t(`pages.${page.name}.title`)}
              </Text>
            </PageGutter>
            {page.cards.map((card) => (
              <FormRow key={card.name} card={card} hosts={hosts} form={form} action={action} />
            ))}
          </BlockStack>
        ))}
      </BlockStack>
    </HydrationGate>
  );
}

/** Links to the parts of the long page. */
function Contents({ names }: { names: SettingsForm["pages"][number]["name"][] }) {
  const { t } = useTranslation("settings");
  return (
    <PageGutter>
      <nav aria-label={t("contents")}>
        <InlineStack gap="300">
          {names.map((name) => (
            <Link key={name} url={`#page-${name}`}>
              {t(`pages.${name}.title`)}
            </Link>
          ))}
        </InlineStack>
      </nav>
    </PageGutter>
  );
}

function FormRow({
  card,
  hosts,
  form,
  action,
}: {
  card: FormCard;
  hosts: HostsView;
  form: SettingsFormState;
  action: string;
}) {
  return (
    <InlineGrid columns={{ xs: 1, md: "1fr 2fr" }} gap="400">
      <PageGutter>
        <CardIntro name={card.name} as="h3" />
      </PageGutter>
      <Card>
        <BlockStack gap="400">
          <FormFields fields={card.fields} form={form} />
          {card.fields.some(({ name }) => name === "public_hosts") && (
            <PublicHosts data={hosts} action={action} />
          )}
          {card.test && (
            <ConnectionTest
              system={card.test}
              action={action}
              isDirty={card.fields.some(({ name }) => name in form.patch)}
            />
          )}
        </BlockStack>
      </Card>
    </InlineGrid>
  );
}

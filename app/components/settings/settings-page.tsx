// A page of the settings inside the store admin: its cards as one form.
import { useTranslation } from "react-i18next";
import { BlockStack, Card } from "@shopify/polaris";
import { Fragment } from "react";
import type { FormField } from "../../domain/tenants/settings/settings-form.ts";
import type { SettingsPageView } from "../../domain/merchant/settings-page.ts";
import { clientLazy } from "../frame/deferred-card.tsx";
import { HydrationGate } from "../frame/hydration-gate.tsx";
import { showToast } from "../ui/toast.ts";
import { ConnectionTest } from "./connection-test.tsx";
import { EmbeddedSaveBar } from "./embedded-save-bar.tsx";
import { CardIntro, FormFields } from "./form-fields.tsx";
import { FormResult } from "./form-result.tsx";
import { LogoUploader } from "./logo-uploader.tsx";
import { PublicHosts } from "./public-hosts.tsx";
import { useSettingsForm } from "./use-settings-form.ts";

/** Each card is on one page only, so the others do not load it. */
const BrandPreviewCard = clientLazy(
  () => import("./brand-preview-card.tsx"),
  () => (
    <Card>
      <div style={{ height: "32.5rem" }} aria-hidden />
    </Card>
  ),
);
const MailsCard = clientLazy(() => import("./mails-card.tsx"));

export function SettingsPage({ shop, cards, hosts, canUploadLogo, mails }: SettingsPageView) {
  const fields = cards.flatMap((card) => card.fields);
  const { t } = useTranslation("settings");
  const form = useSettingsForm(fields, { onSaved: () => showToast(t("saved")) });
  const logo = fields.find(({ name }) => name === "logo_url");
  const uploader = (field: FormField) => (
    <LogoUploader
      shop={shop}
      url={form.draftOf(field) as string}
      isAllowed={canUploadLogo}
      onUploaded={(url) => form.change(field, url)}
    />
  );
  return (
    <HydrationGate>
      <EmbeddedSaveBar
        isOpen={form.isDirty}
        isBusy={form.isBusy}
        onSave={form.save}
        onDiscard={form.discard}
      />
      <FormResult form={{ ...form, isSaved: false }} fields={fields} />
      <BlockStack gap="400">
        {cards.map((card) => (
          <Fragment key={card.name}>
            <Card>
              <BlockStack gap="400">
                <CardIntro name={card.name} as="h2" />
                <FormFields
                  fields={card.fields}
                  form={form}
                  {...(logo && { below: { [logo.name]: uploader(logo) } })}
                />
                {hosts && card.fields.some(({ name }) => name === "public_hosts") && (
                  <PublicHosts data={hosts} />
                )}
                {card.test && (
                  <ConnectionTest
                    system={card.test}
                    isDirty={card.fields.some(({ name }) => name in form.patch)}
                  />
                )}
              </BlockStack>
            </Card>
            {card.name === "look" && <BrandPreviewCard fields={form.patch} />}
          </Fragment>
        ))}
        {mails && <MailsCard samples={mails} />}
      </BlockStack>
    </HydrationGate>
  );
}

// The list of cookies as shoppers read it, and what the merchant changes in it.
import { useTranslation } from "react-i18next";
import {
  Badge,
  Banner,
  BlockStack,
  Box,
  Button,
  Card,
  IndexTable,
  InlineStack,
  Text,
} from "@shopify/polaris";
import { ActionAlert } from "../../frame/action-alert.tsx";
import type { CookieList, ListedCookie } from "../../../domain/cookie-list/cookie-list.ts";
import { ScreenPage } from "../../frame/screen-page.tsx";
import { useQuestion } from "../../hooks/use-question.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { WrappingText } from "../../ui/layout.tsx";
import { ResponsiveRows, RowCell } from "../../ui/responsive-rows.tsx";
import { ConsentSections } from "../consent-sections.tsx";
import { CookieDialog, type CookieQuestion } from "./cookie-dialog.tsx";
import { ResetButton } from "./reset-button.tsx";
import { useCookieWords } from "./use-cookie-words.ts";

type Props = CookieList & {
  /** The name shown for the store itself. */
  brand: string;
  /** The page for shoppers. */
  pageUrl: string;
  /** Where its block is added to a page of the theme. */
  blockUrl: string;
};

export function CookiesScreen({
  cookies,
  checkedAt,
  unknownVendors,
  brand,
  pageUrl,
  blockUrl,
}: Props) {
  const { t } = useTranslation("cookie-list");
  const { question, key, ask, close } = useQuestion<CookieQuestion>();
  const purposes = Object.keys(t("purposes", { returnObjects: true })) as ListedCookie["purpose"][];
  return (
    <>
      <ScreenPage
        title={t("title")}
        nav={<ConsentSections />}
        actions={
          <button variant="primary" onClick={() => ask({ cookie: null })}>
            {t("add")}
          </button>
        }
      >
        <Card>
          <BlockStack gap="300">
            <CardHeading title={t("shown.title")} />
            <Text as="p">{t("shown.text")}</Text>
            <Text as="p" tone="subdued">
              {checkedAt ? (
                <>
                  {t("shown.checked")} <DateTime at={checkedAt} />
                </>
              ) : (
                t("shown.unchecked")
              )}
            </Text>
            <InlineStack gap="200">
              <Button url={pageUrl} target="_blank">
                {t("shown.page")}
              </Button>
              <Button url={blockUrl} target="_blank">
                {t("shown.block")}
              </Button>
              <Button url="/app/consent/storefront">{t("shown.check")}</Button>
            </InlineStack>
          </BlockStack>
        </Card>
        {unknownVendors.length > 0 && (
          <Banner tone="info" title={t("unknown.title")}>
            <p>{t("unknown.text", { vendors: unknownVendors.join(", ") })}</p>
          </Banner>
        )}
        {purposes.map((purpose) => {
          const rows = cookies.filter((cookie) => cookie.purpose === purpose);
          return (
            rows.length > 0 && (
              <Card key={purpose} padding="0">
                <PurposeTable
                  title={t(`purposes.${purpose}`)}
                  rows={rows}
                  brand={brand}
                  onEdit={(cookie) => ask({ cookie })}
                />
              </Card>
            )
          );
        })}
      </ScreenPage>
      {question && <CookieDialog key={key} {...question} brand={brand} onClose={close} />}
    </>
  );
}

type TableProps = {
  title: string;
  rows: readonly ListedCookie[];
  brand: string;
  onEdit(cookie: ListedCookie): void;
};

function PurposeTable({ title, rows, brand, onEdit }: TableProps) {
  const { t } = useTranslation("cookie-list");
  return (
    <>
      <Box padding="400" paddingBlockEnd="200">
        <CardHeading title={title} />
      </Box>
      <ResponsiveRows>
        <IndexTable
          selectable={false}
          itemCount={rows.length}
          resourceName={{ singular: t("columns.name"), plural: t("title") }}
          headings={[
            { title: t("columns.name") },
            { title: t("columns.provider") },
            { title: t("columns.use") },
            { title: t("columns.duration") },
            { title: t("columns.actions"), hidden: true },
          ]}
        >
          {rows.map((cookie, at) => (
            <CookieRow
              key={`${cookie.provider}/${cookie.name}`}
              cookie={cookie}
              at={at}
              brand={brand}
              onEdit={() => onEdit(cookie)}
            />
          ))}
        </IndexTable>
      </ResponsiveRows>
    </>
  );
}

type RowProps = { cookie: ListedCookie; at: number; brand: string; onEdit(): void };

/** What merchants write is shown as text. */
function CookieRow({ cookie, at, brand, onEdit }: RowProps) {
  const { t } = useTranslation("cookie-list");
  const labelled = useLabelled();
  const words = useCookieWords();
  const { name, provider, text, origin, isHidden } = cookie;
  const { use, duration } = words(cookie);
  const hide = useScreenAction("hide");
  return (
    <IndexTable.Row id={`${provider}/${name}`} position={at}>
      <RowCell>
        <WrappingText>
          <InlineStack gap="200">
            <Text as="span" fontWeight="semibold">
              {name}
            </Text>
            {isHidden && <Badge tone="warning">{t("states.hidden")}</Badge>}
            {origin === "own" && <Badge>{t("states.own")}</Badge>}
            {origin === "known" && text.by === "merchant" && <Badge>{t("states.changed")}</Badge>}
          </InlineStack>
        </WrappingText>
      </RowCell>
      <RowCell label={t("columns.provider")}>{provider || brand}</RowCell>
      <RowCell label={t("columns.use")}>
        <WrappingText>{use}</WrappingText>
      </RowCell>
      <RowCell label={t("columns.duration")}>
        <WrappingText>{duration}</WrappingText>
      </RowCell>
      <RowCell>
        <InlineStack gap="200" align="end">
          <Button size="slim" onClick={onEdit} accessibilityLabel={labelled(t("edit"), name)}>
            {t("edit")}
          </Button>
          <Button
            size="slim"
            loading={hide.isBusy}
            onClick={() => hide.submit({ provider, name, is_hidden: !isHidden })}
            accessibilityLabel={labelled(t(isHidden ? "show" : "hide"), name)}
          >
            {t(isHidden ? "show" : "hide")}
          </Button>
          {text.by === "merchant" && <ResetButton cookie={cookie} />}
        </InlineStack>
        {hide.error && <ActionAlert>{hide.error.message}</ActionAlert>}
      </RowCell>
    </IndexTable.Row>
  );
}

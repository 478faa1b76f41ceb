// One customer.
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "@remix-run/react";
import { Badge, Banner, BlockStack, Layout, Page } from "@shopify/polaris";
import { TitleBar } from "@shopify/app-bridge-react";
import { useState } from "react";
import { labelOf } from "../../i18n/label-of.ts";
import { download } from "../../ui/download.ts";
import { showToast } from "../../ui/toast.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { clientLazy } from "../../frame/deferred-card.tsx";
import { ConsentsCard, TimelineCard } from "./consents-card.tsx";
import { EraseModal, SuspendModal } from "./customer-modals.tsx";
import type {
  AccessView,
  ConsentView,
  CustomerView,
  LinkView,
  OrdersView,
  RecordView,
  SystemView,
  TagView,
} from "./detail-shape.ts";
import { OrdersCard } from "./orders-card.tsx";
import { ProfileCard, SignInsCard } from "./profile-cards.tsx";
import { SystemsCard } from "./systems-card.tsx";
import { TagsCard } from "./tags-card.tsx";

const AccessLogCard = clientLazy(() => import("./access-log-card.tsx"));

type Props = {
  customer: CustomerView;
  links: LinkView[];
  consents: ConsentView[];
  timeline: RecordView[];
  older: number | null;
  tags: TagView[];
  systems: SystemView[];
  orders: Promise<OrdersView>;
  knownTags: { slug: string; name: string }[];
  accesses: AccessView[];
};

export function CustomerScreen({
  customer,
  links,
  consents,
  timeline,
  older,
  tags,
  systems,
  orders,
  knownTags,
  accesses,
}: Props) {
  const { t } = useTranslation(["customer", "glossary"]);

  const { search } = useLocation();
  const goBack = useGoBack();
  const [question, setQuestion] = useState<"suspend" | "erase" | null>(null);
  const reactivate = useScreenAction("status", {
    onSuccess: () => showToast(t("reactivated")),
  });
  const isDeleted = customer.status === "deleted";
  const name = customer.name ?? customer.email ?? `${t("glossary:nobody")} (#${customer.id})`;
  const path = `/app/customers/${customer.id}`;
  const exportData = async () => {
    const isDone = await download(`${path}/export`, `customer-${customer.id}.json`, "POST");
    showToast(isDone ? t("exported") : t("exportFailed"), !isDone);
  };
  const actions = [
    ...(customer.adminUrl
      ? [{ content: t("openInStore"), url: customer.adminUrl, target: "_top" as const }]
      : []),
    ...(customer.canBeErased
      ? [{ content: t("exportData"), onAction: () => void exportData() }]
      : []),
    ...(customer.status === "active"
      ? [{ content: t("suspend"), onAction: () => setQuestion("suspend") }]
      : []),
    ...(customer.status === "suspended"
      ? [
          {
            content: t("reactivate"),
            loading: reactivate.isBusy,
            onAction: () => reactivate.submit({ status: "active" }),
          },
        ]
      : []),
    ...(customer.canBeErased
      ? [{ content: t("erase"), destructive: true, onAction: () => setQuestion("erase") }]
      : []),
  ];
  return (
    <>
      <TitleBar title={name} />
      <div style={{ overflowWrap: "anywhere" }}>
        <Page
          title={name}
          titleMetadata={
            <Badge
              {...(customer.status === "active"
                ? { tone: "success" }
                : customer.status === "suspended"
                  ? { tone: "warning" }
                  : {})}
            >
              {labelOf(t("glossary:status", { returnObjects: true }), customer.status)}
            </Badge>
          }
          backAction={{ content: t("back"), onAction: goBack }}
          secondaryActions={actions}
        >
          <BlockStack gap="400">
            {isDeleted && !customer.canBeErased && <Banner tone="info">{t("erased")}</Banner>}
            {reactivate.error && <Banner tone="critical">{reactivate.error.message}</Banner>}
            <Layout>
              <Layout.Section>
                <BlockStack gap="400">
                  <TagsCard tags={tags} known={knownTags} canChange={!isDeleted} />
                  <OrdersCard orders={orders} />
                  <ConsentsCard consents={consents} />
                  <TimelineCard
                    records={timeline}
                    older={older}
                    isNewest={!new URLSearchParams(search).has("before")}
                    path={path}
                  />
                </BlockStack>
              </Layout.Section>
              <Layout.Section variant="oneThird">
                <BlockStack gap="400">
                  <ProfileCard customer={customer} />
                  <SignInsCard customer={customer} links={links} />
                  <SystemsCard systems={systems} />
                  <AccessLogCard customerId={customer.id} accesses={accesses} />
                </BlockStack>
              </Layout.Section>
            </Layout>
          </BlockStack>
          {question === "suspend" && <SuspendModal onClose={() => setQuestion(null)} />}
          {question === "erase" && (
            <EraseModal customer={customer} onClose={() => setQuestion(null)} />
          )}
        </Page>
      </div>
    </>
  );
}

/** Returns to the list with its filters; to the whole list when this page was opened directly. */
function useGoBack(): () => void {
  const navigate = useNavigate();
  return () => {
    const { idx } = (window.history.state ?? {}) as { idx?: number };
    if (idx) navigate(-1);
    else navigate("/app/customers");
  };
}

// One customer.
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "@remix-run/react";
import { Badge, Banner, BlockStack, Layout } from "@shopify/polaris";
import { useState } from "react";
import { ScreenPage } from "../../frame/screen-page.tsx";
import { labelOf } from "../../i18n/label-of.ts";
import { download } from "../../ui/download.ts";
import { PageGutter } from "../../ui/layout.tsx";
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
      ? [
          {
            text: t("openInStore"),
            run: () => void window.open(customer.adminUrl as string, "_top"),
          },
        ]
      : []),
    ...(customer.canBeErased ? [{ text: t("exportData"), run: () => void exportData() }] : []),
    ...(customer.status === "active"
      ? [{ text: t("suspend"), run: () => setQuestion("suspend") }]
      : []),
    ...(customer.status === "suspended"
      ? [{ text: t("reactivate"), run: () => reactivate.submit({ status: "active" }) }]
      : []),
    ...(customer.canBeErased ? [{ text: t("erase"), run: () => setQuestion("erase") }] : []),
  ];
  return (
    <>
      <ScreenPage
        title={name}
        back={{ content: t("back"), to: goBack }}
        actions={
          actions.length > 0 && (
            // React has no type for this attribute of the admin's menus.
            <section {...{ label: t("moreActions") }}>
              {actions.map(({ text, run }) => (
                <button key={text} onClick={run}>
                  {text}
                </button>
              ))}
            </section>
          )
        }
      >
        <PageGutter>
          <Badge
            {...(customer.status === "active"
              ? { tone: "success" }
              : customer.status === "suspended"
                ? { tone: "warning" }
                : {})}
          >
            {labelOf(t("glossary:status", { returnObjects: true }), customer.status)}
          </Badge>
        </PageGutter>
        {isDeleted && !customer.canBeErased && <Banner tone="info">{t("erased")}</Banner>}
        {reactivate.error && <Banner tone="critical">{reactivate.error.message}</Banner>}
        <div style={{ overflowWrap: "anywhere" }}>
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
        </div>
      </ScreenPage>
      {question === "suspend" && <SuspendModal onClose={() => setQuestion(null)} />}
      {question === "erase" && <EraseModal customer={customer} onClose={() => setQuestion(null)} />}
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

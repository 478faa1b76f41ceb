// One customer.
import { useLocation, useNavigate } from "@remix-run/react";
import { Badge, Banner, BlockStack, Layout, Page } from "@shopify/polaris";
import { TitleBar } from "@shopify/app-bridge-react";
import { useState } from "react";
import { download } from "../download.ts";
import { showToast } from "../toast.ts";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";
import { ConsentsCard, TimelineCard } from "./consents-card.tsx";
import { EraseModal, SuspendModal } from "./customer-modals.tsx";
import { CUSTOMER_NAMES } from "./customer-words.ts";
import type {
  ConsentView,
  CustomerView,
  LinkView,
  OrdersView,
  RecordView,
  SystemView,
  TagView,
} from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";
import { OrdersCard } from "./orders-card.tsx";
import { ProfileCard, SignInsCard } from "./profile-cards.tsx";
import { SystemsCard } from "./systems-card.tsx";
import { TagsCard } from "./tags-card.tsx";

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
}: Props) {
  const words = useWords(DETAIL_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const { search } = useLocation();
  const goBack = useGoBack();
  const [question, setQuestion] = useState<"suspend" | "erase" | null>(null);
  const reactivate = useDeed({ onDone: () => words.reactivated });
  const problem = useRefusal(reactivate.refused);
  const isDeleted = customer.status === "deleted";
  const name = customer.name ?? customer.email ?? `${names.nobody} (#${customer.id})`;
  const path = `/app/customers/${customer.id}`;
  const exportData = async () => {
    const isDone = await download(`${path}/export`, `customer-${customer.id}.json`, "POST");
    showToast(isDone ? words.exported : words.exportFailed, !isDone);
  };
  const actions = [
    ...(customer.adminUrl
      ? [{ content: words.openInStore, url: customer.adminUrl, target: "_top" as const }]
      : []),
    ...(customer.canBeErased
      ? [{ content: words.exportData, onAction: () => void exportData() }]
      : []),
    ...(customer.status === "active"
      ? [{ content: words.suspend, onAction: () => setQuestion("suspend") }]
      : []),
    ...(customer.status === "suspended"
      ? [
          {
            content: words.reactivate,
            loading: reactivate.isBusy,
            onAction: () => reactivate.run("status", { status: "active" }),
          },
        ]
      : []),
    ...(customer.canBeErased
      ? [{ content: words.erase, destructive: true, onAction: () => setQuestion("erase") }]
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
              {names.status[customer.status] ?? customer.status}
            </Badge>
          }
          backAction={{ content: words.back, onAction: goBack }}
          secondaryActions={actions}
        >
          <BlockStack gap="400">
            {isDeleted && !customer.canBeErased && <Banner tone="info">{words.erased}</Banner>}
            {problem && <Banner tone="critical">{problem}</Banner>}
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

/** Back to the list as it was left; to the whole list when this page was opened by itself. */
function useGoBack(): () => void {
  const navigate = useNavigate();
  return () => {
    const { idx } = (window.history.state ?? {}) as { idx?: number };
    if (idx) navigate(-1);
    else navigate("/app/customers");
  };
}

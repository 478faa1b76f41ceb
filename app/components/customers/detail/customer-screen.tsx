// One customer: who it is, and everything that happened.
import { useTranslation } from "react-i18next";
import { useNavigate } from "@remix-run/react";
import { Banner, BlockStack, Layout, Link } from "@shopify/polaris";
import { ScreenPage } from "../../frame/screen-page.tsx";
import { PageGutter } from "../../ui/layout.tsx";
import { showToast } from "../../ui/toast.ts";
import { useQuestion } from "../../hooks/use-question.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { StatusBadge } from "../status-badge.tsx";
import { AddTagsModal } from "./add-tags-modal.tsx";
import { AgentsCard } from "./agents-card.tsx";
import { ConsentsCard } from "./consents-card.tsx";
import { CustomerActions, type CustomerQuestion } from "./customer-actions.tsx";
import { EraseModal, SuspendModal } from "./customer-modals.tsx";
import type { CustomerDetail, CustomerView, OrdersView } from "./detail-shape.ts";
import { OrdersCard } from "./orders-card.tsx";
import { ProfileCard, SignInsCard } from "./profile-cards.tsx";
import { SubscriptionsCard } from "./subscriptions-card.tsx";
import { SystemsCard } from "./systems-card.tsx";
import { TagsCard } from "./tags-card.tsx";
import { TimelineCard } from "./timeline-card.tsx";

type Props = CustomerDetail & { orders: Promise<OrdersView> };

export function CustomerScreen({ orders, ...detail }: Props) {
  const { t } = useTranslation(["customer", "glossary"]);
  const { customer, related } = detail;
  const goBack = useGoBack();
  const { question, key, ask, close } = useQuestion<CustomerQuestion>();
  const reactivate = useScreenAction("status", {
    onSuccess: () => showToast(t("reactivated")),
  });
  const isDeleted = customer.status === "deleted";
  const name = customer.name ?? customer.email ?? `${t("glossary:nobody")} (#${customer.id})`;
  return (
    <>
      <ScreenPage
        title={name}
        back={{ content: t("back"), to: goBack }}
        actions={
          <CustomerActions
            customer={customer}
            onAsk={ask}
            onReactivate={() => reactivate.submit({ status: "active" })}
          />
        }
      >
        <PageGutter>
          <StatusBadge status={customer.status} />
        </PageGutter>
        {isDeleted && <Ended customer={customer} />}
        {reactivate.error && <Banner tone="critical">{reactivate.error.message}</Banner>}
        <div style={{ overflowWrap: "anywhere" }}>
          <Layout>
            <Layout.Section>
              <BlockStack gap="400">
                <ProfileCard customer={customer} />
                <ConsentsCard consents={detail.consents} />
                <TagsCard tags={related.tags} storeTags={detail.storeTags} canChange={!isDeleted} />
                <OrdersCard orders={orders} />
              </BlockStack>
            </Layout.Section>
            <Layout.Section variant="oneThird">
              <BlockStack gap="400">
                <SubscriptionsCard subscriptions={detail.subscriptions} />
                <SystemsCard systems={detail.systems} />
                <AgentsCard
                  agents={related.agents}
                  mandates={related.mandates}
                  email={customer.email}
                />
                <SignInsCard customer={customer} links={related.links} />
              </BlockStack>
            </Layout.Section>
            <Layout.Section variant="fullWidth">
              <TimelineCard customerId={customer.id} timeline={detail.timeline} orders={orders} />
            </Layout.Section>
          </Layout>
        </div>
      </ScreenPage>
      {question === "tags" && (
        <AddTagsModal
          key={key}
          known={related.known_tags.filter(
            ({ slug }) => !related.tags.some((tag) => tag.slug === slug),
          )}
          onClose={close}
        />
      )}
      {question === "suspend" && <SuspendModal key={key} onClose={close} />}
      {question === "erase" && <EraseModal key={key} customer={customer} onClose={close} />}
    </>
  );
}

/** What became of a customer who is no longer one. */
function Ended({ customer: { mergedInto, canBeErased } }: { customer: CustomerView }) {
  const { t } = useTranslation("customer");
  if (mergedInto !== null)
    return (
      <Banner tone="info">
        {t("merged")} <Link url={`/app/customers/${mergedInto}`}>{t("openMerged")}</Link>
      </Banner>
    );
  return canBeErased ? null : <Banner tone="info">{t("erased")}</Banner>;
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

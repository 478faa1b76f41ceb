// Stores with every system connected, and people whose tags change.
import { SYSTEM_TAGS } from "../../../app/domain/tags/system-tag-rules.ts";
import { eventually, SHOP, type Answer, type Service } from "../service.ts";

export type Person = { token: string; id: number; gid: string };
type Hit = {
  user_properties?: Record<string, { value: string }>;
  events: { name: string; params: Record<string, unknown> }[];
};

/** Without the tags that the rules set. */
export const withoutRuleTags = (tags: readonly string[] = []): string[] =>
  tags.filter((tag) => !SYSTEM_TAGS.includes(tag));

export type TaggedStore = ReturnType<typeof taggedStore>;

export function taggedStore(service: Service) {
  const { database, sandbox } = service;
  const settled = async () =>
    (
      await database.query(
        "SELECT 1 FROM integration_queue WHERE status IN ('pending', 'processing', 'ready')",
      )
    ).length === 0;
  const customerOf = (shop: string, email: string) =>
    sandbox.storefront.customers(shop).find((customer) => customer.email === email);
  const handled = () =>
    eventually(
      "the webhooks were handled",
      async () =>
        (await database.query("SELECT 1 FROM webhook_inbox WHERE status NOT IN ('done', 'failed')"))
          .length === 0,
    );

  return {
    customerOf,
    handled,
    delivered: (withinMs?: number) => eventually("everything was delivered", settled, withinMs),
    async install(shop: string, fields: Record<string, unknown> = {}): Promise<void> {
      await service.addTenant(shop, { cms_site_id: sandbox.cms.siteId, ...fields });
      const grant = sandbox.storefront.install(shop);
      await service.call("POST", `/config?shop=${shop}`, {
        body: {
          storefront_admin_token: grant.access_token,
          storefront_refresh_token: grant.refresh_token,
          storefront_token_expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        },
      });
    },
    async signUp(
      shop: string,
      email: string,
      consents: Record<string, boolean> = {},
    ): Promise<Person> {
      const { json } = await service.call("POST", `/auth/signup?shop=${shop}`, {
        key: null,
        body: {
          email,
          password: "correct horse",
          first_name: "Ada",
          consent_tos: true,
          consent_privacy: true,
          ...consents,
        },
      });
      await eventually("the sign-up arrived everywhere", settled);
      return { token: json.token, id: json.user.id, gid: customerOf(shop, email)?.gid ?? "" };
    },
    change: (person: Person, body: unknown): Promise<Answer> =>
      service.call("POST", "/ucp/tags", { body, key: person.token }),
    /** Each tag of the person with its source, without those that follow from the rules. */
    held: async (person: Person) =>
      (
        await database.query(
          `SELECT t.slug, m.source FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop
            AND t.id = m.tag_id WHERE m.user_id = $1 AND m.source <> 'system' ORDER BY t.slug`,
          [person.id],
        )
      ).map(({ slug, source }) => `${slug} ${source}`),
    queued: async () => (await database.query("SELECT 1 FROM integration_queue")).length,
    hits: () => sandbox.analytics.hits().map(({ body }) => body as Hit),
    lastHit: () => sandbox.analytics.hits().at(-1)?.body as Hit,
    /** A time in another second than all of our writes. */
    later: (seconds = 5) => new Date(Date.now() + seconds * 1_000).toISOString(),
    /** Delivers and handles the storefront's own webhook of a customer. */
    async announce(gid: string, triggeredAt?: string): Promise<void> {
      await sandbox.storefront.sendWebhook(SHOP, "customers/update", gid, {
        uri: `${service.url}/webhooks/customer-update`,
        ...(triggeredAt && { triggeredAt }),
      });
      await handled();
    },
  };
}

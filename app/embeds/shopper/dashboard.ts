// The dashboard: the shopper's data and consents, and every action on them.
import { agentsSection } from "./agents-section.ts";
import { consentsSection, customerConsents } from "./consents-section.ts";
import { button, el, isolated, announce, show, type Child } from "./elements.ts";
import { deleteAccountSection } from "./delete-account-section.ts";
import { mandatesSection } from "./mandates-section.ts";
import { ordersSection } from "./orders-section.ts";
import { DATA, WORDS } from "./page-data.ts";
import { profileSection } from "./profile-section.ts";
import {
  restoreSession,
  findProfile,
  clearSession,
  signOut,
  onSessionHandoff,
  onSessionOver,
  type Profile,
} from "./session.ts";
import { tagsSection } from "./tags-section.ts";

const toAccount = (text: string): Child =>
  el("p", {}, el("a", { class: "button", href: DATA.links.account }, text));

function signedOutView(text: string, focus: boolean): void {
  const { customer } = DATA;
  announce(text);
  if (!customer) return show([el("p", {}, WORDS.signInFirst), toAccount(WORDS.signIn)], { focus });
  const tags =
    customer.tags.length === 0
      ? el("p", {}, WORDS.tagsEmpty)
      : el(
          "ul",
          { class: "rows" },
          ...customer.tags.map(({ name }) => el("li", {}, isolated(name))),
        );
  show(
    [
      el("p", {}, WORDS.signInForMore),
      toAccount(WORDS.signIn),
      customerConsents(customer),
      el(
        "section",
        { id: "crm-tags", "aria-labelledby": "crm-tags-title" },
        el("h2", { id: "crm-tags-title" }, WORDS.tags),
        tags,
      ),
    ],
    { focus },
  );
}

function dashboardView(profile: Profile, focus: boolean): void {
  const agents = agentsSection();
  const mandates = mandatesSection();
  const afterConsent = (): void => {
    agents.reload();
    mandates.reload();
  };
  const onSignedOut = (text: string): void => {
    clearSession();
    DATA.customer = null;
    signedOutView(text, true);
  };
  const sections: [id: string, title: string, section: HTMLElement][] = [
    ["profile", WORDS.profile, profileSection(profile)],
    ["consents", WORDS.consents, consentsSection(profile, afterConsent)],
    ["tags", WORDS.tags, tagsSection()],
    ["orders", WORDS.orders, ordersSection(profile)],
    ["mandates", WORDS.mandates, mandates.section],
    ["agents", WORDS.agents, agents.section],
    ["leave", WORDS.leave, deleteAccountSection(profile, onSignedOut)],
  ];
  const out = button(
    WORDS.signOut,
    async () => {
      await signOut(false);
      signedOutView(WORDS.signedOut, true);
    },
    { class: "plain" },
  );
  show(
    [
      el(
        "p",
        {},
        WORDS.signedInAs,
        " ",
        isolated(profile.user.email ?? profile.user.full_name ?? ""),
      ),
      out,
      el(
        "nav",
        { "aria-label": WORDS.sections },
        el(
          "ul",
          {},
          ...sections.map(([id, title]) => el("li", {}, el("a", { href: `#crm-${id}` }, title))),
        ),
      ),
      ...sections.map(([, , section]) => section),
    ],
    { focus },
  );
}

async function open(): Promise<void> {
  onSessionOver(() => signedOutView(WORDS.sessionOver, true));
  try {
    const arrival = await restoreSession();
    const profile = arrival.outcome === "failed" ? null : await findProfile();
    if (profile) dashboardView(profile, arrival.outcome === "signed_in");
    else signedOutView(arrival.outcome === "signed_in" ? "" : arrival.text, false);
  } catch (error) {
    signedOutView(error instanceof Error ? error.message : WORDS.failed, false);
  }
}

void open();
onSessionHandoff(() => void open());

// The dashboard: the shopper's data and consents, and every action on them.
import { activitySection } from "./activity-section.ts";
import { agentsSection } from "./agents-section.ts";
import { consentsSection, customerConsents } from "./consents-section.ts";
import { button, el, isolated, announce, failedView, show, type Child } from "./elements.ts";
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
  el("a", { class: "button", href: DATA.links.account }, text);

function signedOutView(text: string, options: { focus: boolean }): void {
  const { customer } = DATA;
  announce(text);
  if (!customer)
    return show(
      [el("div", { class: "card" }, el("p", {}, WORDS.signInFirst), toAccount(WORDS.signIn))],
      options,
    );
  const tags =
    customer.tags.length === 0
      ? el("p", {}, WORDS.tagsEmpty)
      : el(
          "ul",
          { class: "chips" },
          ...customer.tags.map(({ name }) => el("li", { class: "pill" }, isolated(name))),
        );
  show(
    [
      el(
        "div",
        { class: "sections" },
        el("div", { class: "card" }, el("p", {}, WORDS.signInForMore), toAccount(WORDS.signIn)),
        customerConsents(customer),
        el(
          "section",
          { id: "crm-tags", class: "card", "aria-labelledby": "crm-tags-title" },
          el("h2", { id: "crm-tags-title" }, WORDS.tags),
          tags,
        ),
      ),
    ],
    options,
  );
}

function dashboardView(profile: Profile, options: { focus: boolean }): void {
  const agents = agentsSection();
  const mandates = mandatesSection();
  const activity = activitySection();
  const afterConsent = (): void => {
    agents.reload();
    mandates.reload();
    activity.reload();
  };
  const onSignedOut = (text: string): void => {
    clearSession();
    DATA.customer = null;
    signedOutView(text, { focus: true });
  };
  const sections: [id: string, title: string, section: HTMLElement][] = [
    ["profile", WORDS.profile, profileSection(profile)],
    ["consents", WORDS.consents, consentsSection(profile, afterConsent)],
    ["tags", WORDS.tags, tagsSection()],
    ["orders", WORDS.orders, ordersSection(profile)],
    ["mandates", WORDS.mandates, mandates.section],
    ["agents", WORDS.agents, agents.section],
    ["activity", WORDS.activity, activity.section],
    ["leave", WORDS.leave, deleteAccountSection(profile, onSignedOut)],
  ];
  const out = button(
    WORDS.signOut,
    async () => {
      await signOut("here");
      signedOutView(WORDS.signedOut, { focus: true });
    },
    { class: "plain small" },
  );
  show(
    [
      el(
        "div",
        { class: "bar" },
        el(
          "p",
          {},
          WORDS.signedInAs,
          " ",
          el("strong", {}, isolated(profile.user.email ?? profile.user.full_name ?? "")),
        ),
        out,
      ),
      el(
        "div",
        { class: "layout" },
        menuOf(sections),
        el("div", { class: "sections" }, ...sections.map(([, , section]) => section)),
      ),
    ],
    options,
  );
}

/** The menu stays in view and marks the section that is being read. */
function menuOf(sections: [id: string, title: string, section: HTMLElement][]): HTMLElement {
  const links = new Map<Element, HTMLElement>(
    sections.map(([id, title, section]) => [section, el("a", { href: `#crm-${id}` }, title)]),
  );
  const seen = new Set<Element>();
  const watcher = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes)
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      const first = [...links.keys()].find((section) => seen.has(section));
      for (const [section, link] of links)
        if (section === first) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
    },
    // Below the menu of a phone, and in the upper half.
    { rootMargin: "-80px 0px -50% 0px" },
  );
  for (const section of links.keys()) watcher.observe(section);
  return el(
    "nav",
    { class: "menu", "aria-label": WORDS.sections },
    el("ul", {}, ...[...links.values()].map((link) => el("li", {}, link))),
  );
}

async function open(): Promise<void> {
  onSessionOver(() => signedOutView(WORDS.sessionOver, { focus: true }));
  try {
    const arrival = await restoreSession();
    const profile = arrival.outcome === "failed" ? null : await findProfile();
    if (profile) dashboardView(profile, { focus: arrival.outcome === "signed_in" });
    else signedOutView(arrival.outcome === "signed_in" ? "" : arrival.text, { focus: false });
  } catch (error) {
    show([failedView(error, open)], { focus: false });
  }
}

void open();
onSessionHandoff(() => void open());

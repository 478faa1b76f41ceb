// The dashboard: what the store keeps of the person, and everything the person may decide about it.
import { agentsPart } from "./agents-part.ts";
import { consentsPart, customerConsents } from "./consents-part.ts";
import { button, el, said, say, show, type Child } from "./elements.ts";
import { leavingPart } from "./leaving-part.ts";
import { mandatesPart } from "./mandates-part.ts";
import { ordersPart } from "./orders-part.ts";
import { DATA, WORDS } from "./page-data.ts";
import { profilePart } from "./profile-part.ts";
import {
  arrive,
  findProfile,
  forget,
  leave,
  onHandOver,
  onSessionOver,
  type Profile,
} from "./session.ts";
import { tagsPart } from "./tags-part.ts";

const toAccount = (text: string): Child =>
  el("p", {}, el("a", { class: "button", href: DATA.links.account }, text));

function signedOutView(text: string, focus: boolean): void {
  const { customer } = DATA;
  say(text);
  if (!customer) return show([el("p", {}, WORDS.signInFirst), toAccount(WORDS.signIn)], { focus });
  const tags =
    customer.tags.length === 0
      ? el("p", {}, WORDS.tagsEmpty)
      : el("ul", { class: "rows" }, ...customer.tags.map(({ name }) => el("li", {}, said(name))));
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
  const agents = agentsPart();
  const mandates = mandatesPart();
  const afterConsent = (): void => {
    agents.reload();
    mandates.reload();
  };
  const gone = (text: string): void => {
    forget();
    DATA.customer = null;
    signedOutView(text, true);
  };
  const parts: [id: string, title: string, section: HTMLElement][] = [
    ["profile", WORDS.profile, profilePart(profile)],
    ["consents", WORDS.consents, consentsPart(profile, afterConsent)],
    ["tags", WORDS.tags, tagsPart()],
    ["orders", WORDS.orders, ordersPart(profile)],
    ["mandates", WORDS.mandates, mandates.section],
    ["agents", WORDS.agents, agents.section],
    ["leave", WORDS.leave, leavingPart(profile, gone)],
  ];
  const out = button(
    WORDS.signOut,
    async () => {
      await leave(false);
      signedOutView(WORDS.signedOut, true);
    },
    { class: "plain" },
  );
  show(
    [
      el("p", {}, WORDS.signedInAs, " ", said(profile.user.email ?? profile.user.full_name ?? "")),
      out,
      el(
        "nav",
        { "aria-label": WORDS.sections },
        el(
          "ul",
          {},
          ...parts.map(([id, title]) => el("li", {}, el("a", { href: `#crm-${id}` }, title))),
        ),
      ),
      ...parts.map(([, , section]) => section),
    ],
    { focus },
  );
}

async function open(): Promise<void> {
  onSessionOver(() => signedOutView(WORDS.sessionOver, true));
  try {
    const arrival = await arrive();
    const profile = arrival.outcome === "failed" ? null : await findProfile();
    if (profile) dashboardView(profile, arrival.outcome === "signed_in");
    else signedOutView(arrival.outcome === "signed_in" ? "" : arrival.text, false);
  } catch (error) {
    signedOutView(error instanceof Error ? error.message : WORDS.failed, false);
  }
}

void open();
onHandOver(() => void open());

/** The console's list of sign-ins and of the tags and metafields that the app wrote. */
import { details, escapeHtml, table, time } from "./page-layout.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Metafield } from "../storefront/state.ts";

const SHOWN = 8;

export function signInSection(sandbox: Sandbox): string {
  const { federated, customerAccounts } = sandbox;
  const newest = [...federated.signIns(), ...customerAccounts.signIns()]
    .sort((a, b) => b.at.localeCompare(a.at))
    .slice(0, SHOWN);
  const rows = newest.map(({ at, realm, email, sub }) => [
    time(at),
    escapeHtml(realm),
    `${escapeHtml(email ?? "no email")}<br><span class="quiet">${escapeHtml(sub)}</span>`,
  ]);
  const people = federated
    .people()
    .map(
      ({ email, emailVerified }) =>
        `${escapeHtml(email ?? "no email")}${emailVerified ? "" : " (unverified)"}`,
    );
  return `<section class="card"><h2>Sign-ins</h2>${table(["Signed in (UTC)", "With", "Person"], rows, "No sign-ins yet.")}
    <p class="quiet">Customer accounts: the customers of each store. Federated provider: ${people.join(", ") || "no users yet"}. Signed out: ${customerAccounts.logouts().length}.</p>
    <h3>Person of the federated provider</h3><form class="row" method="post" action="/_control/people">
    <label>Email<input name="email" type="email" required></label><label>Name<input name="name"></label>
    <label style="display:flex;gap:.4rem;align-items:center"><input type="checkbox" name="email_verified" value="true">Email is verified</label>
    <button>Add or change</button></form></section>`;
}

export function metafieldList(metafields: Metafield[]): string {
  if (metafields.length === 0) return "";
  const values = Object.fromEntries(
    metafields.map(({ namespace, key, value }) => [`${namespace}.${key}`, value]),
  );
  return details(
    metafields.length === 1 ? "1 metafield" : `${metafields.length} metafields`,
    values,
  );
}

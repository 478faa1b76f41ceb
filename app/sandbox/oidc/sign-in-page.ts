/** The sign-in page of a sandbox identity provider. */
import { escapeHtml, layout } from "../console/page-layout.ts";
import type { Person, Realm } from "./people.ts";

/** The newest ones. */
const SHOWN_PEOPLE = 20;
const OWN_FIELDS = new Set(["as", "decision", "email", "name", "email_verified"]);

export function signInPage(realm: Realm, query: URLSearchParams, problem: string | null): string {
  const hidden = [...query]
    .filter(([name]) => !OWN_FIELDS.has(name))
    .map(
      ([name, value]) =>
        `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    )
    .join("");
  const people = realm.people().slice(-SHOWN_PEOPLE);
  const list =
    people.length > 0
      ? `<form method="get">${hidden}<ul style="list-style:none;padding:0;display:grid;gap:.5rem">${people.map(personButton).join("")}</ul></form>`
      : "";
  const hint = query.get("email") ?? query.get("login_hint") ?? "";
  return layout(
    `Sign in to ${realm.name}`,
    `<main class="narrow"><section class="card"><h1>Sign in to ${escapeHtml(realm.name)}</h1>
    ${problem ? `<p class="bad" role="alert">${escapeHtml(problem)}</p>` : ""}${list}
    <h2>${people.length > 0 ? "Or as someone else" : "Who are you?"}</h2>
    <form class="row" method="get">${hidden}<label>Email<input name="email" type="email" required autocomplete="off" value="${escapeHtml(hint)}"></label>
    <label>Name<input name="name" autocomplete="off"></label>
    <label style="display:flex;gap:.4rem;align-items:center"><input type="checkbox" name="email_verified" value="true" checked>Email is verified</label>
    <button class="primary" name="decision" value="form">Sign in</button></form>
    <form method="get" style="margin-top:1rem">${hidden}<button name="decision" value="cancel">Cancel</button></form>
    <p class="quiet">A sandbox identity provider. No password; nothing leaves your machine.</p></section></main>`,
  );
}

export function refusalPage(realm: Realm, error: string, description: string): string {
  return layout(
    "Sign-in refused",
    `<main class="narrow"><section class="card"><h1>${escapeHtml(realm.name)} refused this sign-in</h1><p><code>${error}</code>: ${escapeHtml(description)}</p></section></main>`,
  );
}

export function signedOutPage(realm: Realm): string {
  return layout(
    "Signed out",
    `<main class="narrow"><section class="card"><h1>You are signed out of ${escapeHtml(realm.name)}</h1></section></main>`,
  );
}

function personButton({ sub, email, emailVerified, name }: Person): string {
  const label = `Sign in as ${[name, email === null ? null : `<${email}>`].filter(Boolean).join(" ")}`;
  return `<li><button name="as" value="${escapeHtml(sub)}">${escapeHtml(label)}</button>${email !== null && !emailVerified ? ' <span class="quiet">email not verified</span>' : ""}</li>`;
}

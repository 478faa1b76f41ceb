/** The console's inbox: the mails that the service sent. */
import { details, escapeHtml, layout, table, time } from "./page-layout.ts";
import type { SentMail } from "../systems/email.ts";

export function inboxTable(inbox: SentMail[], limit: number): string {
  const newest = inbox.toReversed().slice(0, limit);
  const rows = newest.map((mail) => [
    time(mail.at),
    escapeHtml(mail.to.join(", ")),
    `<a href="/inbox/${escapeHtml(mail.id)}">${escapeHtml(mail.subject)}</a>`,
  ]);
  return table(["Sent (UTC)", "To", "Subject"], rows, "No mail.");
}

export function mailPage(mail: SentMail, navigation: string): string {
  // Scripts stay off; a link in the mail opens a new tab. The frame inherits this page's policy, so
  // no image or style is loaded.
  const source = escapeHtml(`<base target="_blank">${mail.html}`);
  const frame = `<iframe title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${source}"></iframe>`;
  const html = mail.html === null ? "" : `<h2>As HTML</h2>${frame}`;
  const plain = mail.text === null ? "" : `<h2>As text</h2><pre>${linkify(mail.text)}</pre>`;
  const headers =
    Object.keys(mail.headers).length > 0 ? details("Extra headers", mail.headers) : "";
  return layout(
    mail.subject,
    `<main><article class="card"><h1>${escapeHtml(mail.subject)}</h1>
    <p class="quiet">From ${escapeHtml(mail.from)} to ${escapeHtml(mail.to.join(", "))}, ${time(mail.at)} UTC</p>${headers}${html}${plain}</article></main>`,
    navigation,
  );
}

function linkify(plain: string): string {
  return plain
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, index) =>
      index % 2 === 1
        ? `<a href="${escapeHtml(part)}" target="_blank" rel="noreferrer">${escapeHtml(part)}</a>`
        : escapeHtml(part),
    )
    .join("");
}

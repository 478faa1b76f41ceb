// The page in front of the standalone admin pages: plain HTML, no script, nothing of what lies behind it.
import { escapeHtml, page } from "./account-pages.ts";

export type GateLocale = "en" | "es" | "fr";
export type GateProblem = "key" | "code" | "busy" | "origin";
export type GateStage = "ask" | "sent";

type GateWords = {
  brand: string;
  title: string;
  intro: string;
  mail: { label: string; button: string; none: string };
  code: { sent: string; label: string; button: string; other: string };
  key: { label: string; button: string };
  problems: Record<GateProblem, string>;
};

const WORDS: Record<GateLocale, GateWords> = {
  en: {
    brand: "Customer identity",
    title: "Admin sign-in",
    intro: "These pages are for the people who run this service.",
    mail: {
      label: "Your e-mail address",
      button: "Send me a code",
      none: "Codes by e-mail are not set up here. Use the admin key.",
    },
    code: {
      sent: "If this address may open these pages, a code is on its way. It works once, for ten minutes, in this browser.",
      label: "Code from the e-mail",
      button: "Continue",
      other: "Ask for another code",
    },
    key: { label: "Admin key", button: "Continue with the key" },
    problems: {
      key: "This key is not right.",
      code: "This code is not right, was used already, or is too old.",
      busy: "Too many tries. Wait a moment and try again.",
      origin: "This form was sent from another site, and was not taken.",
    },
  },
  es: {
    brand: "Identidad de clientes",
    title: "Acceso de administración",
    intro: "Estas páginas son para quienes gestionan este servicio.",
    mail: {
      label: "Tu correo electrónico",
      button: "Enviarme un código",
      none: "Aquí no hay códigos por correo. Usa la clave de administración.",
    },
    code: {
      sent: "Si esta dirección puede abrir estas páginas, un código está en camino. Funciona una vez, durante diez minutos, en este navegador.",
      label: "Código del correo",
      button: "Continuar",
      other: "Pedir otro código",
    },
    key: { label: "Clave de administración", button: "Continuar con la clave" },
    problems: {
      key: "Esta clave no es correcta.",
      code: "Este código no es correcto, ya se usó o es demasiado antiguo.",
      busy: "Demasiados intentos. Espera un momento y prueba de nuevo.",
      origin: "Este formulario se envió desde otro sitio y no se ha aceptado.",
    },
  },
  fr: {
    brand: "Identité client",
    title: "Connexion d'administration",
    intro: "Ces pages sont destinées aux personnes qui gèrent ce service.",
    mail: {
      label: "Votre adresse e-mail",
      button: "M'envoyer un code",
      none: "Les codes par e-mail ne sont pas configurés ici. Utilisez la clé d'administration.",
    },
    code: {
      sent: "Si cette adresse peut ouvrir ces pages, un code est en route. Il fonctionne une fois, pendant dix minutes, dans ce navigateur.",
      label: "Code reçu par e-mail",
      button: "Continuer",
      other: "Demander un autre code",
    },
    key: { label: "Clé d'administration", button: "Continuer avec la clé" },
    problems: {
      key: "Cette clé n'est pas correcte.",
      code: "Ce code n'est pas correct, a déjà été utilisé ou est trop ancien.",
      busy: "Trop d'essais. Attendez un instant et réessayez.",
      origin: "Ce formulaire a été envoyé depuis un autre site et n'a pas été accepté.",
    },
  },
};

/** `action`: the address that was asked for, where the forms go and where whoever passes ends up. */
export function renderGate(values: {
  locale: GateLocale;
  action: string;
  stage: GateStage;
  hasMail: boolean;
  problem: GateProblem | null;
}): string {
  const { locale, stage, hasMail, problem } = values;
  const said = WORDS[locale];
  const form = (step: string, inner: string, button: string) =>
    `<form method="post" action="${escapeHtml(values.action)}"><input type="hidden" name="gate" value="${step}">${inner}<button type="submit">${escapeHtml(button)}</button></form>`;
  const field = (id: string, label: string, attributes: string) =>
    `<label for="${id}">${escapeHtml(label)}</label><input id="${id}" name="${id}" required ${attributes}>`;
  const code = `<p role="status">${escapeHtml(said.code.sent)}</p>${form("code", field("code", said.code.label, 'inputmode="numeric" autocomplete="one-time-code" maxlength="20"'), said.code.button)}<p><a href="${escapeHtml(values.action)}">${escapeHtml(said.code.other)}</a></p>`;
  const ask = hasMail
    ? form(
        "ask",
        field("address", said.mail.label, 'type="email" autocomplete="email" maxlength="320"'),
        said.mail.button,
      )
    : `<p>${escapeHtml(said.mail.none)}</p>`;
  const key = form(
    "key",
    field("admin_key", said.key.label, 'type="password" autocomplete="off" maxlength="400"'),
    said.key.button,
  );
  const told = problem
    ? `<p class="error" role="alert">${escapeHtml(said.problems[problem])}</p>`
    : "";
  return page(
    { locale, brand: said.brand },
    said.title,
    `${told}${stage === "sent" ? code : `<p>${escapeHtml(said.intro)}</p>${ask}<hr>${key}`}`,
  );
}

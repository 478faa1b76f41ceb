// The words of our mails, in English, Spanish and French, as text and HTML.
type Locale = "en" | "es" | "fr";
type Words = { subject: string; greeting: string; body: string; action: string; note: string };

const WELCOME: Record<Locale, (brand: string, name: string) => Words> = {
  en: (brand, name) => ({
    subject: `Welcome to ${brand}`,
    greeting: name ? `Hello ${name},` : "Hello,",
    body: `An account was made for you at ${brand}. Choose a password to sign in, see your orders and manage your privacy choices.`,
    action: "Choose a password",
    note: "The link works once and for 24 hours. If you did not expect this message, you can ignore it.",
  }),
  es: (brand, name) => ({
    subject: `Te damos la bienvenida a ${brand}`,
    greeting: name ? `Hola, ${name}:` : "Hola:",
    body: `Se ha creado una cuenta para ti en ${brand}. Elige una contraseña para iniciar sesión, ver tus pedidos y gestionar tu privacidad.`,
    action: "Elegir contraseña",
    note: "El enlace funciona una sola vez durante 24 horas. Si no esperabas este mensaje, puedes ignorarlo.",
  }),
  fr: (brand, name) => ({
    subject: `Bienvenue chez ${brand}`,
    greeting: name ? `Bonjour ${name},` : "Bonjour,",
    body: `Un compte a été créé pour vous chez ${brand}. Choisissez un mot de passe pour vous connecter, voir vos commandes et gérer vos choix de confidentialité.`,
    action: "Choisir un mot de passe",
    note: "Le lien fonctionne une seule fois, pendant 24 heures. Si vous n'attendiez pas ce message, ignorez-le.",
  }),
};

const isLocale = (locale: string): locale is Locale => Object.hasOwn(WELCOME, locale);
/** Names are typed by strangers: no line breaks in a subject, no markup in HTML. */
const oneLine = (text: string) => text.replace(/[\r\n\t\u2028\u2029]+/g, " ").trim().slice(0, 120);
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function renderWelcome({ locale, brand, name, link }: { locale: string; brand: string; name: string | null; link: string }) {
  const language = locale.slice(0, 2).toLowerCase();
  const words = WELCOME[isLocale(language) ? language : "en"](oneLine(brand), oneLine(name ?? ""));
  return {
    subject: words.subject,
    text: [words.greeting, words.body, `${words.action}: ${link}`, words.note].join("\n\n"),
    html: `<!doctype html><html lang="${isLocale(language) ? language : "en"}"><body style="font-family:sans-serif;line-height:1.5">
<p>${escapeHtml(words.greeting)}</p><p>${escapeHtml(words.body)}</p>
<p><a href="${escapeHtml(link)}">${escapeHtml(words.action)}</a></p><p>${escapeHtml(words.note)}</p></body></html>`,
  };
}

// What the banner, the preferences and the compliance page say, in English, Spanish and French.
import type { Locale } from "./account-page-words.ts";

const EN = {
  title: "Your privacy",
  text: "We use cookies for statistics and for marketing only if you allow it. What the store needs to work is always on.",
  accept: "Accept all",
  refuse: "Refuse all",
  choose: "Choose",
  preferences: "Privacy choices",
  necessary: "Necessary",
  necessaryText: "Cart, sign-in and security. Always on.",
  cookie: "Statistics and preferences",
  cookieText: "Lets us count visits and remember how you use the store.",
  marketing: "Marketing",
  marketingText:
    "Lets us and our advertising partners show you offers and measure them. It includes the sale or sharing of data.",
  gpc: "Your browser sends the Global Privacy Control signal: marketing stays off.",
  save: "Save choices",
  close: "Close",
  saved: "Your choice is saved.",
  withdraw: "Withdraw consent",
  links: "Privacy",
  privacy: "Privacy policy",
  terms: "Terms",
  account: "Your account",
  contact: "Contact",
  pageTitle: "Privacy choices and rights",
  pageText:
    "Decide what this store may do with your data. You can change your mind here at any time, and it counts from that moment.",
  now: "What you allow",
  noScript: "Choosing here needs JavaScript. Without it nothing beyond the necessary is used.",
  rights: "Your rights",
  rightsText:
    "You may see the data that the store keeps about you, take it with you, have it corrected or deleted, and object to its use. It costs nothing.",
  rightsAccount: "Most of it you can do yourself in your account.",
  rightsContact: "For all else, write to",
  agents: "Agents",
  agentsText:
    "Software that shops for you gets access to your account only with your separate permission. You can end it at any time in your account.",
  version: "Version of the policy",
};

type Words = typeof EN;

const ES: Words = {
  title: "Tu privacidad",
  text: "Usamos cookies para estadísticas y marketing solo si lo permites. Lo que la tienda necesita para funcionar está siempre activo.",
  accept: "Aceptar todo",
  refuse: "Rechazar todo",
  choose: "Elegir",
  preferences: "Opciones de privacidad",
  necessary: "Necesarias",
  necessaryText: "Carrito, inicio de sesión y seguridad. Siempre activas.",
  cookie: "Estadísticas y preferencias",
  cookieText: "Nos permite contar las visitas y recordar cómo usas la tienda.",
  marketing: "Marketing",
  marketingText:
    "Nos permite, junto con nuestros socios publicitarios, mostrarte ofertas y medirlas. Incluye la venta o cesión de datos.",
  gpc: "Tu navegador envía la señal Global Privacy Control: el marketing queda desactivado.",
  save: "Guardar opciones",
  close: "Cerrar",
  saved: "Tu elección está guardada.",
  withdraw: "Retirar el consentimiento",
  links: "Privacidad",
  privacy: "Política de privacidad",
  terms: "Condiciones",
  account: "Tu cuenta",
  contact: "Contacto",
  pageTitle: "Opciones y derechos de privacidad",
  pageText:
    "Decide qué puede hacer esta tienda con tus datos. Puedes cambiar de opinión aquí en cualquier momento, con efecto inmediato.",
  now: "Lo que permites",
  noScript: "Para elegir aquí hace falta JavaScript. Sin él no se usa nada más que lo necesario.",
  rights: "Tus derechos",
  rightsText:
    "Puedes ver los datos que la tienda guarda sobre ti, llevártelos, pedir que se corrijan o se borren y oponerte a su uso. Es gratis.",
  rightsAccount: "Casi todo puedes hacerlo tú en tu cuenta.",
  rightsContact: "Para todo lo demás, escribe a",
  agents: "Agentes",
  agentsText:
    "El software que compra por ti solo accede a tu cuenta con tu permiso aparte. Puedes terminarlo en cualquier momento en tu cuenta.",
  version: "Versión de la política",
};

const FR: Words = {
  title: "Votre vie privée",
  text: "Nous n'utilisons des cookies de statistiques et de marketing qu'avec votre accord. Ce dont la boutique a besoin reste toujours actif.",
  accept: "Tout accepter",
  refuse: "Tout refuser",
  choose: "Choisir",
  preferences: "Choix de confidentialité",
  necessary: "Nécessaires",
  necessaryText: "Panier, connexion et sécurité. Toujours actifs.",
  cookie: "Statistiques et préférences",
  cookieText: "Nous permet de compter les visites et de retenir votre usage de la boutique.",
  marketing: "Marketing",
  marketingText:
    "Nous permet, avec nos partenaires publicitaires, de vous montrer des offres et de les mesurer. Cela inclut la vente ou le partage de données.",
  gpc: "Votre navigateur envoie le signal Global Privacy Control : le marketing reste désactivé.",
  save: "Enregistrer les choix",
  close: "Fermer",
  saved: "Votre choix est enregistré.",
  withdraw: "Retirer mon consentement",
  links: "Confidentialité",
  privacy: "Politique de confidentialité",
  terms: "Conditions",
  account: "Votre compte",
  contact: "Contact",
  pageTitle: "Choix et droits de confidentialité",
  pageText:
    "Décidez de ce que cette boutique peut faire de vos données. Vous pouvez changer d'avis ici à tout moment, avec effet immédiat.",
  now: "Ce que vous autorisez",
  noScript: "Choisir ici demande JavaScript. Sans lui, seul le nécessaire est utilisé.",
  rights: "Vos droits",
  rightsText:
    "Vous pouvez voir les données que la boutique garde sur vous, les emporter, les faire corriger ou supprimer, et vous opposer à leur usage. C'est gratuit.",
  rightsAccount: "Vous pouvez presque tout faire vous-même dans votre compte.",
  rightsContact: "Pour tout le reste, écrivez à",
  agents: "Agents",
  agentsText:
    "Un logiciel qui achète pour vous n'accède à votre compte qu'avec votre permission séparée. Vous pouvez y mettre fin à tout moment dans votre compte.",
  version: "Version de la politique",
};

const WORDS: Record<Locale, Words> = { en: EN, es: ES, fr: FR };

export const consentWordsOf = (locale: Locale): Words => WORDS[locale];

// The screens of the app in the order of its menu, and the words of the frame around them.
import type { Words } from "./words.tsx";

export const SCREENS = [
  { name: "home", path: "/app" },
  { name: "customers", path: "/app/customers" },
  { name: "tags", path: "/app/tags" },
  { name: "consent", path: "/app/consent" },
  { name: "events", path: "/app/events" },
  { name: "agents", path: "/app/agents" },
  { name: "privacy", path: "/app/privacy" },
  { name: "settings", path: "/app/settings" },
] as const;

type ScreenName = (typeof SCREENS)[number]["name"];
type Problem = { title: string; text: string };

type FrameText = {
  menu: Record<ScreenName, string>;
  /** By the status of the answer; `other` for every status that has none of its own. */
  problems: Record<401 | 404 | 409 | 410 | "other", Problem>;
  toHome: string;
};

export const FRAME_WORDS: Words<FrameText> = {
  en: {
    menu: {
      home: "Home",
      customers: "Customers",
      tags: "Tags",
      consent: "Consent",
      events: "Events",
      agents: "Agents",
      privacy: "Privacy requests",
      settings: "Settings",
    },
    problems: {
      401: { title: "Your session has ended", text: "Reload the page to go on." },
      404: { title: "This page does not exist", text: "Choose another page from the app's menu." },
      409: {
        title: "The app is not connected to your store",
        text: "Connect it on the home page. Then this page shows your store's data.",
      },
      410: { title: "This page is for people", text: "Automated visitors are not signed in." },
      other: {
        title: "Something went wrong on our side",
        text: "It has been logged. Reload the page in a moment.",
      },
    },
    toHome: "Go to home",
  },
  es: {
    menu: {
      home: "Inicio",
      customers: "Clientes",
      tags: "Etiquetas",
      consent: "Consentimiento",
      events: "Eventos",
      agents: "Agentes",
      privacy: "Solicitudes de privacidad",
      settings: "Configuración",
    },
    problems: {
      401: { title: "Tu sesión ha terminado", text: "Recarga la página para continuar." },
      404: {
        title: "Esta página no existe",
        text: "Elige otra página en el menú de la aplicación.",
      },
      409: {
        title: "La aplicación no está conectada a tu tienda",
        text: "Conéctala en la página de inicio. Después, esta página mostrará los datos de tu tienda.",
      },
      410: {
        title: "Esta página es para personas",
        text: "Los visitantes automatizados no inician sesión.",
      },
      other: {
        title: "Algo ha fallado por nuestra parte",
        text: "Ha quedado registrado. Recarga la página en un momento.",
      },
    },
    toHome: "Ir al inicio",
  },
  fr: {
    menu: {
      home: "Accueil",
      customers: "Clients",
      tags: "Tags",
      consent: "Consentement",
      events: "Événements",
      agents: "Agents",
      privacy: "Demandes de confidentialité",
      settings: "Paramètres",
    },
    problems: {
      401: { title: "Votre session a pris fin", text: "Rechargez la page pour continuer." },
      404: {
        title: "Cette page n'existe pas",
        text: "Choisissez une autre page dans le menu de l'application.",
      },
      409: {
        title: "L'application n'est pas connectée à votre boutique",
        text: "Connectez-la depuis la page d'accueil. Cette page affichera ensuite les données de votre boutique.",
      },
      410: {
        title: "Cette page est réservée aux personnes",
        text: "Les visiteurs automatisés ne sont pas connectés.",
      },
      other: {
        title: "Une erreur s'est produite de notre côté",
        text: "Elle a été enregistrée. Rechargez la page dans un instant.",
      },
    },
    toHome: "Aller à l'accueil",
  },
};

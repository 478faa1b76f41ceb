// The words of the standalone admin pages.
import type { Words } from "../words.tsx";

type StandaloneWords = {
  brand: string;
  nav: { setup: string; settings: string; onboarding: string };
  setup: {
    title: string;
    health: string;
    database: string;
    up: string;
    down: string;
    version: string;
    roles: string;
    address: string;
    sandbox: string;
    yes: string;
    no: string;
    lastRun: string;
    never: string;
    runStates: Record<"running" | "finished" | "interrupted", string>;
    errors(count: number): string;
    stores: string;
    noStores: string;
    connectNew: string;
    domain: string;
    connect: string;
    next: string;
    open: { settings: string; onboarding: string };
    token: Record<"none" | "valid" | "reauth_required", string>;
    facts(role: string, region: string, channels: number): string;
    platform: string;
    platformText: string;
    readOnly: string;
    settings: string;
    settingsText: string;
    states: Record<"set" | "default" | "unset", string>;
    secret: string;
  };
  picker: { title: string; text: string; wrong: string; open: string; unknown: string };
  problems: Record<401 | 404 | "other", { title: string; text: string }>;
};

export const STANDALONE_WORDS: Words<StandaloneWords> = {
  en: {
    brand: "Customer identity",
    nav: { setup: "Setup", settings: "Settings", onboarding: "Onboarding" },
    setup: {
      title: "Setup",
      health: "Health",
      database: "Database",
      up: "Works",
      down: "Away",
      version: "Version",
      roles: "This process does",
      address: "Address",
      sandbox: "Pretended outside systems",
      yes: "Yes",
      no: "No",
      lastRun: "Last scheduled run",
      never: "None yet",
      runStates: { running: "Under way since", finished: "Finished", interrupted: "Interrupted" },
      errors: (count) =>
        count === 0 ? "without errors" : count === 1 ? "with 1 error" : `with ${count} errors`,
      stores: "Stores",
      noStores: "No store is connected yet.",
      connectNew: "Connect a store",
      domain: "Store domain",
      connect: "Connect",
      next: "More stores",
      open: { settings: "Settings", onboarding: "Onboarding" },
      token: { none: "Not connected", valid: "Connected", reauth_required: "Reconnect needed" },
      facts: (role, region, channels) =>
        `${role}, region ${region}, ${channels === 1 ? "1 system" : `${channels} systems`}`,
      platform: "What all stores share",
      platformText: "Each stands in where a store has no value of its own.",
      readOnly: "Sign in with the admin key to change these.",
      settings: "Settings of this process",
      settingsText: "From its environment. Values are never shown.",
      states: { set: "Set", default: "Default", unset: "Not set" },
      secret: "secret",
    },
    picker: {
      title: "Which store?",
      text: "Choose a store, or type its domain.",
      wrong: "A store domain looks like name.myshopify.com.",
      open: "Open",
      unknown: "This store is not registered yet. Connect it first.",
    },
    problems: {
      401: { title: "Your session has ended", text: "Reload the page to sign in again." },
      404: {
        title: "This store is not registered",
        text: "Connect it first: open its onboarding.",
      },
      other: {
        title: "Something went wrong on our side",
        text: "It has been logged. Reload the page in a moment.",
      },
    },
  },
  es: {
    brand: "Identidad de clientes",
    nav: { setup: "Instalación", settings: "Configuración", onboarding: "Puesta en marcha" },
    setup: {
      title: "Instalación",
      health: "Estado",
      database: "Base de datos",
      up: "Funciona",
      down: "No responde",
      version: "Versión",
      roles: "Este proceso hace",
      address: "Dirección",
      sandbox: "Sistemas externos simulados",
      yes: "Sí",
      no: "No",
      lastRun: "Última ejecución programada",
      never: "Ninguna todavía",
      runStates: { running: "En curso desde", finished: "Terminada", interrupted: "Interrumpida" },
      errors: (count) =>
        count === 0 ? "sin errores" : count === 1 ? "con 1 error" : `con ${count} errores`,
      stores: "Tiendas",
      noStores: "Todavía no hay ninguna tienda conectada.",
      connectNew: "Conectar una tienda",
      domain: "Dominio de la tienda",
      connect: "Conectar",
      next: "Más tiendas",
      open: { settings: "Configuración", onboarding: "Puesta en marcha" },
      token: {
        none: "Sin conectar",
        valid: "Conectada",
        reauth_required: "Hay que volver a conectar",
      },
      facts: (role, region, channels) =>
        `${role}, región ${region}, ${channels === 1 ? "1 sistema" : `${channels} sistemas`}`,
      platform: "Lo que comparten todas las tiendas",
      platformText: "Cada valor se usa donde una tienda no tiene el suyo.",
      readOnly: "Entra con la clave de administración para cambiarlos.",
      settings: "Ajustes de este proceso",
      settingsText: "De su entorno. Los valores nunca se muestran.",
      states: { set: "Fijado", default: "Por defecto", unset: "Sin valor" },
      secret: "secreto",
    },
    picker: {
      title: "¿Qué tienda?",
      text: "Elige una tienda o escribe su dominio.",
      wrong: "Un dominio de tienda tiene la forma nombre.myshopify.com.",
      open: "Abrir",
      unknown: "Esta tienda todavía no está registrada. Conéctala primero.",
    },
    problems: {
      401: { title: "Tu sesión ha terminado", text: "Recarga la página para entrar de nuevo." },
      404: {
        title: "Esta tienda no está registrada",
        text: "Conéctala primero: abre su puesta en marcha.",
      },
      other: {
        title: "Algo ha fallado por nuestra parte",
        text: "Ha quedado registrado. Recarga la página en un momento.",
      },
    },
  },
  fr: {
    brand: "Identité client",
    nav: { setup: "Installation", settings: "Paramètres", onboarding: "Mise en route" },
    setup: {
      title: "Installation",
      health: "État",
      database: "Base de données",
      up: "Fonctionne",
      down: "Ne répond pas",
      version: "Version",
      roles: "Ce processus fait",
      address: "Adresse",
      sandbox: "Systèmes extérieurs simulés",
      yes: "Oui",
      no: "Non",
      lastRun: "Dernière exécution planifiée",
      never: "Aucune pour l'instant",
      runStates: { running: "En cours depuis", finished: "Terminée", interrupted: "Interrompue" },
      errors: (count) =>
        count === 0 ? "sans erreur" : count === 1 ? "avec 1 erreur" : `avec ${count} erreurs`,
      stores: "Boutiques",
      noStores: "Aucune boutique n'est encore connectée.",
      connectNew: "Connecter une boutique",
      domain: "Domaine de la boutique",
      connect: "Connecter",
      next: "Plus de boutiques",
      open: { settings: "Paramètres", onboarding: "Mise en route" },
      token: {
        none: "Non connectée",
        valid: "Connectée",
        reauth_required: "Reconnexion nécessaire",
      },
      facts: (role, region, channels) =>
        `${role}, région ${region}, ${channels === 1 ? "1 système" : `${channels} systèmes`}`,
      platform: "Ce que partagent toutes les boutiques",
      platformText: "Chaque valeur sert là où une boutique n'a pas la sienne.",
      readOnly: "Connectez-vous avec la clé d'administration pour les changer.",
      settings: "Réglages de ce processus",
      settingsText: "De son environnement. Les valeurs ne sont jamais montrées.",
      states: { set: "Défini", default: "Par défaut", unset: "Sans valeur" },
      secret: "secret",
    },
    picker: {
      title: "Quelle boutique ?",
      text: "Choisissez une boutique ou saisissez son domaine.",
      wrong: "Un domaine de boutique a la forme nom.myshopify.com.",
      open: "Ouvrir",
      unknown: "Cette boutique n'est pas encore enregistrée. Connectez-la d'abord.",
    },
    problems: {
      401: { title: "Votre session a pris fin", text: "Rechargez la page pour vous reconnecter." },
      404: {
        title: "Cette boutique n'est pas enregistrée",
        text: "Connectez-la d'abord : ouvrez sa mise en route.",
      },
      other: {
        title: "Une erreur s'est produite de notre côté",
        text: "Elle a été enregistrée. Rechargez la page dans un instant.",
      },
    },
  },
};

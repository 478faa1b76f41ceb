// The words of the settings screen around the fields; those of the fields themselves stand in field-words.ts.
import type { Words } from "../words.tsx";

type SectionName =
  | "store"
  | "sign_in"
  | "cms"
  | "analytics"
  | "profile"
  | "erp"
  | "retail"
  | "warehouse"
  | "email"
  | "bus"
  | "agents"
  | "consent"
  | "brand"
  | "security";

export type SettingsWords = {
  title: string;
  contents: string;
  sections: Record<SectionName, { title: string; text: string }>;
  save: string;
  discard: string;
  unsaved: string;
  saved: string;
  refused: string;
  locked: string;
  unreachable: string;
  failed: string;
  replace: string;
  keep: string;
  remove: string;
  willBeRemoved: string;
  notSet: string;
  newValue: string;
  isThere: string;
  instead(value: string): string;
  standard(value: string): string;
  choose: string;
  onePerLine: string;
  byPlatform: string;
  yes: string;
  no: string;
  routes: {
    type: string;
    channels: string;
    priority: string;
    usual: string;
    add: string;
    remove: string;
    none: string;
  };
  test: {
    button: string;
    first: string;
    works: string;
    mailed(to: string): string;
    fails: string;
    systems: Record<string, string>;
  };
};

export const SETTINGS_WORDS: Words<SettingsWords> = {
  en: {
    title: "Settings",
    contents: "On this page",
    sections: {
      store: {
        title: "Store",
        text: "The connection to your Shopify store. The install fills most of this in.",
      },
      security: {
        title: "Security",
        text: "Keys of this store, and which sites may act for its shoppers.",
      },
      sign_in: {
        title: "Sign-in",
        text: "How shoppers sign in elsewhere: Google or another identity provider, and Shopify customer accounts.",
      },
      cms: {
        title: "CMS (Webflow)",
        text: "Customers and tags are kept as items of your collections. They are staged, never published.",
      },
      analytics: {
        title: "Web analytics (Google Analytics 4)",
        text: "Consent-aware events by the measurement protocol. Nothing personal is sent.",
      },
      profile: {
        title: "Profile platform (Adobe Experience Platform)",
        text: "Profiles with hashed addresses, of shoppers who agreed.",
      },
      erp: { title: "ERP (SAP)", text: "Customers and orders as business documents." },
      retail: {
        title: "Retail measurement",
        text: "Sales of shoppers who agreed to share with analytics partners.",
      },
      warehouse: { title: "Warehouse", text: "The system that reports units by serial number." },
      email: { title: "E-mail (Resend)", text: "Who your store's messages come from." },
      bus: {
        title: "Event bus",
        text: "Which events go where. Left empty, each event takes its usual way.",
      },
      consent: { title: "Consent", text: "What your shoppers agree to, and how it is asked." },
      agents: { title: "Agents", text: "What AI agents may do for shoppers who allow it." },
      brand: { title: "Brand", text: "Shown on sign-in pages, in messages and in the banner." },
    },
    save: "Save",
    discard: "Discard",
    unsaved: "Unsaved changes",
    saved: "Saved.",
    refused: "Nothing was saved. Look at the marked fields.",
    locked:
      "Your session has ended. Open this page in a second tab, sign in there, and save again here.",
    unreachable:
      "The service was not reached. What you typed is still here: try again in a moment.",
    failed: "This could not be saved. Try again in a moment.",
    replace: "Replace",
    keep: "Keep the saved one",
    remove: "Remove",
    willBeRemoved: "Will be removed when you save.",
    notSet: "Not set",
    newValue: "New value",
    isThere: "Set by the platform",
    instead: (value) => `Used now: ${value}`,
    standard: (value) => `Usual: ${value}`,
    choose: "Not chosen",
    onePerLine: "One per line.",
    byPlatform: "Changed by whoever runs the service.",
    yes: "yes",
    no: "no",
    routes: {
      type: "Events",
      channels: "Go to",
      priority: "Priority",
      usual: "Usual",
      add: "Add a route",
      remove: "Remove this route",
      none: "No routes: each event takes its usual way.",
    },
    test: {
      button: "Test",
      first: "Save first: the test uses what is saved.",
      works: "It works.",
      mailed: (to) => `A message was sent to ${to}.`,
      fails: "It does not work:",
      systems: {
        storefront: "store connection",
        cms: "CMS",
        web_analytics: "analytics",
        erpsys: "ERP",
        erp_generic: "ERP by own mapping",
        email: "e-mail",
      },
    },
  },
  es: {
    title: "Configuración",
    contents: "En esta página",
    sections: {
      store: {
        title: "Tienda",
        text: "La conexión con tu tienda Shopify. La instalación rellena casi todo.",
      },
      security: {
        title: "Seguridad",
        text: "Las claves de esta tienda y los sitios que pueden actuar por sus compradores.",
      },
      sign_in: {
        title: "Inicio de sesión",
        text: "Cómo inician sesión los compradores en otro lugar: Google u otro proveedor, y las cuentas de cliente de Shopify.",
      },
      cms: {
        title: "CMS (Webflow)",
        text: "Los clientes y las etiquetas se guardan en tus colecciones, como borradores y nunca publicados.",
      },
      analytics: {
        title: "Analítica web (Google Analytics 4)",
        text: "Eventos según el consentimiento. No se envía nada personal.",
      },
      profile: {
        title: "Plataforma de perfiles (Adobe Experience Platform)",
        text: "Perfiles con direcciones cifradas, de quienes lo aceptaron.",
      },
      erp: { title: "ERP (SAP)", text: "Clientes y pedidos como documentos de negocio." },
      retail: {
        title: "Medición de ventas",
        text: "Ventas de compradores que aceptaron compartirlas con socios de análisis.",
      },
      warehouse: {
        title: "Almacén",
        text: "El sistema que informa de las unidades por número de serie.",
      },
      email: {
        title: "Correo (Resend)",
        text: "De parte de quién llegan los mensajes de tu tienda.",
      },
      bus: {
        title: "Bus de eventos",
        text: "Qué eventos van a dónde. Vacío: cada evento sigue su camino habitual.",
      },
      consent: {
        title: "Consentimiento",
        text: "Qué aceptan tus compradores y cómo se les pregunta.",
      },
      agents: {
        title: "Agentes",
        text: "Qué pueden hacer los agentes de IA por quienes lo permiten.",
      },
      brand: {
        title: "Marca",
        text: "Se muestra en las páginas de acceso, en los mensajes y en el aviso.",
      },
    },
    save: "Guardar",
    discard: "Descartar",
    unsaved: "Cambios sin guardar",
    saved: "Guardado.",
    refused: "No se ha guardado nada. Revisa los campos marcados.",
    locked:
      "Tu sesión ha terminado. Abre esta página en otra pestaña, inicia sesión allí y guarda aquí de nuevo.",
    unreachable:
      "No se ha podido contactar con el servicio. Lo escrito sigue aquí: inténtalo en un momento.",
    failed: "No se ha podido guardar. Inténtalo en un momento.",
    replace: "Sustituir",
    keep: "Conservar el guardado",
    remove: "Quitar",
    willBeRemoved: "Se quitará al guardar.",
    notSet: "Sin valor",
    newValue: "Valor nuevo",
    isThere: "Fijado por la plataforma",
    instead: (value) => `Se usa ahora: ${value}`,
    standard: (value) => `Habitual: ${value}`,
    choose: "Sin elegir",
    onePerLine: "Uno por línea.",
    byPlatform: "Lo cambia quien gestiona el servicio.",
    yes: "sí",
    no: "no",
    routes: {
      type: "Eventos",
      channels: "Van a",
      priority: "Prioridad",
      usual: "Habitual",
      add: "Añadir una ruta",
      remove: "Quitar esta ruta",
      none: "Sin rutas: cada evento sigue su camino habitual.",
    },
    test: {
      button: "Probar",
      first: "Guarda primero: la prueba usa lo guardado.",
      works: "Funciona.",
      mailed: (to) => `Se ha enviado un mensaje a ${to}.`,
      fails: "No funciona:",
      systems: {
        storefront: "conexión con la tienda",
        cms: "CMS",
        web_analytics: "analítica",
        erpsys: "ERP",
        erp_generic: "ERP con asignación propia",
        email: "correo",
      },
    },
  },
  fr: {
    title: "Paramètres",
    contents: "Sur cette page",
    sections: {
      store: {
        title: "Boutique",
        text: "La connexion à votre boutique Shopify. L'installation remplit presque tout.",
      },
      security: {
        title: "Sécurité",
        text: "Les clés de cette boutique et les sites qui peuvent agir pour ses acheteurs.",
      },
      sign_in: {
        title: "Connexion",
        text: "Comment les acheteurs se connectent ailleurs : Google ou un autre fournisseur, et les comptes clients Shopify.",
      },
      cms: {
        title: "CMS (Webflow)",
        text: "Les clients et les étiquettes sont gardés dans vos collections, en brouillon et jamais publiés.",
      },
      analytics: {
        title: "Mesure d'audience (Google Analytics 4)",
        text: "Des événements selon le consentement. Rien de personnel n'est envoyé.",
      },
      profile: {
        title: "Plateforme de profils (Adobe Experience Platform)",
        text: "Des profils aux adresses hachées, de ceux qui l'ont accepté.",
      },
      erp: { title: "ERP (SAP)", text: "Clients et commandes sous forme de documents." },
      retail: {
        title: "Mesure des ventes",
        text: "Les ventes des acheteurs qui ont accepté de les partager avec des partenaires d'analyse.",
      },
      warehouse: {
        title: "Entrepôt",
        text: "Le système qui signale les unités par numéro de série.",
      },
      email: {
        title: "E-mail (Resend)",
        text: "De la part de qui partent les messages de votre boutique.",
      },
      bus: {
        title: "Bus d'événements",
        text: "Quels événements vont où. Vide : chaque événement suit son chemin habituel.",
      },
      consent: {
        title: "Consentement",
        text: "Ce que vos acheteurs acceptent, et comment on le leur demande.",
      },
      agents: {
        title: "Agents",
        text: "Ce que les agents d'IA peuvent faire pour ceux qui le permettent.",
      },
      brand: {
        title: "Marque",
        text: "Affichée sur les pages de connexion, dans les messages et dans la bannière.",
      },
    },
    save: "Enregistrer",
    discard: "Annuler",
    unsaved: "Modifications non enregistrées",
    saved: "Enregistré.",
    refused: "Rien n'a été enregistré. Regardez les champs signalés.",
    locked:
      "Votre session est terminée. Ouvrez cette page dans un second onglet, connectez-vous, puis enregistrez ici de nouveau.",
    unreachable:
      "Le service n'a pas pu être joint. Votre saisie est toujours là : réessayez dans un instant.",
    failed: "L'enregistrement a échoué. Réessayez dans un instant.",
    replace: "Remplacer",
    keep: "Garder la valeur enregistrée",
    remove: "Retirer",
    willBeRemoved: "Sera retiré à l'enregistrement.",
    notSet: "Sans valeur",
    newValue: "Nouvelle valeur",
    isThere: "Fixé par la plateforme",
    instead: (value) => `Utilisé actuellement : ${value}`,
    standard: (value) => `Habituel : ${value}`,
    choose: "Non choisi",
    onePerLine: "Un par ligne.",
    byPlatform: "Modifié par ceux qui gèrent le service.",
    yes: "oui",
    no: "non",
    routes: {
      type: "Événements",
      channels: "Vont vers",
      priority: "Priorité",
      usual: "Habituelle",
      add: "Ajouter une route",
      remove: "Retirer cette route",
      none: "Aucune route : chaque événement suit son chemin habituel.",
    },
    test: {
      button: "Tester",
      first: "Enregistrez d'abord : le test utilise ce qui est enregistré.",
      works: "Cela fonctionne.",
      mailed: (to) => `Un message a été envoyé à ${to}.`,
      fails: "Cela ne fonctionne pas :",
      systems: {
        storefront: "connexion à la boutique",
        cms: "CMS",
        web_analytics: "mesure d'audience",
        erpsys: "ERP",
        erp_generic: "ERP par correspondance propre",
        email: "e-mail",
      },
    },
  },
};

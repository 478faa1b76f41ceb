// The words of the setup guide.
import type { Words } from "../words.tsx";

type Step = { title: string; text: string; button: string };
type GuideWords = {
  title: string;
  progress(done: number, of: number): string;
  all: string;
  states: Record<"done" | "running" | "failed" | "todo", string>;
  steps: Record<"connect" | "embed" | "tags" | "sync" | "systems", Step>;
  blocks: Record<"footer" | "account" | "compliance", string>;
  reconnect: string;
  checkEmbed: string;
  confirmEmbed: string;
  syncing(read: number): string;
  again: string;
  problems: Record<"not_seen" | "not_connected" | "refused" | "locked", string>;
  syncFailed: string;
  said: string;
};

export const GUIDE_WORDS: Words<GuideWords> = {
  en: {
    title: "Setup guide",
    progress: (done, of) => `${done} of ${of} steps done`,
    all: "Everything is set up. Customers, tags and consent are kept in step from now on.",
    states: { done: "Done", running: "Under way", failed: "Needs attention", todo: "To do" },
    steps: {
      connect: {
        title: "Connect your store",
        text: "Allow the app to read and update your customers. Your store shows what it asks for before you agree.",
        button: "Connect",
      },
      embed: {
        title: "Show the consent banner in your theme",
        text: "Switch the app embed on in the theme editor and press Save there. Shoppers then see the banner and can change their choice at any time.",
        button: "Open the theme editor",
      },
      tags: {
        title: "Prepare the tags",
        text: "Creates the 17 tags the app keeps, and the customer fields in your store that show them. Your own tags stay as they are.",
        button: "Prepare the tags",
      },
      sync: {
        title: "Bring your customers in",
        text: "Reads the customers of your store once. You may close this page meanwhile; changes arrive by themselves afterwards.",
        button: "Start the first sync",
      },
      systems: {
        title: "Connect your other systems",
        text: "Website content, web analytics, customer profiles, ERP: each works once its address and key are saved.",
        button: "Open settings",
      },
    },
    blocks: {
      footer: "Add the footer",
      account: "Add the account page",
      compliance: "Add the privacy page",
    },
    reconnect: "Reconnect",
    checkEmbed: "Check now",
    confirmEmbed: "I have switched it on",
    syncing: (read) =>
      read === 0
        ? "Waiting for your store to hand over its customers."
        : `${read} customers read so far.`,
    again: "Try again",
    problems: {
      not_seen:
        "The banner is not on your store's front page yet. If your store has a password page, confirm it yourself.",
      not_connected: "Connect your store first.",
      refused: "This could not be finished.",
      locked: "Your session has ended. Reload the page to go on.",
    },
    syncFailed: "The last sync stopped before its end. What was read until then is kept.",
    said: "The answer was:",
  },
  es: {
    title: "Guía de configuración",
    progress: (done, of) => `${done} de ${of} pasos hechos`,
    all: "Todo está configurado. A partir de ahora los clientes, las etiquetas y el consentimiento se mantienen al día.",
    states: { done: "Hecho", running: "En curso", failed: "Requiere atención", todo: "Pendiente" },
    steps: {
      connect: {
        title: "Conecta tu tienda",
        text: "Permite que la aplicación lea y actualice tus clientes. La tienda muestra lo que pide antes de que aceptes.",
        button: "Conectar",
      },
      embed: {
        title: "Muestra el aviso de consentimiento en tu tema",
        text: "Activa la inserción de la aplicación en el editor de temas y pulsa Guardar. Los compradores verán el aviso y podrán cambiar su elección cuando quieran.",
        button: "Abrir el editor de temas",
      },
      tags: {
        title: "Prepara las etiquetas",
        text: "Crea las 17 etiquetas de la aplicación y los campos de cliente de tu tienda que las muestran. Tus propias etiquetas no cambian.",
        button: "Preparar las etiquetas",
      },
      sync: {
        title: "Trae a tus clientes",
        text: "Lee una vez los clientes de tu tienda. Puedes cerrar esta página mientras tanto; después los cambios llegan solos.",
        button: "Iniciar la primera sincronización",
      },
      systems: {
        title: "Conecta tus otros sistemas",
        text: "Contenido web, analítica, perfiles de clientes, ERP: cada uno funciona cuando se guardan su dirección y su clave.",
        button: "Abrir la configuración",
      },
    },
    blocks: {
      footer: "Añadir el pie",
      account: "Añadir la página de cuenta",
      compliance: "Añadir la página de privacidad",
    },
    reconnect: "Volver a conectar",
    checkEmbed: "Comprobar ahora",
    confirmEmbed: "Ya lo he activado",
    syncing: (read) =>
      read === 0
        ? "Esperando a que tu tienda entregue sus clientes."
        : `${read} clientes leídos hasta ahora.`,
    again: "Intentar de nuevo",
    problems: {
      not_seen:
        "El aviso todavía no está en la portada de tu tienda. Si tu tienda tiene página de contraseña, confírmalo tú.",
      not_connected: "Conecta primero tu tienda.",
      refused: "No se ha podido terminar.",
      locked: "Tu sesión ha terminado. Vuelve a cargar la página para continuar.",
    },
    syncFailed:
      "La última sincronización se detuvo antes de acabar. Lo leído hasta entonces se conserva.",
    said: "La respuesta fue:",
  },
  fr: {
    title: "Guide de configuration",
    progress: (done, of) => `${done} étapes sur ${of} terminées`,
    all: "Tout est configuré. Les clients, les étiquettes et le consentement restent désormais à jour.",
    states: { done: "Terminé", running: "En cours", failed: "À vérifier", todo: "À faire" },
    steps: {
      connect: {
        title: "Connectez votre boutique",
        text: "Autorisez l'application à lire et à mettre à jour vos clients. Votre boutique montre ce qu'elle demande avant votre accord.",
        button: "Connecter",
      },
      embed: {
        title: "Affichez la bannière de consentement dans votre thème",
        text: "Activez l'intégration de l'application dans l'éditeur de thème et enregistrez. Les acheteurs voient alors la bannière et peuvent changer d'avis à tout moment.",
        button: "Ouvrir l'éditeur de thème",
      },
      tags: {
        title: "Préparez les étiquettes",
        text: "Crée les 17 étiquettes de l'application et les champs client de votre boutique qui les montrent. Vos propres étiquettes ne changent pas.",
        button: "Préparer les étiquettes",
      },
      sync: {
        title: "Importez vos clients",
        text: "Lit une fois les clients de votre boutique. Vous pouvez fermer cette page entre-temps ; ensuite les changements arrivent d'eux-mêmes.",
        button: "Lancer la première synchronisation",
      },
      systems: {
        title: "Connectez vos autres systèmes",
        text: "Contenu du site, mesure d'audience, profils clients, ERP : chacun fonctionne dès que son adresse et sa clé sont enregistrées.",
        button: "Ouvrir les paramètres",
      },
    },
    blocks: {
      footer: "Ajouter le pied de page",
      account: "Ajouter la page de compte",
      compliance: "Ajouter la page de confidentialité",
    },
    reconnect: "Reconnecter",
    checkEmbed: "Vérifier maintenant",
    confirmEmbed: "Je l'ai activée",
    syncing: (read) =>
      read === 0 ? "En attente des clients de votre boutique." : `${read} clients lus jusqu'ici.`,
    again: "Réessayer",
    problems: {
      not_seen:
        "La bannière n'est pas encore sur la page d'accueil de votre boutique. Si votre boutique a une page de mot de passe, confirmez-le vous-même.",
      not_connected: "Connectez d'abord votre boutique.",
      refused: "Cela n'a pas pu être terminé.",
      locked: "Votre session est terminée. Rechargez la page pour continuer.",
    },
    syncFailed:
      "La dernière synchronisation s'est arrêtée avant la fin. Ce qui a été lu est conservé.",
    said: "La réponse était :",
  },
};

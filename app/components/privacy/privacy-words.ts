// The words of the privacy requests screen.
import type { Words } from "../words.tsx";

type PrivacyText = {
  title: string;
  intro: string;
  columns: {
    kind: string;
    state: string;
    received: string;
    due: string;
    finished: string;
    next: string;
  };
  kinds: Record<"data_request" | "customer_redact" | "shop_redact", string>;
  states: Record<"received" | "running" | "done" | "retained" | "failed", string>;
  overdue: string;
  byHand: string;
  number: (id: number) => string;
  again: string;
  kept: string;
  filters: { kind: string; state: string };
  groups: Record<"open" | "failed" | "finished", string>;
  problems: Record<"no_email_provider" | "no_recipient" | "left_behind" | "ours", string>;
  system: (name: string) => string;
  retry: string;
  retryOf: (id: number) => string;
  retried: string;
  export: string;
  exportOf: (id: number) => string;
  exportReady: string;
  openExport: string;
  exportGone: string;
  handed: string;
  handedTitle: string;
  handedText: string;
  handedDone: string;
  make: {
    title: string;
    text: string;
    kind: string;
    email: string;
    wrongEmail: string;
    start: string;
    eraseTitle: string;
    eraseText: string;
    eraseConfirm: string;
    done: string;
  };
  empty: { title: string; text: string };
  nothingFound: { title: string; text: string };
};

export const PRIVACY_WORDS: Words<PrivacyText> = {
  en: {
    title: "Privacy requests",
    intro:
      "What customers ask of you under privacy law. Your store passes their requests on, and they are worked here by themselves within 30 days.",
    columns: {
      kind: "Request",
      state: "State",
      received: "Received",
      due: "Due",
      finished: "Finished",
      next: "To do",
    },
    kinds: {
      data_request: "Copy of the customer's data",
      customer_redact: "Erase a customer",
      shop_redact: "Erase the store",
    },
    states: {
      received: "Waiting",
      running: "Under way",
      done: "Done",
      retained: "Done, some kept",
      failed: "Needs you",
    },
    overdue: "Overdue",
    byHand: "Made by hand",
    number: (id) => `Request ${id}`,
    again: "Tried again at",
    kept: "Entries that the law lets you keep stay, without the person's name.",
    filters: { kind: "Request", state: "State" },
    groups: { open: "Open", failed: "Needs you", finished: "Finished" },
    problems: {
      no_email_provider:
        "The copy is ready, but no e-mail service is set up to send it to you. Download it here.",
      no_recipient:
        "The copy is ready, but no address of yours is known. Download it here, and set a support e-mail in the settings.",
      left_behind: "Something of the person was still found, so it is erased once more.",
      ours: "A fault on our side, which has been logged.",
    },
    system: (name) => `${name} did not do its part.`,
    retry: "Try now",
    retryOf: (id) => `Try now: request ${id}`,
    retried: "Tried again now",
    export: "Get the data",
    exportOf: (id) => `Get the data: request ${id}`,
    exportReady: "The data is ready behind this link. It works once, for seven days.",
    openExport: "Open the download",
    exportGone: "The data is not there any more: the customer was erased since.",
    handed: "Mark as handed over",
    handedTitle: "Did you hand the data over?",
    handedText:
      "The request is then done. Hand the data to the customer yourself before you press this.",
    handedDone: "Request done",
    make: {
      title: "Start a request yourself",
      text: "For a customer who asked you directly, by e-mail or in the store.",
      kind: "Request",
      email: "Customer's e-mail",
      wrongEmail: "Write a whole e-mail address.",
      start: "Start",
      eraseTitle: "Erase this customer?",
      eraseText:
        "Name, address, tags and history of this person are erased here and in the connected systems. It cannot be undone.",
      eraseConfirm: "Erase customer",
      done: "Request started",
    },
    empty: {
      title: "No privacy request so far",
      text: "When a customer asks for their data or to be forgotten, the request appears here.",
    },
    nothingFound: {
      title: "Nothing matches these filters",
      text: "Change the filters, or clear them.",
    },
  },
  es: {
    title: "Solicitudes de privacidad",
    intro:
      "Lo que los clientes te piden según la ley de privacidad. Tu tienda transmite sus solicitudes y aquí se tramitan por sí solas en 30 días.",
    columns: {
      kind: "Solicitud",
      state: "Estado",
      received: "Recibida",
      due: "Vence",
      finished: "Terminada",
      next: "Por hacer",
    },
    kinds: {
      data_request: "Copia de los datos del cliente",
      customer_redact: "Borrar a un cliente",
      shop_redact: "Borrar la tienda",
    },
    states: {
      received: "En espera",
      running: "En curso",
      done: "Hecha",
      retained: "Hecha, con algo conservado",
      failed: "Te necesita",
    },
    overdue: "Vencida",
    byHand: "Hecha a mano",
    number: (id) => `Solicitud ${id}`,
    again: "Nuevo intento el",
    kept: "Se conservan, sin el nombre de la persona, las entradas que la ley permite guardar.",
    filters: { kind: "Solicitud", state: "Estado" },
    groups: { open: "Abiertas", failed: "Te necesitan", finished: "Terminadas" },
    problems: {
      no_email_provider:
        "La copia está lista, pero no hay servicio de correo para enviártela. Descárgala aquí.",
      no_recipient:
        "La copia está lista, pero no se conoce ninguna dirección tuya. Descárgala aquí e indica un correo de soporte en la configuración.",
      left_behind: "Aún se encontró algo de la persona, así que se borra otra vez.",
      ours: "Un fallo nuestro, que ha quedado registrado.",
    },
    system: (name) => `${name} no hizo su parte.`,
    retry: "Intentar ahora",
    retryOf: (id) => `Intentar ahora: solicitud ${id}`,
    retried: "Se intenta de nuevo",
    export: "Obtener los datos",
    exportOf: (id) => `Obtener los datos: solicitud ${id}`,
    exportReady: "Los datos están tras este enlace. Funciona una vez, durante siete días.",
    openExport: "Abrir la descarga",
    exportGone: "Los datos ya no están: el cliente fue borrado después.",
    handed: "Marcar como entregada",
    handedTitle: "¿Entregaste los datos?",
    handedText: "La solicitud queda hecha. Entrega tú los datos al cliente antes de pulsar esto.",
    handedDone: "Solicitud hecha",
    make: {
      title: "Iniciar una solicitud",
      text: "Para un cliente que te lo pidió directamente, por correo o en la tienda.",
      kind: "Solicitud",
      email: "Correo del cliente",
      wrongEmail: "Escribe una dirección de correo completa.",
      start: "Iniciar",
      eraseTitle: "¿Borrar a este cliente?",
      eraseText:
        "El nombre, la dirección, las etiquetas y el historial de esta persona se borran aquí y en los sistemas conectados. No se puede deshacer.",
      eraseConfirm: "Borrar cliente",
      done: "Solicitud iniciada",
    },
    empty: {
      title: "Ninguna solicitud de privacidad hasta ahora",
      text: "Cuando un cliente pida sus datos o ser olvidado, la solicitud aparecerá aquí.",
    },
    nothingFound: {
      title: "Nada coincide con estos filtros",
      text: "Cambia los filtros o quítalos.",
    },
  },
  fr: {
    title: "Demandes de confidentialité",
    intro:
      "Ce que les clients vous demandent au titre de la protection des données. Votre boutique transmet leurs demandes, et elles sont traitées ici d'elles-mêmes sous 30 jours.",
    columns: {
      kind: "Demande",
      state: "État",
      received: "Reçue",
      due: "Échéance",
      finished: "Terminée",
      next: "À faire",
    },
    kinds: {
      data_request: "Copie des données du client",
      customer_redact: "Effacer un client",
      shop_redact: "Effacer la boutique",
    },
    states: {
      received: "En attente",
      running: "En cours",
      done: "Terminée",
      retained: "Terminée, une partie conservée",
      failed: "À vous de jouer",
    },
    overdue: "En retard",
    byHand: "Faite à la main",
    number: (id) => `Demande ${id}`,
    again: "Nouvel essai le",
    kept: "Les entrées que la loi permet de garder restent, sans le nom de la personne.",
    filters: { kind: "Demande", state: "État" },
    groups: { open: "Ouvertes", failed: "À vous de jouer", finished: "Terminées" },
    problems: {
      no_email_provider:
        "La copie est prête, mais aucun service d'e-mail n'est configuré pour vous l'envoyer. Téléchargez-la ici.",
      no_recipient:
        "La copie est prête, mais aucune adresse de votre part n'est connue. Téléchargez-la ici et indiquez un e-mail d'assistance dans les paramètres.",
      left_behind: "Quelque chose de la personne a encore été trouvé ; l'effacement recommence.",
      ours: "Une erreur de notre côté, enregistrée.",
    },
    system: (name) => `${name} n'a pas fait sa part.`,
    retry: "Essayer maintenant",
    retryOf: (id) => `Essayer maintenant : demande ${id}`,
    retried: "Nouvel essai en cours",
    export: "Obtenir les données",
    exportOf: (id) => `Obtenir les données : demande ${id}`,
    exportReady: "Les données sont derrière ce lien. Il fonctionne une fois, pendant sept jours.",
    openExport: "Ouvrir le téléchargement",
    exportGone: "Les données ne sont plus là : le client a été effacé depuis.",
    handed: "Marquer comme remise",
    handedTitle: "Avez-vous remis les données ?",
    handedText:
      "La demande est alors terminée. Remettez vous-même les données au client avant d'appuyer.",
    handedDone: "Demande terminée",
    make: {
      title: "Lancer une demande vous-même",
      text: "Pour un client qui vous l'a demandé directement, par e-mail ou en boutique.",
      kind: "Demande",
      email: "E-mail du client",
      wrongEmail: "Écrivez une adresse e-mail complète.",
      start: "Lancer",
      eraseTitle: "Effacer ce client ?",
      eraseText:
        "Le nom, l'adresse, les tags et l'historique de cette personne sont effacés ici et dans les systèmes connectés. C'est irréversible.",
      eraseConfirm: "Effacer le client",
      done: "Demande lancée",
    },
    empty: {
      title: "Aucune demande de confidentialité pour l'instant",
      text: "Quand un client demande ses données ou l'oubli, la demande apparaît ici.",
    },
    nothingFound: {
      title: "Rien ne correspond à ces filtres",
      text: "Changez les filtres ou effacez-les.",
    },
  },
};

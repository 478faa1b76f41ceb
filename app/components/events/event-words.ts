// The words of the events screens.
import type { Words } from "../words.tsx";

type EventText = {
  title: string;
  sections: string;
  overview: string;
  dead: string;
  log: string;
  destinations: string;
  event: string;
  forbidden: { title: string; text: string };
  chart: string;
  delivered: string;
  failed: string;
  waiting: string;
  hour: string;
  chartSummary: (delivered: string, failed: string) => string;
  last24h: string;
  states: Record<"on" | "paused" | "off", string>;
  pausedUntil: string;
  missing: string;
  lastProblem: string;
  noProblem: string;
  toSettings: string;
  test: string;
  testOf: (channel: string) => string;
  works: (ms: string) => string;
  deadCount: (count: string) => string;
  columns: {
    when: string;
    event: string;
    kind: string;
    channel: string;
    outcome: string;
    tries: string;
    took: string;
    reason: string;
    since: string;
  };
  statuses: Record<
    "pending" | "processing" | "ready" | "delivered" | "dead_letter" | "failed",
    string
  >;
  filters: { channel: string; status: string; event: string };
  logEmpty: { title: string; text: string; action: string };
  nothingFound: { title: string; text: string };
  deadEmpty: { title: string; text: string };
  deadIntro: string;
  replay: {
    button: string;
    all: (count: string) => string;
    allTitle: string;
    allText: string;
    confirm: string;
    running: (done: string, of: string) => string;
    done: (done: string, of: string) => string;
    partly: (left: string) => string;
    interrupted: (done: string, of: string) => string;
    failed: (done: string, of: string) => string;
    last: string;
    busy: string;
    pausedNote: string;
  };
  view: {
    id: string;
    source: string;
    about: string;
    entity: string;
    priority: string;
    destinations: string;
    occurred: string;
    received: string;
    fingerprint: string;
    deliveries: string;
    attempts: string;
    nextTry: string;
    hidden: string;
    triesOf: (tries: number, most: number) => string;
    back: string;
    noAttempts: string;
    noDeliveries: string;
  };
  edit: {
    intro: string;
    which: string;
    everyone: string;
    chosen: string;
    routes: string;
    routesHint: string;
    pattern: string;
    patternHint: string;
    channels: string;
    priority: string;
    usual: string;
    add: string;
    remove: (place: number) => string;
    save: string;
    discard: string;
    saved: string;
    wrongRoutes: string;
    wrongChannels: string;
    noRoutes: string;
    priorities: Record<1 | 2 | 3 | 4 | 5, string>;
    route: (place: number) => string;
  };
};

export const EVENT_WORDS: Words<EventText> = {
  en: {
    title: "Events",
    sections: "Pages about events",
    overview: "Overview",
    dead: "Not delivered",
    log: "Delivery log",
    destinations: "Destinations",
    event: "Event",
    forbidden: {
      title: "Events are managed for your store",
      text: "Your store shares this service with others, so whoever runs it sets where events go. Ask them when something should change.",
    },
    chart: "Deliveries per hour",
    delivered: "Delivered",
    failed: "Failed tries",
    waiting: "Waiting",
    hour: "Hour",
    chartSummary: (delivered, failed) =>
      `${delivered} delivered and ${failed} failed tries in the last 24 hours.`,
    last24h: "Last 24 hours",
    states: { on: "On", paused: "Paused", off: "Not set up" },
    pausedUntil: "Does not answer; tried again at",
    missing: "Missing",
    lastProblem: "Last problem",
    noProblem: "No problem so far",
    toSettings: "Open settings",
    test: "Test connection",
    testOf: (channel) => `Test connection: ${channel}`,
    works: (ms) => `The connection works (${ms} ms).`,
    deadCount: (count) => `${count} not delivered`,
    columns: {
      when: "When",
      event: "Event",
      kind: "Kind",
      channel: "Destination",
      outcome: "Outcome",
      tries: "Tries",
      took: "Took",
      reason: "Reason",
      since: "Given up",
    },
    statuses: {
      pending: "Waiting",
      processing: "Under way",
      ready: "Under way",
      delivered: "Delivered",
      dead_letter: "Not delivered",
      failed: "Failed",
    },
    filters: { channel: "Destination", status: "Outcome", event: "Event id" },
    logEmpty: {
      title: "Nothing was delivered yet",
      text: "Every delivery to your systems appears here, with its outcome.",
      action: "Choose destinations",
    },
    nothingFound: {
      title: "Nothing matches these filters",
      text: "Change the filters, or clear them.",
    },
    deadEmpty: {
      title: "Everything was delivered",
      text: "What could not be delivered after all tries waits here for you.",
    },
    deadIntro:
      "These were tried as often as their urgency allows, and given up. Mend the reason, then replay them.",
    replay: {
      button: "Replay",
      all: (count) => `Replay all ${count}`,
      allTitle: "Replay everything that was not delivered?",
      allText:
        "Everything in this list goes back into the queue and is tried again from the beginning. What still has its reason comes back here.",
      confirm: "Replay all",
      running: (done, of) => `Putting back into the queue: ${done} of ${of}`,
      done: (done, of) => `${done} of ${of} put back into the queue.`,
      partly: (left) => `${left} were not waiting here any more.`,
      interrupted: (done, of) =>
        `The replay was interrupted after ${done} of ${of}. The others are still here; replay them again.`,
      failed: (done, of) =>
        `The replay stopped after ${done} of ${of}: a fault on our side, which has been logged. The others are still here.`,
      last: "Last replay",
      busy: "A replay is under way already.",
      pausedNote: "A paused destination gets its events when its pause is over.",
    },
    view: {
      id: "Event id",
      source: "Came from",
      about: "About",
      entity: "Its number there",
      priority: "Urgency",
      destinations: "Destinations",
      occurred: "Happened",
      received: "Received",
      fingerprint: "Fingerprint of the content",
      deliveries: "Where it went",
      attempts: "Tries",
      nextTry: "Next try",
      hidden: "Not shown: it names a person",
      triesOf: (tries, most) => `${tries} of ${most}`,
      back: "Back to the log",
      noAttempts: "Nothing was tried yet.",
      noDeliveries: "It went nowhere.",
    },
    edit: {
      intro: "Where the events of your store go.",
      which: "Destinations in use",
      everyone: "Every destination whose settings are there",
      chosen: "Only these",
      routes: "Routes",
      routesHint:
        "An event goes to the destinations of every route that it matches. Without a matching route it goes where its kind usually goes.",
      pattern: "Kind of event",
      patternHint: "For example order.created, or customer.*",
      channels: "Goes to",
      priority: "Urgency",
      usual: "As usual",
      add: "Add a route",
      remove: (place) => `Remove route ${place}`,
      save: "Save",
      discard: "Discard",
      saved: "Destinations saved",
      wrongRoutes:
        "A kind of event is written with small letters, digits, dots, _ and *, and each route needs at least one destination.",
      wrongChannels: "Choose among the destinations of the list.",
      noRoutes: "No routes: every event goes where its kind usually goes.",
      priorities: {
        1: "1, first of all",
        2: "2, urgent",
        3: "3, normal",
        4: "4, can wait",
        5: "5, last",
      },
      route: (place) => `Route ${place}`,
    },
  },
  es: {
    title: "Eventos",
    sections: "Páginas sobre eventos",
    overview: "Resumen",
    dead: "No entregados",
    log: "Registro de entregas",
    destinations: "Destinos",
    event: "Evento",
    forbidden: {
      title: "Los eventos de tu tienda los gestiona otra persona",
      text: "Tu tienda comparte este servicio con otras, así que quien lo administra decide adónde van los eventos. Pídele los cambios que necesites.",
    },
    chart: "Entregas por hora",
    delivered: "Entregados",
    failed: "Intentos fallidos",
    waiting: "En espera",
    hour: "Hora",
    chartSummary: (delivered, failed) =>
      `${delivered} entregados y ${failed} intentos fallidos en las últimas 24 horas.`,
    last24h: "Últimas 24 horas",
    states: { on: "Activo", paused: "En pausa", off: "Sin configurar" },
    pausedUntil: "No responde; nuevo intento el",
    missing: "Falta",
    lastProblem: "Último problema",
    noProblem: "Ningún problema hasta ahora",
    toSettings: "Abrir configuración",
    test: "Probar conexión",
    testOf: (channel) => `Probar conexión: ${channel}`,
    works: (ms) => `La conexión funciona (${ms} ms).`,
    deadCount: (count) => `${count} no entregados`,
    columns: {
      when: "Cuándo",
      event: "Evento",
      kind: "Tipo",
      channel: "Destino",
      outcome: "Resultado",
      tries: "Intentos",
      took: "Duración",
      reason: "Motivo",
      since: "Abandonado",
    },
    statuses: {
      pending: "En espera",
      processing: "En curso",
      ready: "En curso",
      delivered: "Entregado",
      dead_letter: "No entregado",
      failed: "Fallido",
    },
    filters: { channel: "Destino", status: "Resultado", event: "Id del evento" },
    logEmpty: {
      title: "Aún no se ha entregado nada",
      text: "Cada entrega a tus sistemas aparece aquí con su resultado.",
      action: "Elegir destinos",
    },
    nothingFound: {
      title: "Nada coincide con estos filtros",
      text: "Cambia los filtros o quítalos.",
    },
    deadEmpty: {
      title: "Todo se ha entregado",
      text: "Lo que no se pudo entregar tras todos los intentos te espera aquí.",
    },
    deadIntro:
      "Se intentaron tantas veces como permite su urgencia y se abandonaron. Corrige el motivo y reenvíalos.",
    replay: {
      button: "Reenviar",
      all: (count) => `Reenviar los ${count}`,
      allTitle: "¿Reenviar todo lo no entregado?",
      allText:
        "Todo lo de esta lista vuelve a la cola y se intenta desde el principio. Lo que siga teniendo su motivo volverá aquí.",
      confirm: "Reenviar todo",
      running: (done, of) => `Devolviendo a la cola: ${done} de ${of}`,
      done: (done, of) => `${done} de ${of} devueltos a la cola.`,
      partly: (left) => `${left} ya no estaban aquí.`,
      interrupted: (done, of) =>
        `El reenvío se interrumpió tras ${done} de ${of}. Los demás siguen aquí; reenvíalos de nuevo.`,
      failed: (done, of) =>
        `El reenvío se detuvo tras ${done} de ${of}: un fallo nuestro, que ha quedado registrado. Los demás siguen aquí.`,
      last: "Último reenvío",
      busy: "Ya hay un reenvío en curso.",
      pausedNote: "Un destino en pausa recibe sus eventos cuando la pausa termina.",
    },
    view: {
      id: "Id del evento",
      source: "Procede de",
      about: "Sobre",
      entity: "Su número allí",
      priority: "Urgencia",
      destinations: "Destinos",
      occurred: "Ocurrió",
      received: "Recibido",
      fingerprint: "Huella del contenido",
      deliveries: "Adónde fue",
      attempts: "Intentos",
      nextTry: "Próximo intento",
      hidden: "No se muestra: nombra a una persona",
      triesOf: (tries, most) => `${tries} de ${most}`,
      back: "Volver al registro",
      noAttempts: "Aún no se ha intentado nada.",
      noDeliveries: "No fue a ninguna parte.",
    },
    edit: {
      intro: "Adónde van los eventos de tu tienda.",
      which: "Destinos en uso",
      everyone: "Todos los destinos configurados",
      chosen: "Solo estos",
      routes: "Rutas",
      routesHint:
        "Un evento va a los destinos de cada ruta con la que coincide. Sin ruta, va adonde suele ir su tipo.",
      pattern: "Tipo de evento",
      patternHint: "Por ejemplo order.created o customer.*",
      channels: "Va a",
      priority: "Urgencia",
      usual: "La habitual",
      add: "Añadir una ruta",
      remove: (place) => `Quitar la ruta ${place}`,
      save: "Guardar",
      discard: "Descartar",
      saved: "Destinos guardados",
      wrongRoutes:
        "Un tipo de evento se escribe con minúsculas, cifras, puntos, _ y *, y cada ruta necesita al menos un destino.",
      wrongChannels: "Elige entre los destinos de la lista.",
      noRoutes: "Sin rutas: cada evento va adonde suele ir su tipo.",
      priorities: {
        1: "1, lo primero",
        2: "2, urgente",
        3: "3, normal",
        4: "4, puede esperar",
        5: "5, lo último",
      },
      route: (place) => `Ruta ${place}`,
    },
  },
  fr: {
    title: "Événements",
    sections: "Pages sur les événements",
    overview: "Vue d'ensemble",
    dead: "Non livrés",
    log: "Journal des livraisons",
    destinations: "Destinations",
    event: "Événement",
    forbidden: {
      title: "Les événements de votre boutique sont gérés pour vous",
      text: "Votre boutique partage ce service avec d'autres : qui l'administre décide où vont les événements. Adressez-lui vos demandes de changement.",
    },
    chart: "Livraisons par heure",
    delivered: "Livrés",
    failed: "Essais échoués",
    waiting: "En attente",
    hour: "Heure",
    chartSummary: (delivered, failed) =>
      `${delivered} livrés et ${failed} essais échoués au cours des dernières 24 heures.`,
    last24h: "Dernières 24 heures",
    states: { on: "Actif", paused: "En pause", off: "Non configuré" },
    pausedUntil: "Ne répond pas ; nouvel essai le",
    missing: "Il manque",
    lastProblem: "Dernier problème",
    noProblem: "Aucun problème jusqu'ici",
    toSettings: "Ouvrir les paramètres",
    test: "Tester la connexion",
    testOf: (channel) => `Tester la connexion : ${channel}`,
    works: (ms) => `La connexion fonctionne (${ms} ms).`,
    deadCount: (count) => `${count} non livrés`,
    columns: {
      when: "Quand",
      event: "Événement",
      kind: "Type",
      channel: "Destination",
      outcome: "Résultat",
      tries: "Essais",
      took: "Durée",
      reason: "Raison",
      since: "Abandonné",
    },
    statuses: {
      pending: "En attente",
      processing: "En cours",
      ready: "En cours",
      delivered: "Livré",
      dead_letter: "Non livré",
      failed: "Échoué",
    },
    filters: { channel: "Destination", status: "Résultat", event: "Identifiant de l'événement" },
    logEmpty: {
      title: "Rien n'a encore été livré",
      text: "Chaque livraison à vos systèmes apparaît ici avec son résultat.",
      action: "Choisir les destinations",
    },
    nothingFound: {
      title: "Rien ne correspond à ces filtres",
      text: "Changez les filtres ou effacez-les.",
    },
    deadEmpty: {
      title: "Tout a été livré",
      text: "Ce qui n'a pas pu être livré après tous les essais vous attend ici.",
    },
    deadIntro:
      "Ils ont été essayés aussi souvent que leur urgence le permet, puis abandonnés. Corrigez la raison, puis relancez-les.",
    replay: {
      button: "Relancer",
      all: (count) => `Relancer les ${count}`,
      allTitle: "Relancer tout ce qui n'a pas été livré ?",
      allText:
        "Toute cette liste retourne dans la file et est essayée depuis le début. Ce dont la raison demeure reviendra ici.",
      confirm: "Tout relancer",
      running: (done, of) => `Remise dans la file : ${done} sur ${of}`,
      done: (done, of) => `${done} sur ${of} remis dans la file.`,
      partly: (left) => `${left} n'attendaient plus ici.`,
      interrupted: (done, of) =>
        `La relance a été interrompue après ${done} sur ${of}. Les autres sont toujours ici ; relancez-les.`,
      failed: (done, of) =>
        `La relance s'est arrêtée après ${done} sur ${of} : une erreur de notre côté, enregistrée. Les autres sont toujours ici.`,
      last: "Dernière relance",
      busy: "Une relance est déjà en cours.",
      pausedNote: "Une destination en pause reçoit ses événements à la fin de la pause.",
    },
    view: {
      id: "Identifiant",
      source: "Provenance",
      about: "Sujet",
      entity: "Son numéro là-bas",
      priority: "Urgence",
      destinations: "Destinations",
      occurred: "Survenu",
      received: "Reçu",
      fingerprint: "Empreinte du contenu",
      deliveries: "Où il est allé",
      attempts: "Essais",
      nextTry: "Prochain essai",
      hidden: "Non affiché : il nomme une personne",
      triesOf: (tries, most) => `${tries} sur ${most}`,
      back: "Retour au journal",
      noAttempts: "Rien n'a encore été essayé.",
      noDeliveries: "Il n'est allé nulle part.",
    },
    edit: {
      intro: "Où vont les événements de votre boutique.",
      which: "Destinations utilisées",
      everyone: "Toutes les destinations configurées",
      chosen: "Seulement celles-ci",
      routes: "Routes",
      routesHint:
        "Un événement va aux destinations de chaque route à laquelle il correspond. Sans route, il va là où va d'habitude son type.",
      pattern: "Type d'événement",
      patternHint: "Par exemple order.created ou customer.*",
      channels: "Va vers",
      priority: "Urgence",
      usual: "Comme d'habitude",
      add: "Ajouter une route",
      remove: (place) => `Retirer la route ${place}`,
      save: "Enregistrer",
      discard: "Annuler",
      saved: "Destinations enregistrées",
      wrongRoutes:
        "Un type d'événement s'écrit en minuscules, chiffres, points, _ et *, et chaque route a besoin d'au moins une destination.",
      wrongChannels: "Choisissez parmi les destinations de la liste.",
      noRoutes: "Aucune route : chaque événement va là où va d'habitude son type.",
      priorities: {
        1: "1, avant tout",
        2: "2, urgent",
        3: "3, normal",
        4: "4, peut attendre",
        5: "5, en dernier",
      },
      route: (place) => `Route ${place}`,
    },
  },
};

export const statusLabel = (words: EventText, status: string): string =>
  Object.hasOwn(words.statuses, status) ? words.statuses[status as "pending"] : status;

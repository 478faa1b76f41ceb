// The words of the app's home.
import type { Words } from "../words.tsx";

type TokenState = "none" | "valid" | "reauth_required" | "unknown";
export type HomeText = {
  title: string;
  syncFailed: string;
  syncFailedText: string;
  keptData: string;
  keptDataText: (day: string) => string;
  deadLetters: (count: string) => string;
  deadLettersText: string;
  toEvents: string;
  paused: (names: string) => string;
  pausedText: string;
  day: string;
  numbers: Record<"synced" | "signUps" | "granted" | "withdrawn" | "delivered" | "failed", string>;
  dayAway: string;
  lately: string;
  nothing: string;
  visitor: string;
  noName: string;
  newCustomer: string;
  granted: (consent: string) => string;
  withdrawn: (consent: string) => string;
  other: (consent: string, action: string) => string;
  requests: Record<string, string>;
  requestStates: Record<string, string>;
  banner: {
    ended: string;
    endedText: string;
    reconnect: string;
    none: string;
    noneText: string;
    connect: string;
    unknown: string;
    unknownText: string;
    scopes: string;
    scopesText: (names: string) => string;
    review: string;
  };
  connection: {
    title: string;
    store: string;
    access: string;
    permissions: string;
    states: Record<TokenState, string>;
    ended: string;
    notGranted: string;
    notChecked: string;
    endless: string;
    until: string;
    renewed: string;
    noneInForce: string;
    byHand: string;
    all: (names: string) => string;
    some: (granted: string, missing: string) => string;
    nothing: string;
  };
  webhooks: {
    title: string;
    again: string;
    notChecked: string;
    registered: (count: number, total: number) => string;
    unknown: (reason: string) => string;
    notConnected: string;
    whole: string;
    missing: (names: string) => string;
    refused: string;
    refusedAgain: string;
    failed: (reason: string) => string;
    wasThere: string;
    done: (count: number) => string;
  };
  channels: {
    title: string;
    none: string;
    unknown: (reason: string) => string;
    on: string;
    off: string;
    paused: string;
    until: string;
  };
};

export const HOME_WORDS: Words<HomeText> = {
  en: {
    title: "Customer identity",
    syncFailed: "Customers could not be synced",
    syncFailedText:
      "The next try starts by itself within 15 minutes. Until then changes in your store may be missing here.",
    keptData: "The data of your store was not deleted",
    keptDataText: (day) =>
      `On ${day} the platform asked this app to delete all data of your store, as it does after an app was uninstalled. The app is installed, so everything was kept. To have the data deleted, uninstall the app: the platform then asks again.`,
    deadLetters: (count) => `Changes that were not delivered: ${count}`,
    deadLettersText: "A connected system refused them or did not answer for too long.",
    toEvents: "Look at them",
    paused: (names) => `Paused: ${names}`,
    pausedText:
      "These systems do not answer. They are tried again automatically, and nothing is lost.",
    day: "Last 24 hours",
    numbers: {
      synced: "Customers synced",
      signUps: "Sign-ups",
      granted: "Consents given",
      withdrawn: "Consents withdrawn",
      delivered: "Events delivered",
      failed: "Failed deliveries",
    },
    dayAway: "The numbers could not be read. Reload the page in a moment.",
    lately: "Lately",
    nothing: "Nothing has happened yet. It starts with your first sync or sign-up.",
    visitor: "A visitor",
    noName: "A customer without a name",
    newCustomer: "New customer",
    granted: (consent) => `gave consent: ${consent}`,
    withdrawn: (consent) => `withdrew consent: ${consent}`,
    other: (consent, action) => `${consent}: ${action}`,
    requests: {
      data_request: "Data request",
      customer_redact: "Erasure",
      shop_redact: "Store erasure",
    },
    requestStates: {
      received: "waiting",
      running: "under way",
      done: "done",
      retained: "done, something was kept",
      failed: "failed",
    },
    banner: {
      ended: "The connection to your store has ended",
      endedText:
        "Your store no longer accepts this app’s access, so customers, tags and consent are not kept in step until you reconnect.",
      reconnect: "Reconnect",
      none: "The app is not connected to your store",
      noneText: "Connect it to keep customers, tags and consent in step with your store.",
      connect: "Connect",
      unknown: "The connection could not be checked",
      unknownText: "This is a fault on our side and has been logged. Reload the page in a moment.",
      scopes: "The app needs more permissions",
      scopesText: (names) =>
        `Until they are granted, the features that need them do not run: ${names}.`,
      review: "Review permissions",
    },
    connection: {
      title: "Store connection",
      store: "Store",
      access: "Access",
      permissions: "Permissions",
      states: {
        valid: "Connected",
        reauth_required: "Reconnect needed",
        none: "Not connected",
        unknown: "Not checked",
      },
      ended: "Ended by the store",
      notGranted: "Not granted yet",
      notChecked: "Could not be checked",
      endless: "Granted, without an end",
      until: "Valid until",
      renewed: "renewed automatically",
      noneInForce: "None in force",
      byHand: "Not known: the token was entered by hand",
      all: (names) => `All granted (${names})`,
      some: (granted, missing) => `Granted: ${granted}. Missing: ${missing}`,
      nothing: "none",
    },
    webhooks: {
      title: "Store events",
      again: "Register again",
      notChecked: "Not checked",
      registered: (count, total) => `${count} of ${total} registered`,
      unknown: (reason) => reason,
      notConnected: "Your store tells this app about changes once it is connected.",
      whole: "Your store tells this app about every change to customers, orders and consent.",
      missing: (names) => `Your store does not yet tell this app about: ${names}.`,
      refused: "The store admin refused some of them and says why:",
      refusedAgain: "The store admin refused them again. The reasons are above.",
      failed: (reason) => reason,
      wasThere: "Everything was registered already.",
      done: (count) => `Registered again: ${count}.`,
    },
    channels: {
      title: "Connected systems",
      none: "The systems that can be kept in step appear here once the app is connected.",
      unknown: (reason) => reason,
      on: "On",
      off: "Not set up",
      paused: "Paused",
      until: "Does not answer; tried again at",
    },
  },
  es: {
    title: "Identidad de clientes",
    syncFailed: "No se han podido sincronizar los clientes",
    syncFailedText:
      "El próximo intento empieza solo en menos de 15 minutos. Hasta entonces pueden faltar aquí cambios de tu tienda.",
    keptData: "Los datos de tu tienda no se han eliminado",
    keptDataText: (day) =>
      `El ${day} la plataforma pidió a esta aplicación que eliminara todos los datos de tu tienda, como hace cuando se desinstala una aplicación. La aplicación está instalada, así que se ha conservado todo. Para eliminar los datos, desinstala la aplicación: la plataforma lo volverá a pedir.`,
    deadLetters: (count) => `Cambios que no se han entregado: ${count}`,
    deadLettersText:
      "Un sistema conectado los ha rechazado o no ha respondido durante demasiado tiempo.",
    toEvents: "Verlos",
    paused: (names) => `En pausa: ${names}`,
    pausedText: "Estos sistemas no responden. Se reintenta automáticamente y no se pierde nada.",
    day: "Últimas 24 horas",
    numbers: {
      synced: "Clientes sincronizados",
      signUps: "Registros",
      granted: "Consentimientos concedidos",
      withdrawn: "Consentimientos retirados",
      delivered: "Eventos entregados",
      failed: "Entregas fallidas",
    },
    dayAway: "No se han podido leer los números. Recarga la página en un momento.",
    lately: "Actividad reciente",
    nothing:
      "Todavía no ha pasado nada. Empieza con la primera sincronización o el primer registro.",
    visitor: "Un visitante",
    noName: "Un cliente sin nombre",
    newCustomer: "Cliente nuevo",
    granted: (consent) => `concedió su consentimiento: ${consent}`,
    withdrawn: (consent) => `retiró su consentimiento: ${consent}`,
    other: (consent, action) => `${consent}: ${action}`,
    requests: {
      data_request: "Solicitud de datos",
      customer_redact: "Borrado",
      shop_redact: "Borrado de la tienda",
    },
    requestStates: {
      received: "en espera",
      running: "en curso",
      done: "hecho",
      retained: "hecho, algo se conservó",
      failed: "fallido",
    },
    banner: {
      ended: "La conexión con tu tienda ha terminado",
      endedText:
        "Tu tienda ya no acepta el acceso de esta aplicación: los clientes, las etiquetas y los consentimientos no se mantienen al día hasta que la vuelvas a conectar.",
      reconnect: "Volver a conectar",
      none: "La aplicación no está conectada a tu tienda",
      noneText:
        "Conéctala para mantener al día los clientes, las etiquetas y los consentimientos de tu tienda.",
      connect: "Conectar",
      unknown: "No se ha podido comprobar la conexión",
      unknownText: "Es un fallo nuestro y ha quedado registrado. Recarga la página en un momento.",
      scopes: "La aplicación necesita más permisos",
      scopesText: (names) =>
        `Hasta que se concedan, las funciones que los necesitan no se ejecutan: ${names}.`,
      review: "Revisar permisos",
    },
    connection: {
      title: "Conexión con la tienda",
      store: "Tienda",
      access: "Acceso",
      permissions: "Permisos",
      states: {
        valid: "Conectada",
        reauth_required: "Hay que volver a conectar",
        none: "Sin conectar",
        unknown: "Sin comprobar",
      },
      ended: "Terminado por la tienda",
      notGranted: "Aún no concedido",
      notChecked: "No se ha podido comprobar",
      endless: "Concedido, sin fecha de fin",
      until: "Válido hasta el",
      renewed: "se renueva automáticamente",
      noneInForce: "Ninguno vigente",
      byHand: "Desconocidos: el token se introdujo a mano",
      all: (names) => `Todos concedidos (${names})`,
      some: (granted, missing) => `Concedidos: ${granted}. Faltan: ${missing}`,
      nothing: "ninguno",
    },
    webhooks: {
      title: "Avisos de la tienda",
      again: "Registrar de nuevo",
      notChecked: "Sin comprobar",
      registered: (count, total) => `${count} de ${total} registrados`,
      unknown: () => "No se ha podido comprobar. Recarga la página en unos minutos.",
      notConnected: "Tu tienda avisa a esta aplicación de los cambios en cuanto esté conectada.",
      whole:
        "Tu tienda avisa a esta aplicación de cada cambio en clientes, pedidos y consentimientos.",
      missing: (names) => `Tu tienda aún no avisa a esta aplicación de: ${names}.`,
      refused: "El panel de la tienda ha rechazado algunos por este motivo:",
      refusedAgain: "El panel de la tienda los ha vuelto a rechazar. Los motivos están arriba.",
      failed: () => "Tu tienda no ha hecho lo que se le pidió. Inténtalo de nuevo en unos minutos.",
      wasThere: "Ya estaba todo registrado.",
      done: (count) => `Registrados de nuevo: ${count}.`,
    },
    channels: {
      title: "Sistemas conectados",
      none: "Los sistemas que se pueden mantener al día aparecen aquí cuando la aplicación esté conectada.",
      unknown: () => "No se ha podido comprobar. Ha quedado registrado por nuestra parte.",
      on: "Activo",
      off: "Sin configurar",
      paused: "En pausa",
      until: "No responde; se reintenta el",
    },
  },
  fr: {
    title: "Identité des clients",
    syncFailed: "Les clients n'ont pas pu être synchronisés",
    syncFailedText:
      "Le prochain essai démarre de lui-même d'ici 15 minutes. D'ici là, des changements de votre boutique peuvent manquer ici.",
    keptData: "Les données de votre boutique n'ont pas été supprimées",
    keptDataText: (day) =>
      `Le ${day}, la plateforme a demandé à cette application de supprimer toutes les données de votre boutique, comme elle le fait après une désinstallation. L'application est installée : tout a donc été conservé. Pour faire supprimer les données, désinstallez l'application : la plateforme le redemandera.`,
    deadLetters: (count) => `Changements qui n'ont pas été livrés : ${count}`,
    deadLettersText: "Un système connecté les a refusés ou n'a pas répondu pendant trop longtemps.",
    toEvents: "Les consulter",
    paused: (names) => `En pause : ${names}`,
    pausedText:
      "Ces systèmes ne répondent pas. Un nouvel essai est fait automatiquement et rien n'est perdu.",
    day: "Dernières 24 heures",
    numbers: {
      synced: "Clients synchronisés",
      signUps: "Inscriptions",
      granted: "Consentements accordés",
      withdrawn: "Consentements retirés",
      delivered: "Événements livrés",
      failed: "Livraisons échouées",
    },
    dayAway: "Les chiffres n'ont pas pu être lus. Rechargez la page dans un instant.",
    lately: "Activité récente",
    nothing:
      "Rien ne s'est encore passé. Tout commence par la première synchronisation ou inscription.",
    visitor: "Un visiteur",
    noName: "Un client sans nom",
    newCustomer: "Nouveau client",
    granted: (consent) => `a donné son consentement : ${consent}`,
    withdrawn: (consent) => `a retiré son consentement : ${consent}`,
    other: (consent, action) => `${consent} : ${action}`,
    requests: {
      data_request: "Demande de données",
      customer_redact: "Effacement",
      shop_redact: "Effacement de la boutique",
    },
    requestStates: {
      received: "en attente",
      running: "en cours",
      done: "terminé",
      retained: "terminé, un élément a été conservé",
      failed: "échoué",
    },
    banner: {
      ended: "La connexion à votre boutique a pris fin",
      endedText:
        "Votre boutique n'accepte plus l'accès de cette application : clients, tags et consentements ne sont plus tenus à jour tant que vous ne la reconnectez pas.",
      reconnect: "Reconnecter",
      none: "L'application n'est pas connectée à votre boutique",
      noneText:
        "Connectez-la pour tenir à jour clients, tags et consentements avec votre boutique.",
      connect: "Connecter",
      unknown: "La connexion n'a pas pu être vérifiée",
      unknownText:
        "C'est une erreur de notre côté, elle a été enregistrée. Rechargez la page dans un instant.",
      scopes: "L'application a besoin d'autres autorisations",
      scopesText: (names) =>
        `Tant qu'elles ne sont pas accordées, les fonctions qui en dépendent ne s'exécutent pas : ${names}.`,
      review: "Vérifier les autorisations",
    },
    connection: {
      title: "Connexion à la boutique",
      store: "Boutique",
      access: "Accès",
      permissions: "Autorisations",
      states: {
        valid: "Connectée",
        reauth_required: "Reconnexion nécessaire",
        none: "Non connectée",
        unknown: "Non vérifiée",
      },
      ended: "Terminé par la boutique",
      notGranted: "Pas encore accordé",
      notChecked: "N'a pas pu être vérifié",
      endless: "Accordé, sans date de fin",
      until: "Valable jusqu'au",
      renewed: "renouvelé automatiquement",
      noneInForce: "Aucune en vigueur",
      byHand: "Inconnues : le jeton a été saisi à la main",
      all: (names) => `Toutes accordées (${names})`,
      some: (granted, missing) => `Accordées : ${granted}. Manquantes : ${missing}`,
      nothing: "aucune",
    },
    webhooks: {
      title: "Événements de la boutique",
      again: "Réenregistrer",
      notChecked: "Non vérifié",
      registered: (count, total) => `${count} sur ${total} enregistrés`,
      unknown: () => "La vérification n'a pas abouti. Rechargez la page dans quelques minutes.",
      notConnected:
        "Votre boutique informera cette application des changements dès qu'elle sera connectée.",
      whole:
        "Votre boutique informe cette application de chaque changement de clients, de commandes et de consentements.",
      missing: (names) => `Votre boutique n'informe pas encore cette application de : ${names}.`,
      refused: "L'interface d'administration en a refusé certains pour la raison suivante :",
      refusedAgain:
        "L'interface d'administration les a de nouveau refusés. Les raisons figurent ci-dessus.",
      failed: () =>
        "Votre boutique n'a pas fait ce qui était demandé. Réessayez dans quelques minutes.",
      wasThere: "Tout était déjà enregistré.",
      done: (count) => `Réenregistrés : ${count}.`,
    },
    channels: {
      title: "Systèmes connectés",
      none: "Les systèmes qui peuvent être tenus à jour apparaissent ici une fois l'application connectée.",
      unknown: () => "La vérification n'a pas abouti. L'erreur a été enregistrée de notre côté.",
      on: "Actif",
      off: "Non configuré",
      paused: "En pause",
      until: "Ne répond pas ; nouvel essai le",
    },
  },
};

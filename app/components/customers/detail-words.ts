// The words of one customer's page.
import type { Words } from "../words.tsx";

export type DetailText = {
  back: string;
  openInStore: string;
  exportData: string;
  exported: string;
  exportFailed: string;
  suspend: string;
  reactivate: string;
  suspended: string;
  reactivated: string;
  erase: string;
  about: string;
  rows: {
    email: string;
    verified: string;
    notVerified: string;
    country: string;
    language: string;
    orders: string;
    spent: string;
    lastSignIn: string;
    updated: string;
    storeId: string;
    none: string;
    never: string;
  };
  signIns: string;
  password: string;
  noSignIn: string;
  since: string;
  consents: string;
  given: string;
  notGiven: string;
  never: string;
  by: (method: string) => string;
  policy: (version: string) => string;
  actions: Record<string, string>;
  timeline: string;
  timelineEmpty: string;
  older: string;
  newest: string;
  methods: Record<string, string>;
  tags: string;
  noTags: string;
  addTag: string;
  removeTag: (name: string) => string;
  tagsSaved: string;
  sources: Record<string, string>;
  ordersTitle: string;
  ordersText: string;
  noOrders: string;
  noStoreCustomer: string;
  ordersAway: string;
  retry: string;
  systems: string;
  noSystems: string;
  states: Record<"none" | "delivered" | "waiting" | "dead", string>;
  off: string;
  tryAgain: string;
  queuedAgain: string;
  nothingToRetry: string;
  eraseTitle: string;
  eraseText: string;
  eraseType: (word: string) => string;
  eraseWrong: string;
  eraseConfirm: string;
  erasing: string;
  erased: string;
  cancel: string;
  suspendTitle: string;
  suspendText: string;
  money: (amount: string) => string;
};

const METHODS = {
  en: {
    signup: "sign-up",
    banner: "cookie banner",
    "compliance-page": "privacy page",
    federated_oauth: "sign-in at an identity provider",
    storefront_oidc: "sign-in at the store",
    account_delete: "account deletion",
    oauth_consent: "an agent's consent page",
    commerce: "agent purchase",
  },
  es: {
    signup: "registro",
    banner: "aviso de cookies",
    "compliance-page": "página de privacidad",
    federated_oauth: "acceso con un proveedor de identidad",
    storefront_oidc: "acceso en la tienda",
    account_delete: "eliminación de la cuenta",
    oauth_consent: "página de consentimiento de un agente",
    commerce: "compra de un agente",
  },
  fr: {
    signup: "inscription",
    banner: "bandeau de cookies",
    "compliance-page": "page de confidentialité",
    federated_oauth: "connexion chez un fournisseur d'identité",
    storefront_oidc: "connexion dans la boutique",
    account_delete: "suppression du compte",
    oauth_consent: "page de consentement d'un agent",
    commerce: "achat d'un agent",
  },
};

export const DETAIL_WORDS: Words<DetailText> = {
  en: {
    back: "Customers",
    openInStore: "Open in Shopify admin",
    exportData: "Export data",
    exported: "The customer's data is downloaded.",
    exportFailed: "The data could not be exported. Try again.",
    suspend: "Suspend account",
    reactivate: "Reactivate account",
    suspended: "The account is suspended.",
    reactivated: "The account is active again.",
    erase: "Erase customer",
    about: "Profile",
    rows: {
      email: "E-mail",
      verified: "confirmed",
      notVerified: "not confirmed",
      country: "Country",
      language: "Language",
      orders: "Orders",
      spent: "Spent",
      lastSignIn: "Last sign-in",
      updated: "Last change",
      storeId: "Store customer",
      none: "None",
      never: "Never",
    },
    signIns: "Ways to sign in",
    password: "E-mail and password",
    noSignIn: "None yet: this customer has not signed in.",
    since: "since",
    consents: "Consents",
    given: "Given",
    notGiven: "Not given",
    never: "Never asked",
    by: (method) => `by ${method}`,
    policy: (version) => `policy ${version}`,
    actions: {
      granted: "given",
      revoked: "withdrawn",
      mandate_created: "mandate made",
      mandate_used: "mandate used",
    },
    timeline: "Consent log",
    timelineEmpty: "Nothing has been recorded yet.",
    older: "Older entries",
    newest: "Newest entries",
    methods: METHODS.en,
    tags: "Tags",
    noTags: "No tags yet.",
    addTag: "Add tags",
    removeTag: (name) => `Remove ${name}`,
    tagsSaved: "Tags saved.",
    sources: {
      storefront: "from the store",
      ucp: "chosen by the customer",
      admin: "given here",
      system: "given automatically",
    },
    ordersTitle: "Orders",
    ordersText: "The newest orders of the last 60 days.",
    noOrders: "No orders in the last 60 days.",
    noStoreCustomer: "This customer is not in your store yet.",
    ordersAway: "Your store did not answer, so the orders cannot be shown now.",
    retry: "Try again",
    systems: "Connected systems",
    noSystems: "No system is connected that keeps customers in step.",
    states: {
      none: "Nothing sent in the last 30 days",
      delivered: "In step",
      waiting: "Waiting to be sent",
      dead: "Not delivered",
    },
    off: "Turned off",
    tryAgain: "Send again",
    queuedAgain: "It is sent again.",
    nothingToRetry: "There is nothing to send again.",
    eraseTitle: "Erase this customer?",
    eraseText:
      "Name, e-mail address and all other personal data are removed here and in the connected systems. This cannot be undone. The consent log is kept without the person's name.",
    eraseType: (word) => `Type ${word} to confirm`,
    eraseWrong: "This is not what is asked for.",
    eraseConfirm: "Erase for good",
    erasing: "The erasure has begun. You can follow it under Privacy requests.",
    erased: "This customer's personal data is erased.",
    cancel: "Cancel",
    suspendTitle: "Suspend this account?",
    suspendText:
      "The customer is signed out everywhere at once, agents lose their access, and nobody can sign in until you reactivate the account.",
    money: (amount) => amount,
  },
  es: {
    back: "Clientes",
    openInStore: "Abrir en el panel de Shopify",
    exportData: "Exportar datos",
    exported: "Los datos del cliente se han descargado.",
    exportFailed: "No se han podido exportar los datos. Inténtalo de nuevo.",
    suspend: "Suspender cuenta",
    reactivate: "Reactivar cuenta",
    suspended: "La cuenta está suspendida.",
    reactivated: "La cuenta vuelve a estar activa.",
    erase: "Borrar cliente",
    about: "Perfil",
    rows: {
      email: "Correo electrónico",
      verified: "confirmado",
      notVerified: "sin confirmar",
      country: "País",
      language: "Idioma",
      orders: "Pedidos",
      spent: "Gastado",
      lastSignIn: "Último acceso",
      updated: "Último cambio",
      storeId: "Cliente de la tienda",
      none: "Ninguno",
      never: "Nunca",
    },
    signIns: "Formas de iniciar sesión",
    password: "Correo electrónico y contraseña",
    noSignIn: "Ninguna: este cliente aún no ha iniciado sesión.",
    since: "desde el",
    consents: "Consentimientos",
    given: "Concedido",
    notGiven: "No concedido",
    never: "Nunca preguntado",
    by: (method) => `mediante ${method}`,
    policy: (version) => `política ${version}`,
    actions: {
      granted: "concedido",
      revoked: "retirado",
      mandate_created: "mandato creado",
      mandate_used: "mandato usado",
    },
    timeline: "Registro de consentimientos",
    timelineEmpty: "Todavía no hay nada registrado.",
    older: "Entradas anteriores",
    newest: "Entradas más recientes",
    methods: METHODS.es,
    tags: "Etiquetas",
    noTags: "Sin etiquetas.",
    addTag: "Añadir etiquetas",
    removeTag: (name) => `Quitar ${name}`,
    tagsSaved: "Etiquetas guardadas.",
    sources: {
      storefront: "de la tienda",
      ucp: "elegida por el cliente",
      admin: "puesta aquí",
      system: "automática",
    },
    ordersTitle: "Pedidos",
    ordersText: "Los pedidos más recientes de los últimos 60 días.",
    noOrders: "Ningún pedido en los últimos 60 días.",
    noStoreCustomer: "Este cliente aún no está en tu tienda.",
    ordersAway: "Tu tienda no ha respondido y ahora no se pueden mostrar los pedidos.",
    retry: "Reintentar",
    systems: "Sistemas conectados",
    noSystems: "No hay ningún sistema conectado que mantenga los clientes al día.",
    states: {
      none: "Nada enviado en los últimos 30 días",
      delivered: "Al día",
      waiting: "Pendiente de envío",
      dead: "No entregado",
    },
    off: "Desactivado",
    tryAgain: "Enviar de nuevo",
    queuedAgain: "Se envía de nuevo.",
    nothingToRetry: "No hay nada que enviar de nuevo.",
    eraseTitle: "¿Borrar este cliente?",
    eraseText:
      "El nombre, el correo electrónico y todos los demás datos personales se eliminan aquí y en los sistemas conectados. No se puede deshacer. El registro de consentimientos se conserva sin el nombre de la persona.",
    eraseType: (word) => `Escribe ${word} para confirmar`,
    eraseWrong: "No es lo que se pide.",
    eraseConfirm: "Borrar definitivamente",
    erasing: "El borrado ha empezado. Puedes seguirlo en Solicitudes de privacidad.",
    erased: "Los datos personales de este cliente se han borrado.",
    cancel: "Cancelar",
    suspendTitle: "¿Suspender esta cuenta?",
    suspendText:
      "Se cierra la sesión del cliente en todas partes, los agentes pierden su acceso y nadie puede iniciar sesión hasta que reactives la cuenta.",
    money: (amount) => amount.replace(".", ","),
  },
  fr: {
    back: "Clients",
    openInStore: "Ouvrir dans l'interface Shopify",
    exportData: "Exporter les données",
    exported: "Les données du client sont téléchargées.",
    exportFailed: "Les données n'ont pas pu être exportées. Réessayez.",
    suspend: "Suspendre le compte",
    reactivate: "Réactiver le compte",
    suspended: "Le compte est suspendu.",
    reactivated: "Le compte est de nouveau actif.",
    erase: "Effacer le client",
    about: "Profil",
    rows: {
      email: "E-mail",
      verified: "confirmé",
      notVerified: "non confirmé",
      country: "Pays",
      language: "Langue",
      orders: "Commandes",
      spent: "Dépensé",
      lastSignIn: "Dernière connexion",
      updated: "Dernière modification",
      storeId: "Client de la boutique",
      none: "Aucun",
      never: "Jamais",
    },
    signIns: "Moyens de connexion",
    password: "E-mail et mot de passe",
    noSignIn: "Aucun : ce client ne s'est pas encore connecté.",
    since: "depuis le",
    consents: "Consentements",
    given: "Accordé",
    notGiven: "Non accordé",
    never: "Jamais demandé",
    by: (method) => `par ${method}`,
    policy: (version) => `politique ${version}`,
    actions: {
      granted: "accordé",
      revoked: "retiré",
      mandate_created: "mandat créé",
      mandate_used: "mandat utilisé",
    },
    timeline: "Journal des consentements",
    timelineEmpty: "Rien n'a encore été enregistré.",
    older: "Entrées plus anciennes",
    newest: "Entrées les plus récentes",
    methods: METHODS.fr,
    tags: "Tags",
    noTags: "Aucun tag.",
    addTag: "Ajouter des tags",
    removeTag: (name) => `Retirer ${name}`,
    tagsSaved: "Tags enregistrés.",
    sources: {
      storefront: "de la boutique",
      ucp: "choisi par le client",
      admin: "donné ici",
      system: "automatique",
    },
    ordersTitle: "Commandes",
    ordersText: "Les commandes les plus récentes des 60 derniers jours.",
    noOrders: "Aucune commande ces 60 derniers jours.",
    noStoreCustomer: "Ce client n'est pas encore dans votre boutique.",
    ordersAway:
      "Votre boutique n'a pas répondu ; les commandes ne peuvent pas être affichées pour l'instant.",
    retry: "Réessayer",
    systems: "Systèmes connectés",
    noSystems: "Aucun système connecté ne tient les clients à jour.",
    states: {
      none: "Rien d'envoyé ces 30 derniers jours",
      delivered: "À jour",
      waiting: "En attente d'envoi",
      dead: "Non livré",
    },
    off: "Désactivé",
    tryAgain: "Renvoyer",
    queuedAgain: "L'envoi est relancé.",
    nothingToRetry: "Il n'y a rien à renvoyer.",
    eraseTitle: "Effacer ce client ?",
    eraseText:
      "Le nom, l'adresse e-mail et toutes les autres données personnelles sont supprimés ici et dans les systèmes connectés. C'est irréversible. Le journal des consentements est conservé sans le nom de la personne.",
    eraseType: (word) => `Saisissez ${word} pour confirmer`,
    eraseWrong: "Ce n'est pas ce qui est demandé.",
    eraseConfirm: "Effacer définitivement",
    erasing: "L'effacement a commencé. Vous pouvez le suivre dans les demandes de confidentialité.",
    erased: "Les données personnelles de ce client sont effacées.",
    cancel: "Annuler",
    suspendTitle: "Suspendre ce compte ?",
    suspendText:
      "Le client est déconnecté partout, les agents perdent leur accès et personne ne peut se connecter tant que vous n'avez pas réactivé le compte.",
    money: (amount) => amount.replace(".", ","),
  },
};

// The words of the agents screens.
import type { Words } from "../words.tsx";

type Switch = {
  title: string;
  on: string;
  off: string;
  turnOff: string;
  turnOn: string;
  offTitle: string;
  offText: string;
  onTitle: string;
  onText: string;
  confirmOff: string;
  confirmOn: string;
  done: string;
};
type ScopeName =
  | "identity:read"
  | "dev.ucp.shopping.order:read"
  | "dev.ucp.shopping.checkout:manage"
  | "commerce.mandates:create";

type AgentText = {
  title: string;
  sections: string;
  linked: string;
  mandates: string;
  access: Switch;
  payments: Switch;
  states: { on: string; off: string };
  agentColumns: {
    agent: string;
    shoppers: string;
    may: string;
    since: string;
    active: string;
    end: string;
  };
  self: string;
  returnsTo: (host: string) => string;
  scopes: Record<ScopeName, string>;
  end: {
    button: string;
    of: (name: string) => string;
    title: (name: string) => string;
    text: (shoppers: string) => string;
    confirm: string;
    done: (name: string) => string;
  };
  empty: { title: string; text: string; action: string };
  cut: (count: string) => string;
  discovery: {
    title: string;
    text: string;
    manifest: string;
    card: string;
    server: string;
    newTab: string;
  };
  mandateColumns: {
    person: string;
    agents: string;
    most: string;
    spent: string;
    left: string;
    scope: string;
    status: string;
    expires: string;
    end: string;
  };
  statuses: Record<"active" | "used" | "revoked" | "expired", string>;
  scopeAll: string;
  collection: (name: string) => string;
  product: (id: string) => string;
  anyAgent: string;
  person: (id: number) => string;
  multi: string;
  filters: { status: string; email: string };
  revoke: {
    button: string;
    of: (amount: string, who: string) => string;
    title: string;
    text: string;
    confirm: string;
    done: string;
  };
  mandatesEmpty: { title: string; text: string; action: string };
  nothingFound: { title: string; text: string };
};

export const AGENT_WORDS: Words<AgentText> = {
  en: {
    title: "Agents",
    sections: "Pages about agents",
    linked: "Linked agents",
    mandates: "Payment mandates",
    states: { on: "On", off: "Off" },
    access: {
      title: "Agent access",
      on: "AI agents may act for shoppers who let them in: read their profile and orders, and prepare checkouts.",
      off: "No agent may act for any shopper. What shoppers decided is kept.",
      turnOff: "Turn agent access off",
      turnOn: "Turn agent access on",
      offTitle: "Turn agent access off?",
      offText:
        "Every call of every agent is refused from now on, at once. Links and consents stay as they are and work again when you turn it on. Shoppers themselves notice nothing.",
      onTitle: "Turn agent access on?",
      onText: "Agents that shoppers let in may act for them again, and new ones may ask.",
      confirmOff: "Turn off",
      confirmOn: "Turn on",
      done: "Agent access changed",
    },
    payments: {
      title: "Agent payments",
      on: "Agents may pay with a mandate: an amount that the shopper set, for a time.",
      off: "No mandate can be made or used. Agents may still prepare checkouts that the shopper pays.",
      turnOff: "Turn agent payments off",
      turnOn: "Turn agent payments on",
      offTitle: "Turn agent payments off?",
      offText:
        "No agent can pay from now on, and no new mandate can be made. Mandates stay as they are and can be used again when you turn it on.",
      onTitle: "Turn agent payments on?",
      onText: "Agents may pay again within the mandates that shoppers gave.",
      confirmOff: "Turn off",
      confirmOn: "Turn on",
      done: "Agent payments changed",
    },
    agentColumns: {
      agent: "Agent",
      shoppers: "Shoppers",
      may: "May",
      since: "Since",
      active: "Last active",
      end: "End",
    },
    self: "Registered itself",
    returnsTo: (host) => `Returns to ${host}`,
    scopes: {
      "identity:read": "read the profile",
      "dev.ucp.shopping.order:read": "see orders",
      "dev.ucp.shopping.checkout:manage": "prepare checkouts",
      "commerce.mandates:create": "make payment mandates",
    },
    end: {
      button: "End access",
      of: (name) => `End access: ${name}`,
      title: (name) => `End the access of ${name}?`,
      text: (shoppers) =>
        `It loses its access to ${shoppers} shoppers at once. A shopper may let it in again.`,
      confirm: "End access",
      done: (name) => `${name} has no access any more`,
    },
    empty: {
      title: "No agent is linked",
      text: "Agents that shoppers let in appear here. They find your store by its discovery documents.",
      action: "See what agents see",
    },
    cut: (count) => `The ${count} agents with most shoppers are shown.`,
    discovery: {
      title: "What agents find",
      text: "Agents read these documents to learn what your store offers.",
      manifest: "Capabilities",
      card: "Agent card",
      server: "Sign-in of agents",
      newTab: "opens in a new tab",
    },
    mandateColumns: {
      person: "Customer",
      agents: "Agents",
      most: "At most",
      spent: "Spent",
      left: "Left",
      scope: "For",
      status: "State",
      expires: "Until",
      end: "Revoke",
    },
    statuses: { active: "Active", used: "Used up", revoked: "Revoked", expired: "Expired" },
    scopeAll: "Everything",
    collection: (name) => `Collection ${name}`,
    product: (id) => `Product ${id}`,
    anyAgent: "Any linked agent",
    person: (id) => `Customer ${id}`,
    multi: "several purchases",
    filters: { status: "State", email: "Customer's e-mail" },
    revoke: {
      button: "Revoke",
      of: (amount, who) => `Revoke: ${who}, ${amount}`,
      title: "Revoke this mandate?",
      text: "No further checkout can be paid with it. What was paid stays paid. The customer can give a new one.",
      confirm: "Revoke mandate",
      done: "Mandate revoked",
    },
    mandatesEmpty: {
      title: "No mandate was given yet",
      text: "When a shopper lets an agent pay up to an amount, the mandate appears here.",
      action: "See linked agents",
    },
    nothingFound: {
      title: "Nothing matches these filters",
      text: "Change the filters, or clear them.",
    },
  },
  es: {
    title: "Agentes",
    sections: "Páginas sobre agentes",
    linked: "Agentes vinculados",
    mandates: "Mandatos de pago",
    states: { on: "Activo", off: "Apagado" },
    access: {
      title: "Acceso de agentes",
      on: "Los agentes de IA pueden actuar por los compradores que les dejan entrar: leer su perfil y pedidos, y preparar compras.",
      off: "Ningún agente puede actuar por ningún comprador. Lo que decidieron los compradores se conserva.",
      turnOff: "Apagar el acceso de agentes",
      turnOn: "Activar el acceso de agentes",
      offTitle: "¿Apagar el acceso de agentes?",
      offText:
        "Desde ahora se rechaza al instante cada llamada de cada agente. Los vínculos y consentimientos se conservan y vuelven a funcionar cuando lo actives. Los compradores no notan nada.",
      onTitle: "¿Activar el acceso de agentes?",
      onText:
        "Los agentes admitidos por los compradores pueden actuar de nuevo, y otros nuevos pueden pedirlo.",
      confirmOff: "Apagar",
      confirmOn: "Activar",
      done: "Acceso de agentes cambiado",
    },
    payments: {
      title: "Pagos por agentes",
      on: "Los agentes pueden pagar con un mandato: un importe que fijó el comprador, por un tiempo.",
      off: "No se puede crear ni usar ningún mandato. Los agentes aún pueden preparar compras que paga el comprador.",
      turnOff: "Apagar los pagos por agentes",
      turnOn: "Activar los pagos por agentes",
      offTitle: "¿Apagar los pagos por agentes?",
      offText:
        "Desde ahora ningún agente puede pagar y no se pueden crear mandatos. Los mandatos se conservan y pueden usarse de nuevo cuando lo actives.",
      onTitle: "¿Activar los pagos por agentes?",
      onText:
        "Los agentes pueden volver a pagar dentro de los mandatos que dieron los compradores.",
      confirmOff: "Apagar",
      confirmOn: "Activar",
      done: "Pagos por agentes cambiados",
    },
    agentColumns: {
      agent: "Agente",
      shoppers: "Compradores",
      may: "Puede",
      since: "Desde",
      active: "Última actividad",
      end: "Terminar",
    },
    self: "Se registró por sí mismo",
    returnsTo: (host) => `Vuelve a ${host}`,
    scopes: {
      "identity:read": "leer el perfil",
      "dev.ucp.shopping.order:read": "ver pedidos",
      "dev.ucp.shopping.checkout:manage": "preparar compras",
      "commerce.mandates:create": "crear mandatos de pago",
    },
    end: {
      button: "Terminar acceso",
      of: (name) => `Terminar acceso: ${name}`,
      title: (name) => `¿Terminar el acceso de ${name}?`,
      text: (shoppers) =>
        `Pierde al instante su acceso a ${shoppers} compradores. Un comprador puede dejarle entrar de nuevo.`,
      confirm: "Terminar acceso",
      done: (name) => `${name} ya no tiene acceso`,
    },
    empty: {
      title: "No hay agentes vinculados",
      text: "Aquí aparecen los agentes que los compradores dejan entrar. Encuentran tu tienda por sus documentos de descubrimiento.",
      action: "Ver lo que ven los agentes",
    },
    cut: (count) => `Se muestran los ${count} agentes con más compradores.`,
    discovery: {
      title: "Lo que encuentran los agentes",
      text: "Los agentes leen estos documentos para saber qué ofrece tu tienda.",
      manifest: "Capacidades",
      card: "Tarjeta de agente",
      server: "Acceso de agentes",
      newTab: "se abre en otra pestaña",
    },
    mandateColumns: {
      person: "Cliente",
      agents: "Agentes",
      most: "Máximo",
      spent: "Gastado",
      left: "Queda",
      scope: "Para",
      status: "Estado",
      expires: "Hasta",
      end: "Revocar",
    },
    statuses: { active: "Activo", used: "Agotado", revoked: "Revocado", expired: "Caducado" },
    scopeAll: "Todo",
    collection: (name) => `Colección ${name}`,
    product: (id) => `Producto ${id}`,
    anyAgent: "Cualquier agente vinculado",
    person: (id) => `Cliente ${id}`,
    multi: "varias compras",
    filters: { status: "Estado", email: "Correo del cliente" },
    revoke: {
      button: "Revocar",
      of: (amount, who) => `Revocar: ${who}, ${amount}`,
      title: "¿Revocar este mandato?",
      text: "No se podrá pagar ninguna compra más con él. Lo pagado, pagado queda. El cliente puede dar uno nuevo.",
      confirm: "Revocar mandato",
      done: "Mandato revocado",
    },
    mandatesEmpty: {
      title: "Aún no se ha dado ningún mandato",
      text: "Cuando un comprador permite a un agente pagar hasta un importe, el mandato aparece aquí.",
      action: "Ver agentes vinculados",
    },
    nothingFound: {
      title: "Nada coincide con estos filtros",
      text: "Cambia los filtros o quítalos.",
    },
  },
  fr: {
    title: "Agents",
    sections: "Pages sur les agents",
    linked: "Agents liés",
    mandates: "Mandats de paiement",
    states: { on: "Actif", off: "Désactivé" },
    access: {
      title: "Accès des agents",
      on: "Les agents d'IA peuvent agir pour les acheteurs qui les autorisent : lire leur profil et leurs commandes, préparer des achats.",
      off: "Aucun agent ne peut agir pour un acheteur. Ce que les acheteurs ont décidé est conservé.",
      turnOff: "Désactiver l'accès des agents",
      turnOn: "Activer l'accès des agents",
      offTitle: "Désactiver l'accès des agents ?",
      offText:
        "Chaque appel de chaque agent est refusé dès maintenant. Liens et consentements sont conservés et fonctionnent de nouveau à la réactivation. Les acheteurs ne remarquent rien.",
      onTitle: "Activer l'accès des agents ?",
      onText:
        "Les agents autorisés par les acheteurs peuvent agir de nouveau, et de nouveaux peuvent le demander.",
      confirmOff: "Désactiver",
      confirmOn: "Activer",
      done: "Accès des agents modifié",
    },
    payments: {
      title: "Paiements par agents",
      on: "Les agents peuvent payer avec un mandat : un montant fixé par l'acheteur, pour un temps.",
      off: "Aucun mandat ne peut être créé ni utilisé. Les agents peuvent encore préparer des achats que l'acheteur paie.",
      turnOff: "Désactiver les paiements par agents",
      turnOn: "Activer les paiements par agents",
      offTitle: "Désactiver les paiements par agents ?",
      offText:
        "Aucun agent ne peut payer dès maintenant, et aucun mandat ne peut être créé. Les mandats sont conservés et utilisables de nouveau à la réactivation.",
      onTitle: "Activer les paiements par agents ?",
      onText: "Les agents peuvent de nouveau payer dans les limites des mandats donnés.",
      confirmOff: "Désactiver",
      confirmOn: "Activer",
      done: "Paiements par agents modifiés",
    },
    agentColumns: {
      agent: "Agent",
      shoppers: "Acheteurs",
      may: "Peut",
      since: "Depuis",
      active: "Dernière activité",
      end: "Fin",
    },
    self: "S'est enregistré lui-même",
    returnsTo: (host) => `Revient à ${host}`,
    scopes: {
      "identity:read": "lire le profil",
      "dev.ucp.shopping.order:read": "voir les commandes",
      "dev.ucp.shopping.checkout:manage": "préparer des achats",
      "commerce.mandates:create": "créer des mandats de paiement",
    },
    end: {
      button: "Mettre fin à l'accès",
      of: (name) => `Mettre fin à l'accès : ${name}`,
      title: (name) => `Mettre fin à l'accès de ${name} ?`,
      text: (shoppers) =>
        `Il perd immédiatement l'accès à ${shoppers} acheteurs. Un acheteur peut l'autoriser de nouveau.`,
      confirm: "Mettre fin",
      done: (name) => `${name} n'a plus d'accès`,
    },
    empty: {
      title: "Aucun agent n'est lié",
      text: "Les agents autorisés par les acheteurs apparaissent ici. Ils trouvent votre boutique par ses documents de découverte.",
      action: "Voir ce que voient les agents",
    },
    cut: (count) => `Les ${count} agents ayant le plus d'acheteurs sont affichés.`,
    discovery: {
      title: "Ce que trouvent les agents",
      text: "Les agents lisent ces documents pour savoir ce que propose votre boutique.",
      manifest: "Capacités",
      card: "Carte d'agent",
      server: "Connexion des agents",
      newTab: "s'ouvre dans un nouvel onglet",
    },
    mandateColumns: {
      person: "Client",
      agents: "Agents",
      most: "Maximum",
      spent: "Dépensé",
      left: "Reste",
      scope: "Pour",
      status: "État",
      expires: "Jusqu'au",
      end: "Révoquer",
    },
    statuses: { active: "Actif", used: "Épuisé", revoked: "Révoqué", expired: "Expiré" },
    scopeAll: "Tout",
    collection: (name) => `Collection ${name}`,
    product: (id) => `Produit ${id}`,
    anyAgent: "Tout agent lié",
    person: (id) => `Client ${id}`,
    multi: "plusieurs achats",
    filters: { status: "État", email: "E-mail du client" },
    revoke: {
      button: "Révoquer",
      of: (amount, who) => `Révoquer : ${who}, ${amount}`,
      title: "Révoquer ce mandat ?",
      text: "Aucun achat ne pourra plus être payé avec lui. Ce qui est payé le reste. Le client peut en donner un nouveau.",
      confirm: "Révoquer le mandat",
      done: "Mandat révoqué",
    },
    mandatesEmpty: {
      title: "Aucun mandat n'a encore été donné",
      text: "Quand un acheteur permet à un agent de payer jusqu'à un montant, le mandat apparaît ici.",
      action: "Voir les agents liés",
    },
    nothingFound: {
      title: "Rien ne correspond à ces filtres",
      text: "Changez les filtres ou effacez-les.",
    },
  },
};

export const scopeLabel = (words: AgentText, scope: string): string =>
  Object.hasOwn(words.scopes, scope) ? words.scopes[scope as ScopeName] : scope;

/** What a mandate covers, from SPEC's three forms. */
export function coverLabel(words: AgentText, scope: string): string {
  if (scope === "all") return words.scopeAll;
  const [kind, ...rest] = scope.split(":");
  return kind === "collection"
    ? words.collection(rest.join(":"))
    : words.product(scope.slice(scope.lastIndexOf("/") + 1));
}

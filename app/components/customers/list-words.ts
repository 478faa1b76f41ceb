// The words of the customer list.
import type { Words } from "../words.tsx";

export type ListText = {
  title: string;
  resource: { singular: string; plural: string };
  columns: {
    customer: string;
    state: string;
    signIn: string;
    country: string;
    consent: string;
    tags: string;
    orders: string;
    signedIn: string;
  };
  search: string;
  filters: {
    tag: string;
    consent: string;
    provider: string;
    status: string;
    country: string;
    signedIn: string;
  };
  not: (consent: string) => string;
  never: string;
  signedIn: Record<"7" | "30" | "90" | "older" | "never", string>;
  sorts: Record<"updated" | "name" | "signed_in", { label: string; asc: string; desc: string }>;
  views: {
    all: string;
    marketing: string;
    recent: string;
    suspended: string;
    notSaved: string;
    searchNotKept: string;
    save: string;
    delete: string;
    name: string;
  };
  sort: string;
  previous: string;
  next: string;
  noMatch: string;
  noMatchText: string;
  clear: string;
  empty: string;
  emptyText: string;
  sync: string;
  syncing: (count: string) => string;
  nobodyYet: string;
  syncFailed: string;
  exportAll: string;
  exporting: string;
  exported: string;
  exportFailed: string;
  file: string;
};

export const LIST_WORDS: Words<ListText> = {
  en: {
    title: "Customers",
    resource: { singular: "customer", plural: "customers" },
    columns: {
      customer: "Customer",
      state: "Status",
      signIn: "Signs in with",
      country: "Country",
      consent: "Marketing",
      tags: "Tags",
      orders: "Orders",
      signedIn: "Last sign-in",
    },
    search: "Search by the beginning of a name or an e-mail address",
    filters: {
      tag: "Tag",
      consent: "Consent",
      provider: "Signs in with",
      status: "Status",
      country: "Country",
      signedIn: "Last sign-in",
    },
    not: (consent) => `${consent}: not given`,
    never: "Never",
    signedIn: {
      7: "Within 7 days",
      30: "Within 30 days",
      90: "Within 90 days",
      older: "More than 90 days ago",
      never: "Never",
    },
    sorts: {
      updated: { label: "Last change", asc: "Oldest first", desc: "Newest first" },
      name: { label: "Name", asc: "A to Z", desc: "Z to A" },
      signed_in: { label: "Last sign-in", asc: "Longest ago first", desc: "Latest first" },
    },
    views: {
      all: "All",
      marketing: "Accept marketing",
      recent: "Signed in lately",
      suspended: "Suspended",
      notSaved: "The view was not saved: there is one of this name, or there are 20 already.",
      searchNotKept: "The view is saved. Searched words are not kept in it.",
      save: "Save view",
      delete: "Delete view",
      name: "Name of the view",
    },
    sort: "Sort by",
    previous: "Previous page",
    next: "Next page",
    noMatch: "No customers match",
    noMatchText: "Change the search or the filters.",
    clear: "Clear search and filters",
    empty: "Bring in your customers",
    emptyText:
      "Copy the customers of your store into this app. Afterwards they are kept in step automatically.",
    sync: "Sync customers now",
    syncing: (count) =>
      `Customers are being copied: ${count} read. They appear here as they arrive.`,
    nobodyYet: "Your store has no customers yet. They come here as soon as there are some.",
    syncFailed: "Your store could not be read. Try again in a few minutes.",
    exportAll: "Export CSV",
    exporting: "Exporting",
    exported: "The file is downloaded.",
    exportFailed: "The file could not be made. Try again.",
    file: "customers",
  },
  es: {
    title: "Clientes",
    resource: { singular: "cliente", plural: "clientes" },
    columns: {
      customer: "Cliente",
      state: "Estado",
      signIn: "Inicia sesión con",
      country: "País",
      consent: "Marketing",
      tags: "Etiquetas",
      orders: "Pedidos",
      signedIn: "Último acceso",
    },
    search: "Busca por el principio de un nombre o de un correo electrónico",
    filters: {
      tag: "Etiqueta",
      consent: "Consentimiento",
      provider: "Inicia sesión con",
      status: "Estado",
      country: "País",
      signedIn: "Último acceso",
    },
    not: (consent) => `${consent}: no concedido`,
    never: "Nunca",
    signedIn: {
      7: "En los últimos 7 días",
      30: "En los últimos 30 días",
      90: "En los últimos 90 días",
      older: "Hace más de 90 días",
      never: "Nunca",
    },
    sorts: {
      updated: {
        label: "Último cambio",
        asc: "Más antiguos primero",
        desc: "Más recientes primero",
      },
      name: { label: "Nombre", asc: "De la A a la Z", desc: "De la Z a la A" },
      signed_in: {
        label: "Último acceso",
        asc: "Los que hace más tiempo",
        desc: "Los más recientes",
      },
    },
    views: {
      all: "Todos",
      marketing: "Aceptan marketing",
      recent: "Acceso reciente",
      suspended: "Suspendidos",
      notSaved: "La vista no se ha guardado: ya hay una con este nombre, o ya hay 20.",
      searchNotKept: "La vista se ha guardado. Las palabras buscadas no se conservan en ella.",
      save: "Guardar vista",
      delete: "Eliminar vista",
      name: "Nombre de la vista",
    },
    sort: "Ordenar por",
    previous: "Página anterior",
    next: "Página siguiente",
    noMatch: "Ningún cliente coincide",
    noMatchText: "Cambia la búsqueda o los filtros.",
    clear: "Borrar búsqueda y filtros",
    empty: "Trae a tus clientes",
    emptyText:
      "Copia los clientes de tu tienda a esta aplicación. Después se mantienen al día automáticamente.",
    sync: "Sincronizar clientes ahora",
    syncing: (count) =>
      `Se están copiando los clientes: ${count} leídos. Aparecerán aquí a medida que lleguen.`,
    nobodyYet: "Tu tienda aún no tiene clientes. Llegarán aquí en cuanto los haya.",
    syncFailed: "No se ha podido leer tu tienda. Inténtalo de nuevo en unos minutos.",
    exportAll: "Exportar CSV",
    exporting: "Exportando",
    exported: "El archivo se ha descargado.",
    exportFailed: "No se ha podido crear el archivo. Inténtalo de nuevo.",
    file: "clientes",
  },
  fr: {
    title: "Clients",
    resource: { singular: "client", plural: "clients" },
    columns: {
      customer: "Client",
      state: "Statut",
      signIn: "Se connecte avec",
      country: "Pays",
      consent: "Marketing",
      tags: "Tags",
      orders: "Commandes",
      signedIn: "Dernière connexion",
    },
    search: "Rechercher par le début d'un nom ou d'une adresse e-mail",
    filters: {
      tag: "Tag",
      consent: "Consentement",
      provider: "Se connecte avec",
      status: "Statut",
      country: "Pays",
      signedIn: "Dernière connexion",
    },
    not: (consent) => `${consent} : non accordé`,
    never: "Jamais",
    signedIn: {
      7: "Depuis moins de 7 jours",
      30: "Depuis moins de 30 jours",
      90: "Depuis moins de 90 jours",
      older: "Il y a plus de 90 jours",
      never: "Jamais",
    },
    sorts: {
      updated: {
        label: "Dernière modification",
        asc: "Plus anciens d'abord",
        desc: "Plus récents d'abord",
      },
      name: { label: "Nom", asc: "De A à Z", desc: "De Z à A" },
      signed_in: {
        label: "Dernière connexion",
        asc: "Plus anciennes d'abord",
        desc: "Plus récentes d'abord",
      },
    },
    views: {
      all: "Tous",
      marketing: "Acceptent le marketing",
      recent: "Connectés récemment",
      suspended: "Suspendus",
      notSaved:
        "La vue n'a pas été enregistrée : il en existe une de ce nom, ou il y en a déjà 20.",
      searchNotKept: "La vue est enregistrée. Les mots recherchés n'y sont pas conservés.",
      save: "Enregistrer la vue",
      delete: "Supprimer la vue",
      name: "Nom de la vue",
    },
    sort: "Trier par",
    previous: "Page précédente",
    next: "Page suivante",
    noMatch: "Aucun client ne correspond",
    noMatchText: "Modifiez la recherche ou les filtres.",
    clear: "Effacer la recherche et les filtres",
    empty: "Importez vos clients",
    emptyText:
      "Copiez les clients de votre boutique dans cette application. Ils restent ensuite à jour automatiquement.",
    sync: "Synchroniser les clients",
    syncing: (count) =>
      `Les clients sont en cours de copie : ${count} lus. Ils apparaissent ici au fur et à mesure.`,
    nobodyYet: "Votre boutique n'a pas encore de clients. Ils arriveront ici dès qu'il y en aura.",
    syncFailed: "Votre boutique n'a pas pu être lue. Réessayez dans quelques minutes.",
    exportAll: "Exporter en CSV",
    exporting: "Exportation",
    exported: "Le fichier est téléchargé.",
    exportFailed: "Le fichier n'a pas pu être créé. Réessayez.",
    file: "clients",
  },
};

// The words of the screen of tags.
import type { Words } from "../words.tsx";

type StepName = "backend" | "storefront" | "cms";
export type TagText = {
  title: string;
  resource: { singular: string; plural: string };
  columns: { tag: string; category: string; people: string; actions: string };
  all: string;
  search: string;
  more: (count: string) => string;
  noMatch: string;
  noMatchText: string;
  create: string;
  rename: string;
  remove: string;
  cancel: string;
  name: string;
  nameHelp: string;
  category: string;
  created: string;
  renamed: string;
  removed: string;
  exists: string;
  inUse: string;
  unreadable: string;
  show: (name: string) => string;
  removeTitle: (name: string) => string;
  removeText: string;
  renameText: string;
  prepareTitle: string;
  prepareText: string;
  prepare: string;
  emptyTitle: string;
  steps: Record<StepName, string>;
  waiting: string;
  running: string;
  done: (created: string, existing: string) => string;
};

export const TAG_WORDS: Words<TagText> = {
  en: {
    title: "Tags",
    resource: { singular: "tag", plural: "tags" },
    columns: { tag: "Tag", category: "Category", people: "Customers", actions: "Actions" },
    all: "All",
    search: "Search by the beginning of a name",
    more: (count) =>
      `Only the first ${count} tags are shown. Search by the beginning of a name to see others.`,
    noMatch: "No tags match",
    noMatchText: "Choose another category or search for something else.",
    create: "Create tag",
    rename: "Rename",
    remove: "Delete",
    cancel: "Cancel",
    name: "Name",
    nameHelp:
      "Connected systems know the tag by a key made of this name. The key stays when the tag is renamed.",
    category: "Category",
    created: "Tag created.",
    renamed: "Tag renamed.",
    removed: "Tag deleted.",
    exists: "There is a tag of this name already.",
    inUse: "Customers have this tag now, so it was not deleted.",
    unreadable: "The name must hold a letter from a to z or a digit.",
    show: (name) => `Customers with the tag ${name}`,
    removeTitle: (name) => `Delete ${name}?`,
    removeText: "No customer has this tag. It is removed from the list of tags.",
    renameText: "The new name is shown here. Items that the CMS has already keep the old one.",
    prepareTitle: "Tag system",
    prepareText:
      "Makes the tags that every store starts with, the customer fields in your store, and the tag collection in the CMS. It is safe to do again.",
    prepare: "Prepare tag system",
    emptyTitle: "Start with the usual tags",
    steps: {
      backend: "Default tags",
      storefront: "Customer fields in your store",
      cms: "Tag collection in the CMS",
    },
    waiting: "Waiting",
    running: "Running",
    done: (created, existing) => `Done: ${created} new, ${existing} there already`,
  },
  es: {
    title: "Etiquetas",
    resource: { singular: "etiqueta", plural: "etiquetas" },
    columns: { tag: "Etiqueta", category: "Categoría", people: "Clientes", actions: "Acciones" },
    all: "Todas",
    search: "Busca por el principio de un nombre",
    more: (count) =>
      `Solo se muestran las primeras ${count} etiquetas. Busca por el principio de un nombre para ver otras.`,
    noMatch: "Ninguna etiqueta coincide",
    noMatchText: "Elige otra categoría o busca otra cosa.",
    create: "Crear etiqueta",
    rename: "Cambiar nombre",
    remove: "Eliminar",
    cancel: "Cancelar",
    name: "Nombre",
    nameHelp:
      "Los sistemas conectados conocen la etiqueta por una clave hecha con este nombre. La clave se conserva al cambiar el nombre.",
    category: "Categoría",
    created: "Etiqueta creada.",
    renamed: "Nombre cambiado.",
    removed: "Etiqueta eliminada.",
    exists: "Ya hay una etiqueta con este nombre.",
    inUse: "Ahora hay clientes con esta etiqueta, así que no se ha eliminado.",
    unreadable: "El nombre debe tener una letra de la a a la z o una cifra.",
    show: (name) => `Clientes con la etiqueta ${name}`,
    removeTitle: (name) => `¿Eliminar ${name}?`,
    removeText: "Ningún cliente tiene esta etiqueta. Se quita de la lista de etiquetas.",
    renameText:
      "El nombre nuevo se muestra aquí. Los elementos que ya están en el CMS conservan el anterior.",
    prepareTitle: "Sistema de etiquetas",
    prepareText:
      "Crea las etiquetas con las que empieza cada tienda, los campos de cliente en tu tienda y la colección de etiquetas en el CMS. Se puede repetir sin riesgo.",
    prepare: "Preparar el sistema de etiquetas",
    emptyTitle: "Empieza con las etiquetas habituales",
    steps: {
      backend: "Etiquetas predeterminadas",
      storefront: "Campos de cliente en tu tienda",
      cms: "Colección de etiquetas en el CMS",
    },
    waiting: "En espera",
    running: "En curso",
    done: (created, existing) => `Hecho: ${created} nuevas, ${existing} ya existentes`,
  },
  fr: {
    title: "Tags",
    resource: { singular: "tag", plural: "tags" },
    columns: { tag: "Tag", category: "Catégorie", people: "Clients", actions: "Actions" },
    all: "Tous",
    search: "Rechercher par le début d'un nom",
    more: (count) =>
      `Seuls les ${count} premiers tags sont affichés. Recherchez par le début d'un nom pour voir les autres.`,
    noMatch: "Aucun tag ne correspond",
    noMatchText: "Choisissez une autre catégorie ou modifiez la recherche.",
    create: "Créer un tag",
    rename: "Renommer",
    remove: "Supprimer",
    cancel: "Annuler",
    name: "Nom",
    nameHelp:
      "Les systèmes connectés connaissent le tag par une clé formée de ce nom. La clé reste la même quand le tag est renommé.",
    category: "Catégorie",
    created: "Tag créé.",
    renamed: "Tag renommé.",
    removed: "Tag supprimé.",
    exists: "Il existe déjà un tag de ce nom.",
    inUse: "Des clients ont désormais ce tag ; il n'a donc pas été supprimé.",
    unreadable: "Le nom doit contenir une lettre de a à z ou un chiffre.",
    show: (name) => `Clients avec le tag ${name}`,
    removeTitle: (name) => `Supprimer ${name} ?`,
    removeText: "Aucun client n'a ce tag. Il est retiré de la liste des tags.",
    renameText:
      "Le nouveau nom est affiché ici. Les éléments déjà présents dans le CMS gardent l'ancien.",
    prepareTitle: "Système de tags",
    prepareText:
      "Crée les tags avec lesquels chaque boutique commence, les champs client dans votre boutique et la collection de tags dans le CMS. L'opération peut être répétée sans risque.",
    prepare: "Préparer le système de tags",
    emptyTitle: "Commencez par les tags habituels",
    steps: {
      backend: "Tags par défaut",
      storefront: "Champs client dans votre boutique",
      cms: "Collection de tags dans le CMS",
    },
    waiting: "En attente",
    running: "En cours",
    done: (created, existing) => `Terminé : ${created} nouveaux, ${existing} déjà présents`,
  },
};

// Words that every list of the app shares: filters, pages and downloads.
import type { Words } from "./words.tsx";

type ListText = {
  filter: string;
  clear: string;
  all: string;
  newest: string;
  next: string;
  pages: string;
  reload: string;
  cancel: string;
  asTable: string;
  download: string;
  none: string;
};

export const LIST_WORDS: Words<ListText> = {
  en: {
    filter: "Filter",
    clear: "Clear filters",
    all: "All",
    newest: "Back to newest",
    next: "Next page",
    pages: "Pages",
    reload: "Look again",
    cancel: "Cancel",
    asTable: "Show as a table",
    download: "Download",
    none: "None",
  },
  es: {
    filter: "Filtrar",
    clear: "Quitar filtros",
    all: "Todos",
    newest: "Volver a lo más reciente",
    next: "Página siguiente",
    pages: "Páginas",
    reload: "Comprobar de nuevo",
    cancel: "Cancelar",
    asTable: "Mostrar como tabla",
    download: "Descargar",
    none: "Ninguno",
  },
  fr: {
    filter: "Filtrer",
    clear: "Effacer les filtres",
    all: "Tous",
    newest: "Revenir au plus récent",
    next: "Page suivante",
    pages: "Pages",
    reload: "Vérifier à nouveau",
    cancel: "Annuler",
    asTable: "Afficher en tableau",
    download: "Télécharger",
    none: "Aucun",
  },
};

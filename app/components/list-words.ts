// Words that every list of the app shares: filters, pages, downloads, and what stopped a deed.
import type { Words } from "./words.tsx";

type ListText = {
  filter: string; clear: string; all: string; newest: string; next: string; pages: string; reload: string; cancel: string; asTable: string; download: string; none: string;
  refused: Record<"invalid_request" | "not_found" | "forbidden" | "conflict" | "outside_unwell" | "other", string>;
};

export const LIST_WORDS: Words<ListText> = {
  en: {
    filter: "Filter", clear: "Clear filters", all: "All", newest: "Back to newest", next: "Next page", pages: "Pages", reload: "Look again", cancel: "Cancel", asTable: "Show as a table", download: "Download", none: "None",
    refused: {
      invalid_request: "Some fields need another look.", not_found: "This is not there any more. Reload the page.", forbidden: "Your store may not do this.", conflict: "Somebody changed this meanwhile. Reload the page and try again.",
      outside_unwell: "The other system did not answer. Try again in a few minutes.", other: "This did not work. Reload the page and try again.",
    },
  },
  es: {
    filter: "Filtrar", clear: "Quitar filtros", all: "Todos", newest: "Volver a lo más reciente", next: "Página siguiente", pages: "Páginas", reload: "Comprobar de nuevo", cancel: "Cancelar", asTable: "Mostrar como tabla", download: "Descargar", none: "Ninguno",
    refused: {
      invalid_request: "Revisa los campos señalados.", not_found: "Esto ya no está. Recarga la página.", forbidden: "Tu tienda no puede hacer esto.", conflict: "Alguien lo cambió entretanto. Recarga la página e inténtalo de nuevo.",
      outside_unwell: "El otro sistema no respondió. Inténtalo de nuevo en unos minutos.", other: "No ha funcionado. Recarga la página e inténtalo de nuevo.",
    },
  },
  fr: {
    filter: "Filtrer", clear: "Effacer les filtres", all: "Tous", newest: "Revenir au plus récent", next: "Page suivante", pages: "Pages", reload: "Vérifier à nouveau", cancel: "Annuler", asTable: "Afficher en tableau", download: "Télécharger", none: "Aucun",
    refused: {
      invalid_request: "Certains champs sont à revoir.", not_found: "Cet élément n'existe plus. Rechargez la page.", forbidden: "Votre boutique ne peut pas faire cela.", conflict: "Quelqu'un l'a modifié entre-temps. Rechargez la page et réessayez.",
      outside_unwell: "L'autre système n'a pas répondu. Réessayez dans quelques minutes.", other: "Cela n'a pas fonctionné. Rechargez la page et réessayez.",
    },
  },
};

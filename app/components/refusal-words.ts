// Why a button did not do its work, by the code of the answer.
import type { Words } from "./words.tsx";

type Refusals = Record<
  | "invalid_request"
  | "not_found"
  | "forbidden"
  | "conflict"
  | "too_many_tags"
  | "outside_unwell"
  | "unreachable"
  | "storefront_unavailable"
  | "not_installed"
  | "setting_missing"
  | "sync_running"
  | "cms_unavailable"
  | "other",
  string
>;

export const REFUSAL_WORDS: Words<Refusals> = {
  en: {
    invalid_request: "Some fields need another look.",
    not_found: "This is not there any more. Reload the page.",
    forbidden: "Your store may not do this.",
    conflict: "Somebody changed this meanwhile. Reload the page and try again.",
    too_many_tags: "This customer has as many tags as your store takes.",
    outside_unwell: "The other system did not answer. Try again in a few minutes.",
    unreachable: "The service was not reached. Try again in a moment.",
    storefront_unavailable: "Your store did not answer. Try again in a few minutes.",
    not_installed: "The connection to your store has ended. Reconnect it on the home page.",
    setting_missing: "A setting that this needs is missing.",
    sync_running: "A sync is running already.",
    cms_unavailable: "The CMS did not do what was asked. Check its settings.",
    other: "This did not work. Reload the page and try again.",
  },
  es: {
    invalid_request: "Revisa los campos señalados.",
    not_found: "Esto ya no está. Recarga la página.",
    forbidden: "Tu tienda no puede hacer esto.",
    conflict: "Alguien lo cambió entretanto. Recarga la página e inténtalo de nuevo.",
    too_many_tags: "Este cliente ya tiene todas las etiquetas que admite tu tienda.",
    outside_unwell: "El otro sistema no respondió. Inténtalo de nuevo en unos minutos.",
    unreachable: "No se ha podido contactar con el servicio. Inténtalo en un momento.",
    storefront_unavailable: "Tu tienda no ha respondido. Inténtalo de nuevo en unos minutos.",
    not_installed:
      "La conexión con tu tienda ha terminado. Vuelve a conectarla en la página de inicio.",
    setting_missing: "Falta un ajuste necesario.",
    sync_running: "Ya hay una sincronización en curso.",
    cms_unavailable: "El CMS no ha hecho lo que se le pidió. Revisa sus ajustes.",
    other: "No ha funcionado. Recarga la página e inténtalo de nuevo.",
  },
  fr: {
    invalid_request: "Certains champs sont à revoir.",
    not_found: "Cet élément n'existe plus. Rechargez la page.",
    forbidden: "Votre boutique ne peut pas faire cela.",
    conflict: "Quelqu'un l'a modifié entre-temps. Rechargez la page et réessayez.",
    too_many_tags: "Ce client a déjà autant de tags que votre boutique en accepte.",
    outside_unwell: "L'autre système n'a pas répondu. Réessayez dans quelques minutes.",
    unreachable: "Le service n'a pas pu être joint. Réessayez dans un instant.",
    storefront_unavailable: "Votre boutique n'a pas répondu. Réessayez dans quelques minutes.",
    not_installed:
      "La connexion à votre boutique a pris fin. Reconnectez-la depuis la page d'accueil.",
    setting_missing: "Un réglage nécessaire manque.",
    sync_running: "Une synchronisation est déjà en cours.",
    cms_unavailable: "Le CMS n'a pas fait ce qui était demandé. Vérifiez ses paramètres.",
    other: "Cela n'a pas fonctionné. Rechargez la page et réessayez.",
  },
};

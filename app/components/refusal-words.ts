// Why a button did not do its work, by the code of the answer.
import { useWords, type Words } from "./words.tsx";

type Refusals = Record<"invalid_request" | "not_found" | "conflict" | "too_many_tags" | "system_unavailable" | "storefront_unavailable" | "not_installed" | "setting_missing" | "sync_running" | "cms_unavailable" | "other", string>;

const REFUSALS: Words<Refusals> = {
  en: {
    invalid_request: "Something in the form is missing or wrong.",
    not_found: "It does not exist any more. Reload the page.",
    conflict: "There is one of this name already.",
    too_many_tags: "This customer has as many tags as your store takes.",
    system_unavailable: "A connected system did not answer. Try again in a few minutes.",
    storefront_unavailable: "Your store did not answer. Try again in a few minutes.",
    not_installed: "The connection to your store has ended. Reconnect it on the home page.",
    setting_missing: "A setting that this needs is missing.",
    sync_running: "A sync is running already.",
    cms_unavailable: "The CMS did not do what was asked. Check its settings.",
    other: "Something went wrong. Try again.",
  },
  es: {
    invalid_request: "Falta algo en el formulario o no es correcto.",
    not_found: "Ya no existe. Recarga la página.",
    conflict: "Ya existe uno con este nombre.",
    too_many_tags: "Este cliente ya tiene todas las etiquetas que admite tu tienda.",
    system_unavailable: "Un sistema conectado no ha respondido. Inténtalo de nuevo en unos minutos.",
    storefront_unavailable: "Tu tienda no ha respondido. Inténtalo de nuevo en unos minutos.",
    not_installed: "La conexión con tu tienda ha terminado. Vuelve a conectarla en la página de inicio.",
    setting_missing: "Falta un ajuste necesario.",
    sync_running: "Ya hay una sincronización en curso.",
    cms_unavailable: "El CMS no ha hecho lo que se le pidió. Revisa sus ajustes.",
    other: "Algo ha fallado. Inténtalo de nuevo.",
  },
  fr: {
    invalid_request: "Un élément du formulaire manque ou est incorrect.",
    not_found: "Cet élément n'existe plus. Rechargez la page.",
    conflict: "Il en existe déjà un de ce nom.",
    too_many_tags: "Ce client a déjà autant de tags que votre boutique en accepte.",
    system_unavailable: "Un système connecté n'a pas répondu. Réessayez dans quelques minutes.",
    storefront_unavailable: "Votre boutique n'a pas répondu. Réessayez dans quelques minutes.",
    not_installed: "La connexion à votre boutique a pris fin. Reconnectez-la depuis la page d'accueil.",
    setting_missing: "Un réglage nécessaire manque.",
    sync_running: "Une synchronisation est déjà en cours.",
    cms_unavailable: "Le CMS n'a pas fait ce qui était demandé. Vérifiez ses paramètres.",
    other: "Une erreur s'est produite. Réessayez.",
  },
};

/** Says a refusal in the reader's language. */
export function useRefusal(): (code: string) => string {
  const words = useWords(REFUSALS);
  return (code) => (Object.hasOwn(words, code) ? words[code as keyof Refusals] : words.other);
}

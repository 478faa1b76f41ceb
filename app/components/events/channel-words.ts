// Channels, and what goes wrong with them, in the merchant's words.
import { CHANNEL_NAMES, type ChannelName } from "../channel-names.ts";
import type { Words } from "../words.tsx";

type FailureKind =
  | "access_refused"
  | "rejected"
  | "too_many"
  | "unwell"
  | "unreachable"
  | "slow"
  | "address_refused"
  | "setting"
  | "consent"
  | "data"
  | "mapping"
  | "not_connected"
  | "given_up"
  | "ours"
  | "other";
type MissingName =
  | "cms_api_token"
  | "cms_customers_collection_id"
  | "analytics_measurement_id"
  | "analytics_api_secret"
  | "profile_platform_enabled"
  | "profile_platform_url"
  | "email_from"
  | "email_api_key"
  | "erp_base_url"
  | "retail_analytics_a_url"
  | "retail_analytics_b_url"
  | "left_out"
  | "store_connection";

type ChannelText = {
  names: Record<ChannelName, string>;
  failures: Record<FailureKind, string>;
  missing: Record<MissingName, string>;
  answered: (status: number) => string;
};

export const CHANNEL_WORDS: Words<ChannelText> = {
  en: {
    names: CHANNEL_NAMES.en,
    failures: {
      access_refused: "It refuses our access. Check the key or password in the settings.",
      rejected: "It does not accept what was sent.",
      too_many: "It takes no more requests for now.",
      unwell: "It has a problem of its own.",
      unreachable: "It cannot be reached. Check its address in the settings.",
      slow: "It did not answer in time.",
      address_refused: "Its address is not one that may be called. Check it in the settings.",
      setting: "A setting is missing",
      consent: "The customer has not consented",
      data: "Something is missing in the data",
      mapping: "There is no mapping for this",
      not_connected: "The app is not connected to your store.",
      given_up: "It was given up after three interrupted tries.",
      ours: "This is a fault on our side and has been logged.",
      other: "It could not be delivered.",
    },
    missing: {
      cms_api_token: "API token",
      cms_customers_collection_id: "Customers collection",
      analytics_measurement_id: "Measurement id",
      analytics_api_secret: "API secret",
      profile_platform_enabled: "its switch, which is off",
      profile_platform_url: "Address",
      email_from: "Sender",
      email_api_key: "API key",
      erp_base_url: "Address of the ERP",
      retail_analytics_a_url: "Address",
      retail_analytics_b_url: "Address",
      left_out: "its place in your list of destinations",
      store_connection: "the connection to your store",
    },
    answered: (status) => `Answer ${status}`,
  },
  es: {
    names: CHANNEL_NAMES.es,
    failures: {
      access_refused:
        "Rechaza nuestro acceso. Revisa la clave o la contraseña en la configuración.",
      rejected: "No acepta lo enviado.",
      too_many: "De momento no admite más solicitudes.",
      unwell: "Tiene un problema propio.",
      unreachable: "No se puede contactar. Revisa su dirección en la configuración.",
      slow: "No respondió a tiempo.",
      address_refused: "Su dirección no está permitida. Revísala en la configuración.",
      setting: "Falta un ajuste",
      consent: "El cliente no ha dado su consentimiento",
      data: "Falta algo en los datos",
      mapping: "No hay asignación para esto",
      not_connected: "La aplicación no está conectada a tu tienda.",
      given_up: "Se abandonó tras tres intentos interrumpidos.",
      ours: "Es un fallo nuestro y ha quedado registrado.",
      other: "No se pudo entregar.",
    },
    missing: {
      cms_api_token: "Token de API",
      cms_customers_collection_id: "Colección de clientes",
      analytics_measurement_id: "Id de medición",
      analytics_api_secret: "Secreto de API",
      profile_platform_enabled: "su interruptor, que está apagado",
      profile_platform_url: "Dirección",
      email_from: "Remitente",
      email_api_key: "Clave de API",
      erp_base_url: "Dirección del ERP",
      retail_analytics_a_url: "Dirección",
      retail_analytics_b_url: "Dirección",
      left_out: "su lugar en tu lista de destinos",
      store_connection: "la conexión con tu tienda",
    },
    answered: (status) => `Respuesta ${status}`,
  },
  fr: {
    names: CHANNEL_NAMES.fr,
    failures: {
      access_refused:
        "Il refuse notre accès. Vérifiez la clé ou le mot de passe dans les paramètres.",
      rejected: "Il n'accepte pas ce qui a été envoyé.",
      too_many: "Il n'accepte plus de requêtes pour l'instant.",
      unwell: "Il rencontre un problème de son côté.",
      unreachable: "Il est injoignable. Vérifiez son adresse dans les paramètres.",
      slow: "Il n'a pas répondu à temps.",
      address_refused: "Son adresse n'est pas autorisée. Vérifiez-la dans les paramètres.",
      setting: "Un paramètre manque",
      consent: "Le client n'a pas donné son consentement",
      data: "Il manque quelque chose dans les données",
      mapping: "Aucune correspondance n'est définie pour cela",
      not_connected: "L'application n'est pas connectée à votre boutique.",
      given_up: "Abandonné après trois essais interrompus.",
      ours: "C'est une erreur de notre côté, elle a été enregistrée.",
      other: "La livraison n'a pas abouti.",
    },
    missing: {
      cms_api_token: "Jeton d'API",
      cms_customers_collection_id: "Collection des clients",
      analytics_measurement_id: "Identifiant de mesure",
      analytics_api_secret: "Secret d'API",
      profile_platform_enabled: "son interrupteur, qui est éteint",
      profile_platform_url: "Adresse",
      email_from: "Expéditeur",
      email_api_key: "Clé d'API",
      erp_base_url: "Adresse de l'ERP",
      retail_analytics_a_url: "Adresse",
      retail_analytics_b_url: "Adresse",
      left_out: "sa place dans votre liste de destinations",
      store_connection: "la connexion à votre boutique",
    },
    answered: (status) => `Réponse ${status}`,
  },
};

export type ShownFailure = { kind: FailureKind; about: string | null; http_status: number | null };

/** A destination that nobody here serves keeps the name its sender gave it. */
export const channelLabel = (words: ChannelText, name: string): string =>
  Object.hasOwn(words.names, name) ? words.names[name as ChannelName] : name;

export const missingLabel = (words: ChannelText, name: string): string =>
  Object.hasOwn(words.missing, name) ? words.missing[name as MissingName] : name;

export function failureText(
  words: ChannelText,
  { kind, about, http_status: status }: ShownFailure,
): string {
  const said =
    about === null
      ? words.failures[kind].replace(/(?<![.])$/, ".")
      : `${words.failures[kind]}: ${about}.`;
  return status !== null && status >= 400 ? `${said} (${words.answered(status)})` : said;
}

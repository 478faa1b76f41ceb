// What the fields are called and what is good to know about them. English labels come with the field, from the table of
// fields; a field without words here is shown with that label. [label es, label fr, help en, help es, help fr]
import type { Locale } from "../words.tsx";

type FieldText = readonly [
  es: string,
  fr: string,
  helpEn?: string,
  helpEs?: string,
  helpFr?: string,
];

export const FIELD_TEXTS: Record<string, FieldText> = {
  storefront_admin_token: [
    "Token de acceso de administración",
    "Jeton d'accès d'administration",
    "Comes with the install and is renewed by itself.",
    "Llega con la instalación y se renueva solo.",
    "Vient avec l'installation et se renouvelle tout seul.",
  ],
  storefront_refresh_token: [
    "Token de renovación",
    "Jeton de renouvellement",
    "Works once; replaced at every renewal.",
    "Sirve una vez; se sustituye en cada renovación.",
    "Sert une fois ; remplacé à chaque renouvellement.",
  ],
  storefront_token_expires_at: ["El token de acceso caduca", "Expiration du jeton d'accès"],
  storefront_store_domain: ["Dominio de la tienda", "Domaine de la boutique"],
  storefront_app_secret: [
    "Secreto de la aplicación",
    "Secret de l'application",
    "Only when your store has an app of its own.",
    "Solo si tu tienda tiene una aplicación propia.",
    "Seulement si votre boutique a sa propre application.",
  ],
  storefront_shop_id: ["Id de la tienda", "Id de la boutique"],
  storefront_api_token: [
    "Token de la API Storefront",
    "Jeton de l'API Storefront",
    "Lets agents fill a cart.",
    "Permite que los agentes llenen un carrito.",
    "Permet aux agents de remplir un panier.",
  ],
  public_hosts: [
    "Hosts públicos",
    "Hôtes publics",
    "Host names under which this service answers for your store, without ports. Each counts once it is verified.",
    "Nombres con los que este servicio responde por tu tienda, sin puertos. Cada uno cuenta una vez verificado.",
    "Noms sous lesquels ce service répond pour votre boutique, sans ports. Chacun compte une fois vérifié.",
  ],
  region: ["Región", "Région"],
  access_role: ["Función de acceso", "Rôle d'accès"],
  admin_key: [
    "Clave de API de la tienda",
    "Clé d'API de la boutique",
    "Opens the admin API for this store alone.",
    "Abre la API de administración solo para esta tienda.",
    "Ouvre l'API d'administration pour cette boutique seule.",
  ],
  jwt_secret: [
    "Secreto de sesión",
    "Secret de session",
    "Changing it signs every shopper out.",
    "Al cambiarlo se cierra la sesión de todos los compradores.",
    "Le changer déconnecte tous les acheteurs.",
  ],
  allowed_origins: [
    "Orígenes permitidos",
    "Origines autorisées",
    "Sites that may act for a signed-in shopper, for example https://www.example.com.",
    "Sitios que pueden actuar por un comprador, por ejemplo https://www.example.com.",
    "Sites qui peuvent agir pour un acheteur, par exemple https://www.example.com.",
  ],
  password_iterations: ["Iteraciones de la contraseña", "Itérations du mot de passe"],
  require_email_verification: ["Exigir correo verificado", "Exiger un e-mail vérifié"],
  auth_redirect_origin: [
    "Volver a",
    "Retour vers",
    "Where shoppers come back to after they signed in, for example https://www.example.com.",
    "A dónde vuelven los compradores tras iniciar sesión, por ejemplo https://www.example.com.",
    "Où reviennent les acheteurs après la connexion, par exemple https://www.example.com.",
  ],
  federated_issuer: ["Proveedor de identidad", "Fournisseur d'identité"],
  federated_client_id: ["Id de cliente del proveedor", "Id client du fournisseur"],
  federated_client_secret: ["Secreto de cliente del proveedor", "Secret client du fournisseur"],
  storefront_customer_account_client_id: [
    "Id de cliente de cuentas de cliente",
    "Id client des comptes clients",
  ],
  storefront_customer_account_client_secret: [
    "Secreto de cuentas de cliente",
    "Secret des comptes clients",
  ],
  cms_api_token: ["Token de la API del CMS", "Jeton de l'API du CMS"],
  cms_site_id: ["Id del sitio", "Id du site"],
  cms_customers_collection_id: ["Id de la colección Clientes", "Id de la collection Clients"],
  cms_tags_collection_id: [
    "Id de la colección Etiquetas",
    "Id de la collection Étiquettes",
    "Left empty, a collection is made when the tags are prepared.",
    "Vacío: se crea una colección al preparar las etiquetas.",
    "Vide : une collection est créée à la préparation des étiquettes.",
  ],
  analytics_measurement_id: [
    "Id de medición",
    "Id de mesure",
    "Looks like G-ABC123.",
    "Tiene la forma G-ABC123.",
    "De la forme G-ABC123.",
  ],
  analytics_api_secret: ["Secreto de la API de analítica", "Secret de l'API de mesure"],
  profile_platform_enabled: ["Enviar perfiles cifrados", "Envoyer des profils hachés"],
  profile_platform_url: ["Dirección de envío", "Adresse d'envoi"],
  profile_platform_token: ["Token de envío", "Jeton d'envoi"],
  erp_base_url: ["Dirección del ERP", "Adresse de l'ERP"],
  erp_token: [
    "Token de entrada del ERP",
    "Jeton entrant de l'ERP",
    "What your ERP shows when it sends events here.",
    "Lo que tu ERP presenta al enviar eventos aquí.",
    "Ce que votre ERP présente quand il envoie des événements ici.",
  ],
  erp_username: ["Usuario del ERP", "Utilisateur de l'ERP"],
  erp_password: ["Contraseña del ERP", "Mot de passe de l'ERP"],
  erp_format: ["Formato de los documentos", "Format des documents"],
  erp_defaults: [
    "Organización del ERP",
    "Organisation de l'ERP",
    "Company code, sales organisation, distribution channel. Documents need all three.",
    "Sociedad, organización de ventas, canal de distribución. Los documentos necesitan los tres.",
    "Société, organisation commerciale, canal de distribution. Les documents ont besoin des trois.",
  ],
  retail_analytics_a_url: [
    "Dirección de medición A",
    "Adresse de mesure A",
    "s3://bucket/prefix with the keys below, or a pre-signed https:// address.",
    "s3://bucket/prefijo con las claves de abajo, o una dirección https:// prefirmada.",
    "s3://bucket/préfixe avec les clés ci-dessous, ou une adresse https:// présignée.",
  ],
  retail_analytics_a_access_key_id: [
    "Id de clave de acceso de medición A",
    "Id de clé d'accès de mesure A",
    "Of an identity of your own that may write to the bucket, and nothing else.",
    "De una identidad propia que solo pueda escribir en el bucket.",
    "D'une identité à vous qui peut écrire dans le bucket, et rien d'autre.",
  ],
  retail_analytics_a_secret_access_key: [
    "Clave de acceso secreta de medición A",
    "Clé d'accès secrète de mesure A",
  ],
  retail_analytics_b_url: ["Dirección de medición B", "Adresse de mesure B"],
  retail_analytics_b_token: ["Token de medición B", "Jeton de mesure B"],
  wms_system: ["Sistema de almacén", "Système d'entrepôt"],
  wms_base_url: ["Dirección del almacén", "Adresse de l'entrepôt"],
  email_from: [
    "Remitente",
    "Expéditeur",
    "Name and address on a verified domain: My Store <hello@example.com>. Without a key of your own only the name is used.",
    "Nombre y dirección de un dominio verificado: Mi tienda <hola@example.com>. Sin una clave propia solo se usa el nombre.",
    "Nom et adresse d'un domaine vérifié : Ma boutique <bonjour@example.com>. Sans clé à vous, seul le nom est utilisé.",
  ],
  email_api_key: ["Clave de API de correo", "Clé d'API e-mail"],
  support_email: [
    "Correo de atención",
    "E-mail du support",
    "Hears of failed deliveries and of shoppers who ask for their data.",
    "Recibe los avisos de entregas fallidas y de solicitudes de datos.",
    "Reçoit les avis d'envois échoués et de demandes de données.",
  ],
  enabled_channels: [
    "Canales activados",
    "Canaux activés",
    "Left empty, every system whose settings are there.",
    "Vacío: todos los sistemas que tienen su configuración.",
    "Vide : tous les systèmes dont les paramètres sont là.",
  ],
  event_bus_phase: [
    "Fase del paso al bus de eventos",
    "Phase du passage au bus d'événements",
    "1 to 5; left empty, the move is done.",
    "De 1 a 5; vacío: el paso está hecho.",
    "De 1 à 5 ; vide : le passage est fait.",
  ],
  event_routes: [
    "Rutas de eventos",
    "Routes d'événements",
    "Use * for any text: order.* or *.updated.",
    "Usa * para cualquier texto: order.* o *.updated.",
    "Utilisez * pour tout texte : order.* ou *.updated.",
  ],
  agent_access_enabled: [
    "Los agentes pueden actuar por quienes lo permiten",
    "Les agents peuvent agir pour ceux qui le permettent",
  ],
  agent_payments_enabled: [
    "Los agentes pueden pagar con un mandato",
    "Les agents peuvent payer avec un mandat",
  ],
  consent_policy_version: [
    "Versión de la política",
    "Version de la politique",
    "Stands in every consent record.",
    "Consta en cada registro de consentimiento.",
    "Figure dans chaque preuve de consentement.",
  ],
  consent_mode: [
    "Modo de consentimiento",
    "Mode de consentement",
    "Basic: nothing is loaded before a choice. Advanced: cookieless pings before it.",
    "Basic: no se carga nada antes de elegir. Advanced: avisos sin cookies antes de elegir.",
    "Basic : rien n'est chargé avant le choix. Advanced : signaux sans cookie avant le choix.",
  ],
  self_service_tag_categories: [
    "Etiquetas que pueden cambiar los compradores",
    "Étiquettes que les acheteurs peuvent changer",
  ],
  brand_name: ["Nombre de la marca", "Nom de la marque"],
  logo_url: ["Logotipo", "Logo"],
  terms_url: ["Condiciones de uso", "Conditions d'utilisation"],
  privacy_url: ["Política de privacidad", "Politique de confidentialité"],
  locale: ["Idioma", "Langue"],
  platform_client_id: ["Id de cliente de la aplicación", "Id client de l'application"],
  platform_app_secret: ["Secreto de la aplicación", "Secret de l'application"],
  archive_url: [
    "Archivo",
    "Archive",
    "file:path or s3://bucket/prefix.",
    "file:ruta o s3://bucket/prefijo.",
    "file:chemin ou s3://bucket/préfixe.",
  ],
};

export function fieldWords(
  locale: Locale,
  field: { name: string; label: string },
): { label: string; help: string } {
  const [es, fr, ...help] = Object.hasOwn(FIELD_TEXTS, field.name)
    ? (FIELD_TEXTS[field.name] as FieldText)
    : [field.label, field.label];
  const at = { en: 0, es: 1, fr: 2 }[locale];
  return { label: locale === "en" ? field.label : locale === "es" ? es : fr, help: help[at] ?? "" };
}

/** What may be chosen, where its name in the configuration is no word of a merchant. */
const OPTIONS: Record<string, readonly [en: string, es: string, fr: string]> = {
  "locale.en": ["English", "English", "English"],
  "locale.es": ["Español", "Español", "Español"],
  "locale.fr": ["Français", "Français", "Français"],
  "consent_mode.basic": ["Basic", "Básico", "De base"],
  "consent_mode.advanced": ["Advanced", "Avanzado", "Avancé"],
  "erp_format.odata_json": ["JSON (OData)", "JSON (OData)", "JSON (OData)"],
  "erp_format.xml": ["XML", "XML", "XML"],
  "access_role.creator": ["Creator", "Creadora", "Créatrice"],
  "access_role.shared": ["Shared", "Compartida", "Partagée"],
  "access_role.private": ["Private", "Privada", "Privée"],
  "erp_defaults.bukrs": ["Company code (bukrs)", "Sociedad (bukrs)", "Société (bukrs)"],
  "erp_defaults.vkorg": [
    "Sales organisation (vkorg)",
    "Organización de ventas (vkorg)",
    "Organisation commerciale (vkorg)",
  ],
  "erp_defaults.vtweg": [
    "Distribution channel (vtweg)",
    "Canal de distribución (vtweg)",
    "Canal de distribution (vtweg)",
  ],
  "self_service_tag_categories.status": ["Status", "Estado", "Statut"],
  "self_service_tag_categories.tier": ["Tier", "Nivel", "Niveau"],
  "self_service_tag_categories.segment": ["Segment", "Segmento", "Segment"],
  "self_service_tag_categories.campaign": ["Campaign", "Campaña", "Campagne"],
  "self_service_tag_categories.consent": ["Consent", "Consentimiento", "Consentement"],
  "self_service_tag_categories.marketing": ["Marketing", "Marketing", "Marketing"],
};

export function optionWords(locale: Locale, field: string, option: string): string {
  return OPTIONS[`${field}.${option}`]?.[{ en: 0, es: 1, fr: 2 }[locale]] ?? option;
}

/** What a refusal says to a merchant; the first that matches. */
const PROBLEMS: [refusal: RegExp, en: string, es: string, fr: string][] = [
  [
    /private address|folder of this machine|own archive/,
    "This address is inside a private network. Use a public https:// address.",
    "Esta dirección está en una red privada. Usa una dirección https:// pública.",
    "Cette adresse est dans un réseau privé. Utilisez une adresse https:// publique.",
  ],
  [
    /s3:\/\//,
    "Enter an address that begins with https:// or s3://.",
    "Escribe una dirección que empiece por https:// o s3://.",
    "Saisissez une adresse qui commence par https:// ou s3://.",
  ],
  [
    /https:\/\/|url/i,
    "Enter a full address that begins with https://.",
    "Escribe una dirección completa que empiece por https://.",
    "Saisissez une adresse complète qui commence par https://.",
  ],
  [
    /Display Name/,
    "Enter a name and an address: My Store <hello@example.com>.",
    "Escribe un nombre y una dirección: Mi tienda <hola@example.com>. Sin una clave propia solo se usa el nombre.",
    "Saisissez un nom et une adresse : Ma boutique <bonjour@example.com>. Sans clé à vous, seul le nom est utilisé.",
  ],
  [
    /e-?mail/i,
    "Enter an e-mail address.",
    "Escribe una dirección de correo.",
    "Saisissez une adresse e-mail.",
  ],
  [
    /G-ABC123/,
    "It looks like G-ABC123: a G, a hyphen, capital letters and digits.",
    "Tiene la forma G-ABC123: una G, un guion, mayúsculas y cifras.",
    "De la forme G-ABC123 : un G, un trait d'union, des majuscules et des chiffres.",
  ],
  [
    /at least 16/,
    "Use at least 16 characters.",
    "Usa al menos 16 caracteres.",
    "Utilisez au moins 16 caractères.",
  ],
  [
    /another store/,
    "Another store uses this host name.",
    "Otra tienda usa este nombre de host.",
    "Une autre boutique utilise ce nom d'hôte.",
  ],
  [
    /masked value/,
    "Type the whole secret anew.",
    "Escribe de nuevo el secreto completo.",
    "Saisissez de nouveau le secret complet.",
  ],
  [
    /set by the platform/,
    "Only whoever runs the service may change this.",
    "Solo puede cambiarlo quien gestiona el servicio.",
    "Seuls ceux qui gèrent le service peuvent le changer.",
  ],
  [
    /shared stores/,
    "A shared store does not have this.",
    "Una tienda compartida no lo tiene.",
    "Une boutique partagée ne l'a pas.",
  ],
  [
    /wildcards/,
    "Use letters, digits, _, -, . and *.",
    "Usa letras, cifras, _, -, . y *.",
    "Utilisez des lettres, des chiffres, _, -, . et *.",
  ],
  [
    /channel name/,
    "Use small letters, digits and _.",
    "Usa minúsculas, cifras y _.",
    "Utilisez des minuscules, des chiffres et _.",
  ],
  [
    /host name/,
    "Enter host names such as shop.example.com, without https://.",
    "Escribe nombres como shop.example.com, sin https://.",
    "Saisissez des noms comme shop.example.com, sans https://.",
  ],
  [
    /datetime/i,
    "Enter a moment such as 2026-12-31T12:00:00Z.",
    "Escribe un momento como 2026-12-31T12:00:00Z.",
    "Saisissez un moment comme 2026-12-31T12:00:00Z.",
  ],
  [
    /number/i,
    "Enter a number within the allowed range.",
    "Escribe un número dentro del intervalo permitido.",
    "Saisissez un nombre dans l'intervalle permis.",
  ],
  [/too big/i, "This is too long.", "Es demasiado largo.", "C'est trop long."],
  [/too small/i, "Something is missing here.", "Falta algo aquí.", "Il manque quelque chose ici."],
];

export function problemWords(locale: Locale, refusal: string): string {
  const [, en, es, fr] = PROBLEMS.find(([pattern]) => pattern.test(refusal)) ?? [
    null,
    `This is not accepted: ${refusal}.`,
    `No se acepta: ${refusal}.`,
    `Ce n'est pas accepté : ${refusal}.`,
  ];
  return { en, es, fr }[locale];
}

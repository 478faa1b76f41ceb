// The words of the consent screens.
import type { Words } from "../words.tsx";

type Kind = "tos" | "privacy" | "cookie" | "marketing" | "a2a" | "ap2" | "analytics_partners";
type Problem =
  | "edited"
  | "missing"
  | "broken_link"
  | "tail_missing"
  | "head_missing"
  | "checkpoint_mismatch"
  | "checkpoint_forged"
  | "checkpoint_missing";

type ConsentText = {
  title: string;
  log: string;
  policies: string;
  sections: string;
  chart: string;
  granted: string;
  revoked: string;
  day: string;
  chartSummary: (granted: string, revoked: string, days: number) => string;
  columns: {
    when: string;
    who: string;
    what: string;
    action: string;
    how: string;
    version: string;
    proof: string;
  };
  filters: {
    type: string;
    action: string;
    method: string;
    from: string;
    until: string;
    email: string;
  };
  kinds: Record<Kind, string>;
  actions: Record<"granted" | "revoked" | "mandate_created" | "mandate_used", string>;
  methods: Record<
    | "banner"
    | "signup"
    | "compliance-page"
    | "federated_oauth"
    | "storefront_oidc"
    | "oauth_consent"
    | "account_deletion",
    string
  >;
  visitor: string;
  person: (id: number) => string;
  gpc: string;
  proof: string;
  proofOf: (what: string, when: string) => string;
  export: string;
  exportHint: string;
  empty: { title: string; text: string; action: string };
  nothingFound: { title: string; text: string };
  verify: {
    title: string;
    text: string;
    button: string;
    running: string;
    progress: (rows: string, of: string) => string;
    good: (rows: string) => string;
    bad: (count: string, rows: string) => string;
    interrupted: string;
    failed: string;
    last: string;
    place: string;
    problem: string;
    more: (count: string) => string;
    kinds: Record<Problem, string>;
  };
  policy: {
    intro: string;
    version: string;
    versionHint: string;
    language: string;
    text: string;
    textHint: string;
    publish: string;
    makeCurrent: string;
    published: string;
    current: string;
    since: string;
    fingerprint: string;
    empty: { title: string; text: string };
    add: string;
    conflict: string;
    wrong: Record<"version" | "locale" | "body", string>;
    languages: Record<"en" | "es" | "fr", string>;
  };
};

export const CONSENT_WORDS: Words<ConsentText> = {
  en: {
    title: "Consent",
    log: "Log",
    policies: "Policy versions",
    sections: "Pages about consent",
    chart: "Consents given and withdrawn per day",
    granted: "Given",
    revoked: "Withdrawn",
    day: "Day",
    chartSummary: (granted, revoked, days) =>
      `${granted} given and ${revoked} withdrawn in the last ${days} days.`,
    columns: {
      when: "When",
      who: "Who",
      what: "Consent",
      action: "Decision",
      how: "How",
      version: "Policy",
      proof: "Proof",
    },
    filters: {
      type: "Consent",
      action: "Decision",
      method: "How (method)",
      from: "From",
      until: "Until",
      email: "Customer's e-mail",
    },
    kinds: {
      tos: "Terms of use",
      privacy: "Privacy policy",
      cookie: "Analytics cookies",
      marketing: "Marketing",
      a2a: "Agent access",
      ap2: "Agent payments",
      analytics_partners: "Measurement partners",
    },
    actions: {
      granted: "Given",
      revoked: "Withdrawn",
      mandate_created: "Mandate made",
      mandate_used: "Mandate used",
    },
    methods: {
      banner: "Banner",
      signup: "Sign-up",
      "compliance-page": "Privacy page",
      federated_oauth: "External sign-in",
      storefront_oidc: "Store sign-in",
      oauth_consent: "Agent's consent page",
      account_deletion: "Account deletion",
    },
    visitor: "Visitor",
    person: (id) => `Customer ${id}`,
    gpc: "Browser asked not to be tracked",
    proof: "Proof",
    proofOf: (what, when) => `Proof: ${what}, ${when}`,
    export: "Export as CSV",
    exportHint: "The filtered log, as a file for a spreadsheet",
    empty: {
      title: "No consent has been recorded yet",
      text: "Decisions appear here as soon as shoppers use the banner, sign up or change their preferences.",
      action: "Set up the banner",
    },
    nothingFound: {
      title: "Nothing matches these filters",
      text: "Change the filters, or clear them.",
    },
    verify: {
      title: "Is the log complete and unchanged?",
      text: "Every entry is sealed to the one before it. The check finds entries that were changed, moved or removed, also at the end.",
      button: "Check the log",
      running: "Checking",
      progress: (rows, of) => `${rows} of ${of} entries checked`,
      good: (rows) => `All ${rows} entries are complete and unchanged.`,
      bad: (count, rows) => `${count} problems in ${rows} entries`,
      interrupted: "The check was interrupted. Start it again.",
      failed: "The check could not be finished. It has been logged on our side. Start it again.",
      last: "Last check",
      place: "Entry",
      problem: "Problem",
      more: (count) => `${count} more are not shown.`,
      kinds: {
        edited: "was changed after it was written",
        missing: "is missing",
        broken_link: "does not follow the entry before it",
        tail_missing: "and what came after it are missing",
        head_missing: "is the last one, but its seal is missing",
        checkpoint_mismatch: "differs from its signed copy in the archive",
        checkpoint_forged: "has a signed copy in the archive that is not ours",
        checkpoint_missing: "has lost its signed copy in the archive",
      },
    },
    policy: {
      intro:
        "What shoppers were told when they decided. A published text never changes; a new wording is a new version.",
      version: "Version",
      versionHint: "For example 2026-11",
      language: "Language",
      text: "Text of the policy",
      textHint: "Exactly as shoppers read it",
      publish: "Publish version",
      makeCurrent: "New consents are given to this version",
      published: "Version published",
      current: "In force",
      since: "Published",
      fingerprint: "Fingerprint",
      add: "Add a version",
      empty: {
        title: "No version is published yet",
        text: "Publish the text of your policy, so that every consent can prove what was agreed to.",
      },
      conflict: "This version was published with another text. Choose a new version.",
      wrong: {
        version: "Write 1 to 40 characters.",
        locale: "Choose a language.",
        body: "Paste the text, at most 500,000 characters.",
      },
      languages: { en: "English", es: "Spanish", fr: "French" },
    },
  },
  es: {
    title: "Consentimiento",
    log: "Registro",
    policies: "Versiones de la política",
    sections: "Páginas sobre consentimiento",
    chart: "Consentimientos dados y retirados por día",
    granted: "Dados",
    revoked: "Retirados",
    day: "Día",
    chartSummary: (granted, revoked, days) =>
      `${granted} dados y ${revoked} retirados en los últimos ${days} días.`,
    columns: {
      when: "Cuándo",
      who: "Quién",
      what: "Consentimiento",
      action: "Decisión",
      how: "Cómo",
      version: "Política",
      proof: "Prueba",
    },
    filters: {
      type: "Consentimiento",
      action: "Decisión",
      method: "Cómo (método)",
      from: "Desde",
      until: "Hasta",
      email: "Correo del cliente",
    },
    kinds: {
      tos: "Condiciones de uso",
      privacy: "Política de privacidad",
      cookie: "Cookies de analítica",
      marketing: "Marketing",
      a2a: "Acceso de agentes",
      ap2: "Pagos por agentes",
      analytics_partners: "Socios de medición",
    },
    actions: {
      granted: "Dado",
      revoked: "Retirado",
      mandate_created: "Mandato creado",
      mandate_used: "Mandato usado",
    },
    methods: {
      banner: "Banner",
      signup: "Registro",
      "compliance-page": "Página de privacidad",
      federated_oauth: "Inicio de sesión externo",
      storefront_oidc: "Inicio de sesión en la tienda",
      oauth_consent: "Página de consentimiento del agente",
      account_deletion: "Eliminación de la cuenta",
    },
    visitor: "Visitante",
    person: (id) => `Cliente ${id}`,
    gpc: "El navegador pidió no ser rastreado",
    proof: "Prueba",
    proofOf: (what, when) => `Prueba: ${what}, ${when}`,
    export: "Exportar como CSV",
    exportHint: "El registro filtrado, como archivo para una hoja de cálculo",
    empty: {
      title: "Aún no hay consentimientos registrados",
      text: "Las decisiones aparecen aquí en cuanto los compradores usan el banner, se registran o cambian sus preferencias.",
      action: "Configurar el banner",
    },
    nothingFound: {
      title: "Nada coincide con estos filtros",
      text: "Cambia los filtros o quítalos.",
    },
    verify: {
      title: "¿Está el registro completo y sin cambios?",
      text: "Cada entrada está sellada con la anterior. La comprobación encuentra entradas cambiadas, movidas o eliminadas, también al final.",
      button: "Comprobar el registro",
      running: "Comprobando",
      progress: (rows, of) => `${rows} de ${of} entradas comprobadas`,
      good: (rows) => `Las ${rows} entradas están completas y sin cambios.`,
      bad: (count, rows) => `${count} problemas en ${rows} entradas`,
      interrupted: "La comprobación se interrumpió. Iníciala de nuevo.",
      failed:
        "La comprobación no pudo terminar. Ha quedado registrado por nuestra parte. Iníciala de nuevo.",
      last: "Última comprobación",
      place: "Entrada",
      problem: "Problema",
      more: (count) => `${count} más no se muestran.`,
      kinds: {
        edited: "se cambió después de escribirse",
        missing: "falta",
        broken_link: "no sigue a la entrada anterior",
        tail_missing: "y las siguientes faltan",
        head_missing: "es la última, pero falta su sello",
        checkpoint_mismatch: "difiere de su copia firmada en el archivo",
        checkpoint_forged: "tiene en el archivo una copia firmada que no es nuestra",
        checkpoint_missing: "ha perdido su copia firmada en el archivo",
      },
    },
    policy: {
      intro:
        "Lo que se dijo a los compradores cuando decidieron. Un texto publicado no cambia nunca; una redacción nueva es una versión nueva.",
      version: "Versión",
      versionHint: "Por ejemplo 2026-11",
      language: "Idioma",
      text: "Texto de la política",
      textHint: "Exactamente como lo leen los compradores",
      publish: "Publicar versión",
      makeCurrent: "Los nuevos consentimientos se dan a esta versión",
      published: "Versión publicada",
      current: "Vigente",
      since: "Publicada",
      fingerprint: "Huella",
      add: "Añadir una versión",
      empty: {
        title: "Aún no hay versiones publicadas",
        text: "Publica el texto de tu política para que cada consentimiento pueda probar lo que se aceptó.",
      },
      conflict: "Esta versión se publicó con otro texto. Elige una versión nueva.",
      wrong: {
        version: "Escribe de 1 a 40 caracteres.",
        locale: "Elige un idioma.",
        body: "Pega el texto, como máximo 500.000 caracteres.",
      },
      languages: { en: "Inglés", es: "Español", fr: "Francés" },
    },
  },
  fr: {
    title: "Consentement",
    log: "Journal",
    policies: "Versions de la politique",
    sections: "Pages sur le consentement",
    chart: "Consentements donnés et retirés par jour",
    granted: "Donnés",
    revoked: "Retirés",
    day: "Jour",
    chartSummary: (granted, revoked, days) =>
      `${granted} donnés et ${revoked} retirés au cours des ${days} derniers jours.`,
    columns: {
      when: "Quand",
      who: "Qui",
      what: "Consentement",
      action: "Décision",
      how: "Comment",
      version: "Politique",
      proof: "Preuve",
    },
    filters: {
      type: "Consentement",
      action: "Décision",
      method: "Comment (méthode)",
      from: "Du",
      until: "Au",
      email: "E-mail du client",
    },
    kinds: {
      tos: "Conditions d'utilisation",
      privacy: "Politique de confidentialité",
      cookie: "Cookies de mesure",
      marketing: "Marketing",
      a2a: "Accès des agents",
      ap2: "Paiements par agents",
      analytics_partners: "Partenaires de mesure",
    },
    actions: {
      granted: "Donné",
      revoked: "Retiré",
      mandate_created: "Mandat créé",
      mandate_used: "Mandat utilisé",
    },
    methods: {
      banner: "Bannière",
      signup: "Inscription",
      "compliance-page": "Page de confidentialité",
      federated_oauth: "Connexion externe",
      storefront_oidc: "Connexion à la boutique",
      oauth_consent: "Page de consentement de l'agent",
      account_deletion: "Suppression du compte",
    },
    visitor: "Visiteur",
    person: (id) => `Client ${id}`,
    gpc: "Le navigateur a demandé à ne pas être suivi",
    proof: "Preuve",
    proofOf: (what, when) => `Preuve : ${what}, ${when}`,
    export: "Exporter en CSV",
    exportHint: "Le journal filtré, en fichier pour un tableur",
    empty: {
      title: "Aucun consentement n'a encore été enregistré",
      text: "Les décisions apparaissent ici dès que les acheteurs utilisent la bannière, s'inscrivent ou changent leurs préférences.",
      action: "Configurer la bannière",
    },
    nothingFound: {
      title: "Rien ne correspond à ces filtres",
      text: "Changez les filtres ou effacez-les.",
    },
    verify: {
      title: "Le journal est-il complet et inchangé ?",
      text: "Chaque entrée est scellée à la précédente. La vérification trouve les entrées modifiées, déplacées ou supprimées, y compris à la fin.",
      button: "Vérifier le journal",
      running: "Vérification en cours",
      progress: (rows, of) => `${rows} entrées vérifiées sur ${of}`,
      good: (rows) => `Les ${rows} entrées sont complètes et inchangées.`,
      bad: (count, rows) => `${count} problèmes dans ${rows} entrées`,
      interrupted: "La vérification a été interrompue. Relancez-la.",
      failed:
        "La vérification n'a pas pu se terminer. Cela a été enregistré de notre côté. Relancez-la.",
      last: "Dernière vérification",
      place: "Entrée",
      problem: "Problème",
      more: (count) => `${count} autres ne sont pas affichés.`,
      kinds: {
        edited: "a été modifiée après son écriture",
        missing: "est manquante",
        broken_link: "ne suit pas l'entrée précédente",
        tail_missing: "et les suivantes sont manquantes",
        head_missing: "est la dernière, mais son sceau manque",
        checkpoint_mismatch: "diffère de sa copie signée dans l'archive",
        checkpoint_forged: "a dans l'archive une copie signée qui n'est pas la nôtre",
        checkpoint_missing: "a perdu sa copie signée dans l'archive",
      },
    },
    policy: {
      intro:
        "Ce que les acheteurs ont lu au moment de décider. Un texte publié ne change jamais ; une nouvelle rédaction est une nouvelle version.",
      version: "Version",
      versionHint: "Par exemple 2026-11",
      language: "Langue",
      text: "Texte de la politique",
      textHint: "Exactement tel que les acheteurs le lisent",
      publish: "Publier la version",
      makeCurrent: "Les nouveaux consentements portent sur cette version",
      published: "Version publiée",
      current: "En vigueur",
      since: "Publiée",
      fingerprint: "Empreinte",
      add: "Ajouter une version",
      empty: {
        title: "Aucune version n'est encore publiée",
        text: "Publiez le texte de votre politique pour que chaque consentement puisse prouver ce qui a été accepté.",
      },
      conflict: "Cette version a été publiée avec un autre texte. Choisissez une nouvelle version.",
      wrong: {
        version: "Écrivez de 1 à 40 caractères.",
        locale: "Choisissez une langue.",
        body: "Collez le texte, 500 000 caractères au plus.",
      },
      languages: { en: "Anglais", es: "Espagnol", fr: "Français" },
    },
  },
};

const own = <T extends object>(table: T, name: string): string | undefined =>
  Object.hasOwn(table, name) ? String(table[name as keyof T]) : undefined;

/** A form's name, and a method of the store's own, are shown as they are. */
export const consentLabel = (words: ConsentText, type: string): string =>
  own(words.kinds, type) ?? type;
export const actionLabel = (words: ConsentText, action: string): string =>
  own(words.actions, action) ?? action;
export const methodLabel = (words: ConsentText, method: string): string =>
  own(words.methods, method) ?? method;

// What the screens of customers and tags call things: states, sources and consents.
import type { Words } from "../words.tsx";

type Names = {
  status: Record<string, string>;
  provider: Record<string, string>;
  consent: Record<string, string>;
  category: Record<string, string>;
  nobody: string;
};

export const CUSTOMER_NAMES: Words<Names> = {
  en: {
    status: { active: "Active", suspended: "Suspended", deleted: "Deleted" },
    provider: { email: "E-mail", federated: "Identity provider", storefront: "Store account" },
    consent: {
      tos: "Terms",
      privacy: "Privacy policy",
      cookie: "Analytics cookies",
      marketing: "Marketing",
      a2a: "Agents may act",
      ap2: "Agents may pay",
    },
    category: {
      status: "Status",
      tier: "Tier",
      segment: "Segment",
      campaign: "Campaign",
      consent: "Consent",
      marketing: "Marketing",
    },
    nobody: "No name",
  },
  es: {
    status: { active: "Activo", suspended: "Suspendido", deleted: "Eliminado" },
    provider: {
      email: "Correo electrónico",
      federated: "Proveedor de identidad",
      storefront: "Cuenta de la tienda",
    },
    consent: {
      tos: "Condiciones",
      privacy: "Política de privacidad",
      cookie: "Cookies analíticas",
      marketing: "Marketing",
      a2a: "Los agentes pueden actuar",
      ap2: "Los agentes pueden pagar",
    },
    category: {
      status: "Estado",
      tier: "Nivel",
      segment: "Segmento",
      campaign: "Campaña",
      consent: "Consentimiento",
      marketing: "Marketing",
    },
    nobody: "Sin nombre",
  },
  fr: {
    status: { active: "Actif", suspended: "Suspendu", deleted: "Supprimé" },
    provider: {
      email: "E-mail",
      federated: "Fournisseur d'identité",
      storefront: "Compte de la boutique",
    },
    consent: {
      tos: "Conditions",
      privacy: "Politique de confidentialité",
      cookie: "Cookies de mesure",
      marketing: "Marketing",
      a2a: "Les agents peuvent agir",
      ap2: "Les agents peuvent payer",
    },
    category: {
      status: "Statut",
      tier: "Niveau",
      segment: "Segment",
      campaign: "Campagne",
      consent: "Consentement",
      marketing: "Marketing",
    },
    nobody: "Sans nom",
  },
};

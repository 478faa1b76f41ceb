// The outside systems in the merchant's words, once for all screens.
import { useWords, type Words } from "./words.tsx";

export type ChannelName =
  | "cms"
  | "storefront"
  | "web_analytics"
  | "profile_platform"
  | "email"
  | "erpsys"
  | "erp_generic"
  | "retail_analytics_a"
  | "retail_analytics_b"
  | "archive"
  | "backend";

export const CHANNEL_NAMES: Words<Record<ChannelName, string>> = {
  en: {
    cms: "Content system (CMS)",
    storefront: "Your store",
    web_analytics: "Web analytics",
    profile_platform: "Customer profiles",
    email: "E-mail",
    erpsys: "ERP system",
    erp_generic: "ERP, own mapping",
    retail_analytics_a: "Retail measurement A",
    retail_analytics_b: "Retail measurement B",
    archive: "Archive",
    backend: "Backend",
  },
  es: {
    cms: "Sistema de contenidos (CMS)",
    storefront: "Tu tienda",
    web_analytics: "Analítica web",
    profile_platform: "Perfiles de clientes",
    email: "Correo electrónico",
    erpsys: "Sistema ERP",
    erp_generic: "ERP, asignación propia",
    retail_analytics_a: "Medición minorista A",
    retail_analytics_b: "Medición minorista B",
    archive: "Archivo",
    backend: "Backend",
  },
  fr: {
    cms: "Système de contenu (CMS)",
    storefront: "Votre boutique",
    web_analytics: "Mesure d'audience",
    profile_platform: "Profils clients",
    email: "E-mail",
    erpsys: "Système ERP",
    erp_generic: "ERP, correspondance propre",
    retail_analytics_a: "Mesure retail A",
    retail_analytics_b: "Mesure retail B",
    archive: "Archive",
    backend: "Backend",
  },
};

/** A destination that nobody here serves keeps the name its sender gave it. */
export function useChannelName(): (name: string) => string {
  const names: Record<string, string> = useWords(CHANNEL_NAMES);
  return (name) => (Object.hasOwn(names, name) ? (names[name] as string) : name);
}

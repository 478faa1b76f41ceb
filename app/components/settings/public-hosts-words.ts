import type { Words } from "../words.tsx";

export type PublicHostsWords = {
  title: string;
  intro: string;
  token: string;
  states: Record<"proven" | "unproven" | "taken", string>;
  record(name: string): string;
  check: string;
  found(count: number): string;
  foundNone: string;
  failed: string;
};

export const PUBLIC_HOSTS_WORDS: Words<PublicHostsWords> = {
  en: {
    title: "Verification of public hosts",
    intro:
      "A host counts once you show that it is yours: add the TXT record at your DNS provider, with this value.",
    token: "Value",
    states: {
      proven: "Verified",
      unproven: "Not verified",
      taken: "Used by another store",
    },
    record: (name) => `TXT record: ${name}`,
    check: "Check DNS records",
    found: (count) =>
      count === 1 ? "1 host is verified now." : `${count} hosts are verified now.`,
    foundNone: "No new record was found. DNS changes can take some hours.",
    failed: "The check did not work. Try again in a moment.",
  },
  es: {
    title: "Verificación de los hosts públicos",
    intro:
      "Un host cuenta cuando demuestras que es tuyo: añade el registro TXT en tu proveedor de DNS, con este valor.",
    token: "Valor",
    states: {
      proven: "Verificado",
      unproven: "Sin verificar",
      taken: "En uso por otra tienda",
    },
    record: (name) => `Registro TXT: ${name}`,
    check: "Comprobar los registros DNS",
    found: (count) =>
      count === 1 ? "1 host está verificado ahora." : `${count} hosts están verificados ahora.`,
    foundNone: "No hay ningún registro nuevo. Los cambios de DNS pueden tardar unas horas.",
    failed: "La comprobación no ha funcionado. Inténtalo de nuevo en un momento.",
  },
  fr: {
    title: "Vérification des hôtes publics",
    intro:
      "Un hôte compte dès que vous montrez qu'il est à vous : ajoutez l'enregistrement TXT chez votre fournisseur DNS, avec cette valeur.",
    token: "Valeur",
    states: {
      proven: "Vérifié",
      unproven: "Non vérifié",
      taken: "Utilisé par une autre boutique",
    },
    record: (name) => `Enregistrement TXT : ${name}`,
    check: "Vérifier les enregistrements DNS",
    found: (count) =>
      count === 1 ? "1 hôte est maintenant vérifié." : `${count} hôtes sont maintenant vérifiés.`,
    foundNone:
      "Aucun nouvel enregistrement trouvé. Les changements DNS peuvent prendre des heures.",
    failed: "La vérification n'a pas fonctionné. Réessayez dans un instant.",
  },
};

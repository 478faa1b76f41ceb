/** What the platform says in customer accounts. */
import type { StoreLocale } from "../theme/store-texts.ts";

const en = {
  account: "Account",
  language: "Language",
  orders: "Orders",
  noOrders: "No orders yet.",
  profile: "Profile",
  name: "Name",
  email: "Email",
  signIn: "Sign in",
  signInText: "Choose in the bar above who is signed in.",
  missing: "This page does not exist",
};
export type AccountTexts = typeof en;

export const ACCOUNT_TEXTS: Record<StoreLocale, AccountTexts> = {
  en,
  es: {
    account: "Cuenta",
    language: "Idioma",
    orders: "Pedidos",
    noOrders: "Aún no hay pedidos.",
    profile: "Perfil",
    name: "Nombre",
    email: "Correo electrónico",
    signIn: "Iniciar sesión",
    signInText: "Elige en la barra de arriba quién ha iniciado sesión.",
    missing: "Esta página no existe",
  },
  fr: {
    account: "Compte",
    language: "Langue",
    orders: "Commandes",
    noOrders: "Aucune commande pour l'instant.",
    profile: "Profil",
    name: "Nom",
    email: "Email",
    signIn: "Se connecter",
    signInText: "Choisissez dans la barre ci-dessus qui est connecté.",
    missing: "Cette page n'existe pas",
  },
};

// What the pages about agents say, in English, Spanish and French.
import type { Locale } from "./account-page-words.ts";
import { localeOf } from "./account-page-words.ts";

type Words = Record<
  | "signInTitle"
  | "signInText"
  | "email"
  | "password"
  | "signIn"
  | "wrong"
  | "unverified"
  | "suspended"
  | "busy"
  | "federated"
  | "storefront"
  | "consentTitle"
  | "asks"
  | "ownWord"
  | "address"
  | "noAddress"
  | "goesTo"
  | "may"
  | "withdraw"
  | "signedInAs"
  | "switch"
  | "allow"
  | "deny"
  | "errorTitle"
  | "unknown_client"
  | "wrong_redirect"
  | "closed"
  | "expired"
  | "faulty",
  string
> & { scopes: Record<string, string> };

const WORDS: Record<Locale, Words> = {
  en: {
    signInTitle: "Sign in to decide",
    signInText: "This agent asks to act for you in this store:",
    email: "E-mail address",
    password: "Password",
    signIn: "Sign in",
    wrong: "The e-mail address or the password is wrong.",
    unverified: "Verify your e-mail address first. A new link was sent to it.",
    suspended: "This account is suspended.",
    busy: "Too many tries at this moment. Wait and try again.",
    federated: "Sign in with your identity provider",
    storefront: "Sign in with your store account",
    consentTitle: "Let this agent act for you?",
    asks: "This agent asks to act for you:",
    ownWord: "The agent chose this name itself; nobody has checked it.",
    address: "Its address",
    noAddress: "none: it only gave a name",
    goesTo: "Your answer goes to",
    may: "If you allow it, it may:",
    withdraw:
      "You can withdraw this at any time in your privacy choices in the store. The agent then loses its access at once.",
    signedInAs: "You are signed in as",
    switch: "Use another account",
    allow: "Allow",
    deny: "Do not allow",
    errorTitle: "This request cannot be answered",
    unknown_client: "The agent that sent you here is not known, or does not describe itself.",
    wrong_redirect: "The agent wants you sent to an address that it has not named before.",
    closed: "This store does not let agents act for its shoppers.",
    expired:
      "This page is too old, or was sent from somewhere else. Go back to the agent and begin again.",
    faulty:
      "The agent's request contains an error. Send the message below to the agent's provider.",
    scopes: {
      "identity:read":
        "see your name, your e-mail address, your consents and the tags that the store keeps of you",
      "dev.ucp.shopping.order:read": "see your orders, deliveries and returns",
      "dev.ucp.shopping.checkout:manage": "prepare, change and cancel checkouts for you",
      "commerce.mandates:create":
        "set up payment mandates, if you have also allowed payments by agents",
    },
  },
  es: {
    signInTitle: "Inicia sesión para decidir",
    signInText: "Este agente pide actuar por ti en esta tienda:",
    email: "Correo electrónico",
    password: "Contraseña",
    signIn: "Iniciar sesión",
    wrong: "El correo electrónico o la contraseña no son correctos.",
    unverified: "Verifica antes tu correo electrónico. Te hemos enviado un enlace nuevo.",
    suspended: "Esta cuenta está suspendida.",
    busy: "Demasiados intentos en este momento. Espera y vuelve a intentarlo.",
    federated: "Iniciar sesión con tu proveedor de identidad",
    storefront: "Iniciar sesión con tu cuenta de la tienda",
    consentTitle: "¿Permites que este agente actúe por ti?",
    asks: "Este agente pide actuar por ti:",
    ownWord: "El agente eligió este nombre; nadie lo ha comprobado.",
    address: "Su dirección",
    noAddress: "ninguna: solo ha dado un nombre",
    goesTo: "Tu respuesta va a",
    may: "Si lo permites, podrá:",
    withdraw:
      "Puedes retirarlo en cualquier momento en tus opciones de privacidad de la tienda. El agente pierde entonces el acceso de inmediato.",
    signedInAs: "Has iniciado sesión como",
    switch: "Usar otra cuenta",
    allow: "Permitir",
    deny: "No permitir",
    errorTitle: "No se puede responder a esta solicitud",
    unknown_client: "El agente que te ha enviado aquí es desconocido o no se describe.",
    wrong_redirect: "El agente quiere enviarte a una dirección que no había indicado.",
    closed: "Esta tienda no permite que los agentes actúen por sus clientes.",
    expired:
      "Esta página ha caducado o se envió desde otro sitio. Vuelve al agente y empieza de nuevo.",
    faulty:
      "La solicitud del agente contiene un error. Comunica a los responsables del agente el mensaje siguiente.",
    scopes: {
      "identity:read":
        "ver tu nombre, tu correo electrónico, tus consentimientos y las etiquetas que la tienda guarda de ti",
      "dev.ucp.shopping.order:read": "ver tus pedidos, envíos y devoluciones",
      "dev.ucp.shopping.checkout:manage": "preparar, cambiar y cancelar compras por ti",
      "commerce.mandates:create":
        "crear mandatos de pago, si también has permitido los pagos por agentes",
    },
  },
  fr: {
    signInTitle: "Connectez-vous pour décider",
    signInText: "Cet agent demande à agir pour vous dans cette boutique :",
    email: "Adresse e-mail",
    password: "Mot de passe",
    signIn: "Se connecter",
    wrong: "L'adresse e-mail ou le mot de passe est incorrect.",
    unverified: "Vérifiez d'abord votre adresse e-mail. Un nouveau lien vous a été envoyé.",
    suspended: "Ce compte est suspendu.",
    busy: "Trop de tentatives en ce moment. Patientez et réessayez.",
    federated: "Se connecter avec votre fournisseur d'identité",
    storefront: "Se connecter avec votre compte de la boutique",
    consentTitle: "Autoriser cet agent à agir pour vous ?",
    asks: "Cet agent demande à agir pour vous :",
    ownWord: "L'agent a choisi ce nom lui-même ; personne ne l'a vérifié.",
    address: "Son adresse",
    noAddress: "aucune : il n'a donné qu'un nom",
    goesTo: "Votre réponse est envoyée à",
    may: "Si vous l'autorisez, il pourra :",
    withdraw:
      "Vous pouvez retirer cette autorisation à tout moment dans vos choix de confidentialité de la boutique. L'agent perd alors aussitôt son accès.",
    signedInAs: "Vous êtes connecté en tant que",
    switch: "Utiliser un autre compte",
    allow: "Autoriser",
    deny: "Ne pas autoriser",
    errorTitle: "Impossible de répondre à cette demande",
    unknown_client: "L'agent qui vous a envoyé ici est inconnu ou ne se décrit pas.",
    wrong_redirect: "L'agent veut vous envoyer à une adresse qu'il n'avait pas indiquée.",
    closed: "Cette boutique ne permet pas aux agents d'agir pour ses clients.",
    expired:
      "Cette page est trop ancienne ou a été envoyée d'ailleurs. Revenez à l'agent et recommencez.",
    faulty:
      "La demande de l'agent contient une erreur. Transmettez le message ci-dessous aux responsables de l'agent.",
    scopes: {
      "identity:read":
        "voir votre nom, votre adresse e-mail, vos consentements et les étiquettes que la boutique garde de vous",
      "dev.ucp.shopping.order:read": "voir vos commandes, livraisons et retours",
      "dev.ucp.shopping.checkout:manage": "préparer, modifier et annuler des achats pour vous",
      "commerce.mandates:create":
        "créer des mandats de paiement, si vous avez aussi autorisé les paiements par des agents",
    },
  },
};

export const agentWordsOf = (locale: string): Words => WORDS[localeOf(locale)];

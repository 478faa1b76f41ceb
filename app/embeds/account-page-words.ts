// What the account pages say, in English, Spanish and French.
export type Locale = "en" | "es" | "fr";

type Words = Record<
  | "resetTitle"
  | "newPassword"
  | "rule"
  | "save"
  | "saved"
  | "savedText"
  | "verifyTitle"
  | "verifyText"
  | "verifyAccount"
  | "verifyPassword"
  | "verifyPasswordHint"
  | "verify"
  | "verified"
  | "verifiedText"
  | "confirmTitle"
  | "confirmText"
  | "confirmChanges"
  | "granted"
  | "declined"
  | "tos"
  | "privacy"
  | "cookie"
  | "marketing"
  | "subscription"
  | "confirm"
  | "confirmed"
  | "confirmedText"
  | "badLink"
  | "badLinkText"
  | "wrongPassword"
  | "signInFailed"
  | "signInText"
  | "busy"
  | "exportTitle"
  | "exportText"
  | "download"
  | "exportGone"
  | "exportGoneText",
  string
>;

const WORDS: Record<Locale, Words> = {
  en: {
    resetTitle: "Choose a password",
    newPassword: "New password",
    rule: "8 to 128 characters.",
    save: "Save password",
    saved: "Password saved",
    savedText: "You can sign in with it now. All other sessions have ended.",
    verifyTitle: "Verify your e-mail address",
    verifyText: "Confirm that this address is yours.",
    verifyAccount: "An account with a password was made for this address: {email}",
    verifyPassword: "Password",
    verifyPasswordHint:
      "If you made the account, enter its password. If you did not, choose a password of your own: it replaces the other one and signs everybody else out.",
    verify: "Verify",
    verified: "Address verified",
    verifiedText: "Thank you. You can close this page.",
    confirmTitle: "Confirm your choice",
    confirmText: "Confirm that the choice made with this address is yours.",
    confirmChanges: "You confirm:",
    granted: "allowed",
    declined: "not allowed",
    tos: "Terms of use",
    privacy: "Privacy policy",
    cookie: "Statistics and preferences",
    marketing: "Marketing messages",
    subscription: "Subscription: {form}",
    confirm: "Confirm",
    confirmed: "Choice confirmed",
    confirmedText: "Thank you. You can change it at any time in the store.",
    badLink: "This link no longer works",
    badLinkText: "It was used already or is too old. Ask for a new one where you sign in.",
    wrongPassword: "The password must be 8 to 128 characters and not your e-mail address.",
    signInFailed: "The sign-in did not work",
    signInText:
      "It took too long, or was begun in another browser. Go back to the store and try again.",
    busy: "Too many requests at this moment. Try again shortly.",
    exportTitle: "A customer's data",
    exportText:
      "The file holds personal data. The link works once: have the file saved where it is safe.",
    download: "Download",
    exportGone: "This download is over",
    exportGoneText:
      "The link was used already or is too old, or the customer was deleted since. Ask the people who run the app for the file.",
  },
  es: {
    resetTitle: "Elige una contraseña",
    newPassword: "Contraseña nueva",
    rule: "De 8 a 128 caracteres.",
    save: "Guardar contraseña",
    saved: "Contraseña guardada",
    savedText: "Ya puedes iniciar sesión con ella. Las demás sesiones se han cerrado.",
    verifyTitle: "Verifica tu correo electrónico",
    verifyText: "Confirma que esta dirección es tuya.",
    verifyAccount: "Se creó una cuenta con contraseña para esta dirección: {email}",
    verifyPassword: "Contraseña",
    verifyPasswordHint:
      "Si creaste la cuenta, escribe su contraseña. Si no fuiste tú, elige una contraseña propia: sustituye a la otra y cierra las demás sesiones.",
    verify: "Verificar",
    verified: "Dirección verificada",
    verifiedText: "Gracias. Puedes cerrar esta página.",
    confirmTitle: "Confirma tu elección",
    confirmText: "Confirma que la elección hecha con esta dirección es tuya.",
    confirmChanges: "Confirmas:",
    granted: "permitido",
    declined: "no permitido",
    tos: "Condiciones de uso",
    privacy: "Política de privacidad",
    cookie: "Estadísticas y preferencias",
    marketing: "Mensajes de marketing",
    subscription: "Suscripción: {form}",
    confirm: "Confirmar",
    confirmed: "Elección confirmada",
    confirmedText: "Gracias. Puedes cambiarla en cualquier momento en la tienda.",
    badLink: "Este enlace ya no funciona",
    badLinkText: "Ya se ha usado o ha caducado. Pide uno nuevo donde inicias sesión.",
    wrongPassword: "La contraseña debe tener de 8 a 128 caracteres y no ser tu correo electrónico.",
    signInFailed: "No se ha podido iniciar sesión",
    signInText:
      "Ha tardado demasiado o se empezó en otro navegador. Vuelve a la tienda e inténtalo de nuevo.",
    busy: "Demasiadas solicitudes en este momento. Inténtalo de nuevo en breve.",
    exportTitle: "Los datos de un cliente",
    exportText:
      "El archivo contiene datos personales. El enlace funciona una sola vez: guarda el archivo en un lugar seguro.",
    download: "Descargar",
    exportGone: "Esta descarga ya no está disponible",
    exportGoneText:
      "El enlace ya se ha usado o ha caducado, o el cliente se ha eliminado. Pide el archivo a quien gestiona la aplicación.",
  },
  fr: {
    resetTitle: "Choisissez un mot de passe",
    newPassword: "Nouveau mot de passe",
    rule: "De 8 à 128 caractères.",
    save: "Enregistrer",
    saved: "Mot de passe enregistré",
    savedText: "Vous pouvez vous connecter. Toutes les autres sessions sont fermées.",
    verifyTitle: "Vérifiez votre adresse e-mail",
    verifyText: "Confirmez que cette adresse est la vôtre.",
    verifyAccount: "Un compte avec mot de passe a été créé pour cette adresse : {email}",
    verifyPassword: "Mot de passe",
    verifyPasswordHint:
      "Si vous avez créé le compte, saisissez son mot de passe. Sinon, choisissez-en un : il remplace l'autre et ferme toutes les autres sessions.",
    verify: "Vérifier",
    verified: "Adresse vérifiée",
    verifiedText: "Merci. Vous pouvez fermer cette page.",
    confirmTitle: "Confirmez votre choix",
    confirmText: "Confirmez que le choix fait avec cette adresse est le vôtre.",
    confirmChanges: "Vous confirmez :",
    granted: "autorisé",
    declined: "non autorisé",
    tos: "Conditions d'utilisation",
    privacy: "Politique de confidentialité",
    cookie: "Statistiques et préférences",
    marketing: "Messages marketing",
    subscription: "Abonnement : {form}",
    confirm: "Confirmer",
    confirmed: "Choix confirmé",
    confirmedText: "Merci. Vous pouvez le modifier à tout moment dans la boutique.",
    badLink: "Ce lien ne fonctionne plus",
    badLinkText:
      "Il a déjà servi ou il est trop ancien. Demandez-en un nouveau là où vous vous connectez.",
    wrongPassword:
      "Le mot de passe doit comporter de 8 à 128 caractères et ne pas être votre adresse e-mail.",
    signInFailed: "La connexion n'a pas abouti",
    signInText:
      "Elle a pris trop de temps ou a commencé dans un autre navigateur. Revenez à la boutique et réessayez.",
    busy: "Trop de demandes en ce moment. Réessayez dans un instant.",
    exportTitle: "Les données d'un client",
    exportText:
      "Le fichier contient des données personnelles. Le lien ne fonctionne qu'une fois : enregistrez le fichier en lieu sûr.",
    download: "Télécharger",
    exportGone: "Ce téléchargement n'est plus disponible",
    exportGoneText:
      "Le lien a déjà servi ou il est trop ancien, ou le client a été supprimé. Demandez le fichier aux responsables de l'application.",
  },
};

export function localeOf(locale: string): Locale {
  const language = locale.slice(0, 2).toLowerCase();
  return language === "es" || language === "fr" ? language : "en";
}

export const wordsOf = (locale: string): Words => WORDS[localeOf(locale)];

// The words of our mails, in English, Spanish and French.
import type { MailTemplate } from "../identity/mails.ts";

export type MailLocale = "en" | "es" | "fr";

type Words = { subject: string; body: string; action?: string; note: string };

type Language = {
  greeting(name: string): string;
  providers: Record<"federated" | "storefront", string>;
  templates: Record<MailTemplate, Words>;
};

export const MAIL_WORDS: Record<MailLocale, Language> = {
  en: {
    greeting: (name) => (name ? `Hello ${name},` : "Hello,"),
    providers: { federated: "your identity provider", storefront: "your store account" },
    templates: {
      welcome: {
        subject: "Welcome to {brand}",
        body: "An account was made for you at {brand}. Choose a password to sign in, see your orders and manage your privacy choices.",
        action: "Choose a password",
        note: "The link works once and for 24 hours. If you did not expect this message, you can ignore it.",
      },
      verify_email: {
        subject: "Verify your e-mail address for {brand}",
        body: "Please confirm that this address is yours.",
        action: "Verify the address",
        note: "The link works once and for 24 hours. If you did not sign up, you can ignore this message.",
      },
      reset_password: {
        subject: "Choose a new password for {brand}",
        body: "Somebody asked for a new password for your account at {brand}.",
        action: "Choose a new password",
        note: "The link works once and for one hour. If it was not you, ignore this message: your password stays as it is.",
      },
      account_exists: {
        subject: "You already have an account at {brand}",
        body: "Somebody tried to sign up at {brand} with this address. You have an account already; if you forgot its password, choose a new one.",
        action: "Choose a new password",
        note: "The link works once and for one hour. If it was not you, you can ignore this message.",
      },
      sign_in_linked: {
        subject: "A new way to sign in at {brand}",
        body: "You can now sign in at {brand} with {provider}.",
        note: "If it was not you, choose a new password at once and write to the store.",
      },
      account_deleted: {
        subject: "Your account at {brand} was deleted",
        body: "Your account at {brand} and the data kept with it were deleted, as you asked.",
        note: "If it was not you, write to the store.",
      },
      confirm_consent: {
        subject: "Confirm your choice at {brand}",
        body: "Somebody entered this address at {brand} and made a choice about messages and privacy for it. It counts only when you confirm it.",
        action: "Confirm",
        note: "The link works once and for 24 hours. If it was not you, ignore this message: nothing changes.",
      },
      data_export: {
        subject: "A customer of {brand} asked for their data",
        body: "A customer asked for the data that the app keeps of them. It was put together for you: you pass it on to the customer, within 30 days of the request.",
        action: "Download the data",
        note: "The link works once and for 7 days. The file holds personal data: keep it safe and delete it when it was passed on.",
      },
      dead_letter: {
        subject: "Deliveries to {channel} failed for {brand}",
        body: "An event could not be delivered to {channel} after every try, and is kept as a dead letter (event {event}). More may follow; the next message about this channel comes in 15 minutes at the earliest.",
        note: "What to do: see the reason in the event log of the app, mend it, and replay the dead letters. The service tries again by itself after one, two and four hours.",
      },
    },
  },
  es: {
    greeting: (name) => (name ? `Hola, ${name}:` : "Hola:"),
    providers: { federated: "tu proveedor de identidad", storefront: "tu cuenta de la tienda" },
    templates: {
      welcome: {
        subject: "Te damos la bienvenida a {brand}",
        body: "Se ha creado una cuenta para ti en {brand}. Elige una contraseña para iniciar sesión, ver tus pedidos y gestionar tu privacidad.",
        action: "Elegir contraseña",
        note: "El enlace funciona una sola vez durante 24 horas. Si no esperabas este mensaje, puedes ignorarlo.",
      },
      verify_email: {
        subject: "Verifica tu correo electrónico para {brand}",
        body: "Confirma que esta dirección es tuya.",
        action: "Verificar la dirección",
        note: "El enlace funciona una sola vez durante 24 horas. Si no te has registrado, puedes ignorar este mensaje.",
      },
      reset_password: {
        subject: "Elige una contraseña nueva para {brand}",
        body: "Alguien ha pedido una contraseña nueva para tu cuenta de {brand}.",
        action: "Elegir contraseña nueva",
        note: "El enlace funciona una sola vez durante una hora. Si no has sido tú, ignora este mensaje: tu contraseña no cambia.",
      },
      account_exists: {
        subject: "Ya tienes una cuenta en {brand}",
        body: "Alguien ha intentado registrarse en {brand} con esta dirección. Ya tienes una cuenta; si has olvidado la contraseña, elige una nueva.",
        action: "Elegir contraseña nueva",
        note: "El enlace funciona una sola vez durante una hora. Si no has sido tú, puedes ignorar este mensaje.",
      },
      sign_in_linked: {
        subject: "Una nueva forma de iniciar sesión en {brand}",
        body: "Ahora puedes iniciar sesión en {brand} con {provider}.",
        note: "Si no has sido tú, elige una contraseña nueva enseguida y escribe a la tienda.",
      },
      account_deleted: {
        subject: "Tu cuenta de {brand} se ha eliminado",
        body: "Tu cuenta de {brand} y los datos guardados con ella se han eliminado, como pediste.",
        note: "Si no has sido tú, escribe a la tienda.",
      },
      confirm_consent: {
        subject: "Confirma tu elección en {brand}",
        body: "Alguien ha indicado esta dirección en {brand} y ha hecho una elección sobre mensajes y privacidad. Solo cuenta si la confirmas.",
        action: "Confirmar",
        note: "El enlace funciona una sola vez durante 24 horas. Si no has sido tú, ignora este mensaje: no cambia nada.",
      },
      data_export: {
        subject: "Un cliente de {brand} ha pedido sus datos",
        body: "Un cliente ha pedido los datos que la aplicación guarda sobre él. Los hemos reunido para ti: debes entregárselos en los 30 días siguientes a la solicitud.",
        action: "Descargar los datos",
        note: "El enlace funciona una sola vez durante 7 días. El archivo contiene datos personales: guárdalo en un lugar seguro y bórralo cuando lo hayas entregado.",
      },
      dead_letter: {
        subject: "Han fallado entregas a {channel} de {brand}",
        body: "Un evento no pudo entregarse a {channel} tras todos los intentos y se conserva como mensaje fallido (evento {event}). Puede haber más; el próximo aviso sobre este canal llegará como pronto en 15 minutos.",
        note: "Qué hacer: consulta el motivo en el registro de eventos de la aplicación, corrígelo y vuelve a enviar los mensajes fallidos. El servicio lo intenta de nuevo tras una, dos y cuatro horas.",
      },
    },
  },
  fr: {
    greeting: (name) => (name ? `Bonjour ${name},` : "Bonjour,"),
    providers: {
      federated: "votre fournisseur d'identité",
      storefront: "votre compte de la boutique",
    },
    templates: {
      welcome: {
        subject: "Bienvenue chez {brand}",
        body: "Un compte a été créé pour vous chez {brand}. Choisissez un mot de passe pour vous connecter, voir vos commandes et gérer vos choix de confidentialité.",
        action: "Choisir un mot de passe",
        note: "Le lien fonctionne une seule fois, pendant 24 heures. Si vous n'attendiez pas ce message, ignorez-le.",
      },
      verify_email: {
        subject: "Vérifiez votre adresse e-mail pour {brand}",
        body: "Confirmez que cette adresse est la vôtre.",
        action: "Vérifier l'adresse",
        note: "Le lien fonctionne une seule fois, pendant 24 heures. Si vous ne vous êtes pas inscrit, ignorez ce message.",
      },
      reset_password: {
        subject: "Choisissez un nouveau mot de passe pour {brand}",
        body: "Quelqu'un a demandé un nouveau mot de passe pour votre compte chez {brand}.",
        action: "Choisir un nouveau mot de passe",
        note: "Le lien fonctionne une seule fois, pendant une heure. Si ce n'était pas vous, ignorez ce message : votre mot de passe ne change pas.",
      },
      account_exists: {
        subject: "Vous avez déjà un compte chez {brand}",
        body: "Quelqu'un a essayé de s'inscrire chez {brand} avec cette adresse. Vous avez déjà un compte ; si vous avez oublié son mot de passe, choisissez-en un nouveau.",
        action: "Choisir un nouveau mot de passe",
        note: "Le lien fonctionne une seule fois, pendant une heure. Si ce n'était pas vous, ignorez ce message.",
      },
      sign_in_linked: {
        subject: "Un nouveau moyen de connexion chez {brand}",
        body: "Vous pouvez maintenant vous connecter chez {brand} avec {provider}.",
        note: "Si ce n'était pas vous, choisissez tout de suite un nouveau mot de passe et écrivez à la boutique.",
      },
      account_deleted: {
        subject: "Votre compte chez {brand} a été supprimé",
        body: "Votre compte chez {brand} et les données qui s'y rattachent ont été supprimés, comme vous l'avez demandé.",
        note: "Si ce n'était pas vous, écrivez à la boutique.",
      },
      confirm_consent: {
        subject: "Confirmez votre choix chez {brand}",
        body: "Quelqu'un a indiqué cette adresse chez {brand} et fait un choix sur les messages et la confidentialité. Il ne compte que si vous le confirmez.",
        action: "Confirmer",
        note: "Le lien fonctionne une seule fois, pendant 24 heures. Si ce n'était pas vous, ignorez ce message : rien ne change.",
      },
      data_export: {
        subject: "Un client de {brand} a demandé ses données",
        body: "Un client a demandé les données que l'application conserve à son sujet. Elles ont été réunies pour vous : vous devez les lui remettre dans les 30 jours suivant la demande.",
        action: "Télécharger les données",
        note: "Le lien fonctionne une seule fois et pendant 7 jours. Le fichier contient des données personnelles : gardez-le en lieu sûr et supprimez-le une fois remis.",
      },
      dead_letter: {
        subject: "Des envois vers {channel} ont échoué pour {brand}",
        body: "Un événement n'a pas pu être livré à {channel} malgré tous les essais et est conservé comme message en échec (événement {event}). D'autres peuvent suivre ; le prochain avis sur ce canal arrivera au plus tôt dans 15 minutes.",
        note: "Que faire : consultez la raison dans le journal des événements de l'application, corrigez-la, puis relancez les messages en échec. Le service réessaie de lui-même après une, deux et quatre heures.",
      },
    },
  },
};

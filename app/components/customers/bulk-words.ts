// The words of changing many customers' tags at once.
import type { Words } from "../words.tsx";

type BulkText = {
  add: string;
  remove: string;
  addTitle: string;
  removeTitle: string;
  tag: string;
  tagHelp: string;
  choose: string;
  drop: (tag: string) => string;
  preview: string;
  back: string;
  close: string;
  people: (count: string) => string;
  changing: (changing: string, total: string) => string;
  gets: (tag: string, count: string) => string;
  loses: (tag: string, count: string) => string;
  nothing: string;
  confirmAdd: (count: string) => string;
  confirmRemove: (count: string) => string;
  running: (done: string, total: string) => string;
  runningText: string;
  done: (count: string) => string;
  refused: (count: string) => string;
  failed: string;
  progress: string;
};

export const BULK_WORDS: Words<BulkText> = {
  en: {
    add: "Add tags",
    remove: "Remove tags",
    addTitle: "Add tags to customers",
    removeTitle: "Remove tags from customers",
    tag: "Tag",
    tagHelp: "Choose a tag or write a new one, then press Enter.",
    choose: "Use this tag",
    drop: (tag) => `Leave out ${tag}`,
    preview: "Preview",
    back: "Back",
    close: "Close",
    people: (count) => `Customers chosen: ${count}.`,
    changing: (changing, total) =>
      `Customers that change: ${changing} of ${total}. Nothing has been changed yet.`,
    gets: (tag, count) => `${tag}: added to ${count}`,
    loses: (tag, count) => `${tag}: removed from ${count}`,
    nothing: "Nothing would change.",
    confirmAdd: (count) => `Add tags (${count})`,
    confirmRemove: (count) => `Remove tags (${count})`,
    running: (done, total) => `Tags are being changed: ${done} of ${total}`,
    runningText: "You can leave this page; it goes on by itself.",
    done: (count) => `Tags changed of customers: ${count}.`,
    refused: (count) =>
      `Left as they were, because they have as many tags as your store takes: ${count}.`,
    failed:
      "The tags of some customers could not be changed. Start it again: whoever has the tag already stays as they are.",
    progress: "Progress of the tag change",
  },
  es: {
    add: "Añadir etiquetas",
    remove: "Quitar etiquetas",
    addTitle: "Añadir etiquetas a clientes",
    removeTitle: "Quitar etiquetas a clientes",
    tag: "Etiqueta",
    tagHelp: "Elige una etiqueta o escribe una nueva y pulsa Intro.",
    choose: "Usar esta etiqueta",
    drop: (tag) => `Descartar ${tag}`,
    preview: "Vista previa",
    back: "Atrás",
    close: "Cerrar",
    people: (count) => `Clientes elegidos: ${count}.`,
    changing: (changing, total) =>
      `Clientes que cambian: ${changing} de ${total}. Aún no se ha cambiado nada.`,
    gets: (tag, count) => `${tag}: se añade a ${count}`,
    loses: (tag, count) => `${tag}: se quita a ${count}`,
    nothing: "No cambiaría nada.",
    confirmAdd: (count) => `Añadir etiquetas (${count})`,
    confirmRemove: (count) => `Quitar etiquetas (${count})`,
    running: (done, total) => `Se están cambiando las etiquetas: ${done} de ${total}`,
    runningText: "Puedes salir de esta página; el cambio continúa solo.",
    done: (count) => `Clientes con etiquetas cambiadas: ${count}.`,
    refused: (count) =>
      `Se quedan como estaban, porque tienen todas las etiquetas que admite tu tienda: ${count}.`,
    failed:
      "No se han podido cambiar las etiquetas de algunos clientes. Empieza de nuevo: quien ya tiene la etiqueta se queda como está.",
    progress: "Progreso del cambio de etiquetas",
  },
  fr: {
    add: "Ajouter des tags",
    remove: "Retirer des tags",
    addTitle: "Ajouter des tags aux clients",
    removeTitle: "Retirer des tags aux clients",
    tag: "Tag",
    tagHelp: "Choisissez un tag ou saisissez-en un nouveau, puis appuyez sur Entrée.",
    choose: "Utiliser ce tag",
    drop: (tag) => `Écarter ${tag}`,
    preview: "Aperçu",
    back: "Retour",
    close: "Fermer",
    people: (count) => `Clients choisis : ${count}.`,
    changing: (changing, total) =>
      `Clients qui changent : ${changing} sur ${total}. Rien n'a encore été modifié.`,
    gets: (tag, count) => `${tag} : ajouté à ${count}`,
    loses: (tag, count) => `${tag} : retiré à ${count}`,
    nothing: "Rien ne changerait.",
    confirmAdd: (count) => `Ajouter des tags (${count})`,
    confirmRemove: (count) => `Retirer des tags (${count})`,
    running: (done, total) => `Modification des tags : ${done} sur ${total}`,
    runningText: "Vous pouvez quitter cette page ; la modification se poursuit.",
    done: (count) => `Clients dont les tags ont changé : ${count}.`,
    refused: (count) =>
      `Laissés tels quels, car ils ont autant de tags que votre boutique en accepte : ${count}.`,
    failed:
      "Les tags de certains clients n'ont pas pu être modifiés. Recommencez : ceux qui ont déjà le tag restent tels quels.",
    progress: "Avancement de la modification des tags",
  },
};

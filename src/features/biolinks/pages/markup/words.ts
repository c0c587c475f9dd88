const ENGLISH = {
  accept: "Accept",
  refuse: "Refuse",
  mayTell: "This page would like to tell advertising and measuring services of your visit.",
  addToCalendar: "Add to calendar",
  call: "Call",
  checkFields: "Please check these fields",
  closed: "This form is closed.",
  directions: "Show on the map",
  download: "Download",
  inStock: "In stock",
  listenOn: "Listen on",
  openOn: "Open on",
  optional: "optional",
  outOfStock: "Sold out",
  preorder: "Preorder",
  backorder: "On backorder",
  discontinued: "No longer available",
  privacy: "Privacy",
  ratingOf: "{n} of 5 stars",
  report: "Report this page",
  saveContact: "Save contact",
  wasPrice: "instead of",
  watchOn: "Watch on",
  writeEmail: "Email",
  choose: "Choose …",
  until: "until",
  leaveEmpty: "Leave this field empty",
};
export type Words = Record<keyof typeof ENGLISH, string>;

const GERMAN: Words = {
  accept: "Annehmen",
  refuse: "Ablehnen",
  mayTell: "Diese Seite möchte Werbe- und Messdiensten von Ihrem Besuch berichten.",
  addToCalendar: "Zum Kalender hinzufügen",
  call: "Anrufen",
  checkFields: "Bitte prüfen Sie diese Angaben",
  closed: "Dieses Formular ist geschlossen.",
  directions: "Auf der Karte zeigen",
  download: "Herunterladen",
  inStock: "Auf Lager",
  listenOn: "Anhören auf",
  openOn: "Öffnen auf",
  optional: "freiwillig",
  outOfStock: "Ausverkauft",
  preorder: "Vorbestellen",
  backorder: "Nachbestellt",
  discontinued: "Nicht mehr erhältlich",
  privacy: "Datenschutz",
  ratingOf: "{n} von 5 Sternen",
  report: "Seite melden",
  saveContact: "Kontakt speichern",
  wasPrice: "statt",
  watchOn: "Ansehen auf",
  writeEmail: "E-Mail",
  choose: "Auswählen …",
  until: "bis",
  leaveEmpty: "Dieses Feld leer lassen",
};

const FRENCH: Words = {
  accept: "Accepter",
  refuse: "Refuser",
  mayTell: "Cette page souhaite informer des services de publicité et de mesure de votre visite.",
  addToCalendar: "Ajouter au calendrier",
  call: "Appeler",
  checkFields: "Veuillez vérifier ces champs",
  closed: "Ce formulaire est fermé.",
  directions: "Voir sur la carte",
  download: "Télécharger",
  inStock: "En stock",
  listenOn: "Écouter sur",
  openOn: "Ouvrir sur",
  optional: "facultatif",
  outOfStock: "Épuisé",
  preorder: "Précommande",
  backorder: "En réapprovisionnement",
  discontinued: "N’est plus disponible",
  privacy: "Confidentialité",
  ratingOf: "{n} étoiles sur 5",
  report: "Signaler cette page",
  saveContact: "Enregistrer le contact",
  wasPrice: "au lieu de",
  watchOn: "Regarder sur",
  writeEmail: "E-mail",
  choose: "Choisir …",
  until: "jusqu’à",
  leaveEmpty: "Laissez ce champ vide",
};

const SPANISH: Words = {
  accept: "Aceptar",
  refuse: "Rechazar",
  mayTell: "Esta página quiere informar de tu visita a servicios de publicidad y medición.",
  addToCalendar: "Añadir al calendario",
  call: "Llamar",
  checkFields: "Revisa estos campos",
  closed: "Este formulario está cerrado.",
  directions: "Ver en el mapa",
  download: "Descargar",
  inStock: "Disponible",
  listenOn: "Escuchar en",
  openOn: "Abrir en",
  optional: "opcional",
  outOfStock: "Agotado",
  preorder: "Reserva",
  backorder: "Bajo pedido",
  discontinued: "Ya no disponible",
  privacy: "Privacidad",
  ratingOf: "{n} de 5 estrellas",
  report: "Denunciar esta página",
  saveContact: "Guardar contacto",
  wasPrice: "en lugar de",
  watchOn: "Ver en",
  writeEmail: "Correo",
  choose: "Elegir …",
  until: "hasta",
  leaveEmpty: "Deja este campo vacío",
};

const BY_LANGUAGE: Record<string, Words> = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH };

/** What a page says of its own accord, in its language if we speak it, else in English. */
export function wordsOf(language: string): Words {
  return BY_LANGUAGE[primaryOf(language)] ?? ENGLISH;
}

const RIGHT_TO_LEFT = new Set("Adlm Arab Aran Armi Hebr Mand Nkoo Rohg Samr Syrc Thaa".split(" "));

/** By the script that it is written in: many a language is written in either direction. */
export function directionOf(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(scriptOf(language)) ? "rtl" : "ltr";
}

/** The usual one where the tag names none; empty: nobody knows. */
function scriptOf(language: string): string {
  try {
    return new Intl.Locale(language).maximize().script ?? "";
  } catch {
    // No tag that this knows of, as a private one is: `x-klingon`.
    return "";
  }
}

/** The first part of a language's tag, in lower case. */
export function primaryOf(language: string): string {
  return language.split("-")[0]?.toLowerCase() ?? "";
}

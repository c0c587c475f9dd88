import { primaryOf } from "./words.ts";

const ENGLISH = {
  required: "Please fill this in.",
  tick: "Please tick this.",
  text: "This cannot be read: please write it anew.",
  long: "Please be briefer: at most {n} characters.",
  email: "Please write an email address, as ada@example.com.",
  phone: "Please write a telephone number, as +44 20 7946 0018.",
  number: "Please write a number.",
  date: "Please write a date.",
  option: "Please choose one of these.",
  known: "From this address we have an answer already.",
  expired: "The form was open for too long, or has changed. Please send it once more.",
  unavailable: "This cannot be taken just now. Please send it once more in a while.",
};
export type FormWords = Record<keyof typeof ENGLISH, string>;

const GERMAN: FormWords = {
  required: "Bitte füllen Sie dies aus.",
  tick: "Bitte setzen Sie hier ein Häkchen.",
  text: "Das ist nicht lesbar: Bitte schreiben Sie es neu.",
  long: "Bitte fassen Sie sich kürzer: höchstens {n} Zeichen.",
  email: "Bitte geben Sie eine E-Mail-Adresse an, etwa ada@example.com.",
  phone: "Bitte geben Sie eine Telefonnummer an, etwa +49 30 901820.",
  number: "Bitte geben Sie eine Zahl an.",
  date: "Bitte geben Sie ein Datum an.",
  option: "Bitte wählen Sie eine dieser Möglichkeiten.",
  known: "Von dieser Adresse haben wir schon eine Antwort.",
  expired: "Das Formular war zu lange offen oder wurde geändert. Bitte senden Sie es noch einmal.",
  unavailable: "Das geht gerade nicht. Bitte senden Sie es später noch einmal.",
};

const FRENCH: FormWords = {
  required: "Veuillez remplir ce champ.",
  tick: "Veuillez cocher cette case.",
  text: "Ce texte est illisible : veuillez le réécrire.",
  long: "Veuillez raccourcir : {n} caractères au plus.",
  email: "Veuillez indiquer une adresse e-mail, comme ada@example.com.",
  phone: "Veuillez indiquer un numéro de téléphone, comme +33 1 70 18 99 00.",
  number: "Veuillez indiquer un nombre.",
  date: "Veuillez indiquer une date.",
  option: "Veuillez choisir l’une de ces options.",
  known: "Nous avons déjà une réponse de cette adresse.",
  expired:
    "Le formulaire est resté ouvert trop longtemps ou a changé. Veuillez l’envoyer à nouveau.",
  unavailable: "Ce n’est pas possible pour l’instant. Veuillez l’envoyer à nouveau plus tard.",
};

const SPANISH: FormWords = {
  required: "Rellena este campo.",
  tick: "Marca esta casilla.",
  text: "No se puede leer: escríbelo de nuevo.",
  long: "Abrevia: como máximo {n} caracteres.",
  email: "Escribe una dirección de correo, como ada@example.com.",
  phone: "Escribe un número de teléfono, como +34 910 507 000.",
  number: "Escribe un número.",
  date: "Escribe una fecha.",
  option: "Elige una de estas opciones.",
  known: "Ya tenemos una respuesta de esta dirección.",
  expired: "El formulario estuvo abierto demasiado tiempo o ha cambiado. Envíalo otra vez.",
  unavailable: "Ahora no es posible. Envíalo otra vez más tarde.",
};

const BY_LANGUAGE: Record<string, FormWords> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
};

/** What is said of a form that cannot be taken, in the page's language if we speak it. */
export function formWordsOf(language: string): FormWords {
  return BY_LANGUAGE[primaryOf(language)] ?? ENGLISH;
}

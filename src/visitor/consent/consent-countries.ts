/**
 * Where nothing is told to anybody before its visitor agrees: Directive 2002/58/EC, article 5(3),
 * and the GDPR, or a law that copies them. By the codes of ISO 3166-1 that Cloudflare gives.
 */
const CONSENT_COUNTRIES = new Set(
  [
    // The European Union: https://european-union.europa.eu/principles-countries-history/eu-countries_en
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK",
    // Its parts that have a code of their own: TFEU, article 355(1) and (4).
    "AX GF GP MF MQ RE YT",
    // France's other territories: Loi n° 78-17, articles 125 and 126.
    "BL NC PF PM TF WF",
    // The EEA besides (Agreement, annex XI, 5e), and Norway's law on Svalbard and Jan Mayen (FOR-2018-06-15-877).
    "IS LI NO SJ",
    // The United Kingdom: UK GDPR and PECR, and what Gibraltar, Guernsey, Jersey and Man made of them.
    "GB GG GI IM JE",
    // Switzerland: FADP, article 6, and the Telecommunications Act, article 45c.
    "CH",
  ].flatMap((line) => line.split(" ")),
);

/** Codes that name no country: unknown, what databases of addresses give for a region, a mistake for GB. */
const NOWHERE = new Set(["XX", "ZZ", "EU", "AP", "UK"]);
const COUNTRY = /^[A-Z]{2}$/;

/** Whether consent is needed of a visitor from there. Tor (`T1`) and the unknown are everywhere. */
export function needsConsent(country: string): boolean {
  return !COUNTRY.test(country) || NOWHERE.has(country) || CONSENT_COUNTRIES.has(country);
}

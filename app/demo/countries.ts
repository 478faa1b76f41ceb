// Where the demo store's customers live. The names are frequent ones of each country, and of no real person.
export type DemoCountry = {
  code: string;
  language: string;
  weight: number;
  firstNames: readonly string[];
  lastNames: readonly string[];
};

const names = (text: string): readonly string[] => text.split(" ");

export const COUNTRIES: readonly DemoCountry[] = [
  {
    code: "DE",
    language: "de",
    weight: 24,
    firstNames: names("Anna Ben Clara Emil Hannah Jonas Lena Leon Marie Paul Sophie Theo"),
    lastNames: names("Becker Fischer Hofmann Klein Koch Krause Lange Meyer Richter Schulz Wagner"),
  },
  {
    code: "FR",
    language: "fr",
    weight: 17,
    firstNames: names("Alice Camille Chloé Gabriel Hugo Inès Jules Léa Louis Manon Nathan Zoé"),
    lastNames: names("Bernard Dubois Durand Garnier Girard Lambert Laurent Leroy Moreau Petit"),
  },
  {
    code: "ES",
    language: "es",
    weight: 13,
    firstNames: names("Alba Carlos Carmen Daniel Elena Hugo Javier Lucía Marta Pablo Sara Sergio"),
    lastNames: names("Castro Delgado Fernández García Gil López Molina Moreno Ortega Ruiz Serrano"),
  },
  {
    code: "GB",
    language: "en",
    weight: 11,
    firstNames: names("Amelia Arthur Charlotte Ella Freya George Harry Isla Jack Oliver Poppy"),
    lastNames: names("Baker Clarke Cooper Davies Evans Hughes Palmer Shaw Taylor Turner Walker"),
  },
  {
    code: "NL",
    language: "nl",
    weight: 7,
    firstNames: names("Bram Daan Emma Fenna Julia Lieke Lucas Milan Noor Sanne Sem Tess"),
    lastNames: names("Bakker Bos Dekker Hendriks Jansen Mulder Peters Smit Visser Vos"),
  },
  {
    code: "AT",
    language: "de",
    weight: 6,
    firstNames: names("Elias Felix Johanna Katharina Laura Lukas Magdalena Moritz Sarah Valentin"),
    lastNames: names("Bauer Eder Gruber Huber Leitner Mayer Moser Pichler Steiner Winkler"),
  },
  {
    code: "CH",
    language: "de",
    weight: 5,
    firstNames: names("Alina Livia Luca Mia Nina Noah Selina Simon Tim Yannick"),
    lastNames: names("Baumann Frei Graf Keller Meier Roth Schmid Suter Weber Zimmermann"),
  },
  {
    code: "IT",
    language: "it",
    weight: 5,
    firstNames: names("Alessandro Aurora Chiara Francesco Giulia Lorenzo Marco Martina Sofia"),
    lastNames: names("Bianchi Conti Esposito Ferrari Gallo Greco Marino Ricci Romano Rossi"),
  },
  {
    code: "BE",
    language: "fr",
    weight: 4,
    firstNames: names("Arthur Elise Emma Juliette Louise Lucas Mathis Noah Nora Victor"),
    lastNames: names("Claes Dupont Goossens Jacobs Janssens Lemaire Maes Martens Mertens Simon"),
  },
  {
    code: "US",
    language: "en",
    weight: 4,
    firstNames: names("Ava Ethan Grace Henry James Liam Madison Mason Olivia Sophia"),
    lastNames: names("Anderson Brown Carter Foster Harris Mitchell Nelson Parker Reed Young"),
  },
  {
    code: "SE",
    language: "sv",
    weight: 2,
    firstNames: names("Alma Astrid Elsa Filip Hugo Ida Nils Oscar Saga Vera"),
    lastNames: names("Berg Dahl Ek Holm Lind Lindqvist Nyström Sandberg Sjöberg Wallin"),
  },
  {
    code: "CA",
    language: "en",
    weight: 2,
    firstNames: names("Adèle Benjamin Chloe Emily Jacob Logan Nathan Rosalie Thomas Violet"),
    lastNames: names("Bouchard Campbell Fraser Gagnon Macdonald Morin Roy Stewart Tremblay"),
  },
];

/** Browsers by how often they are used, about as they are. */
export const BROWSERS: readonly (readonly [userAgent: string, weight: number])[] = [
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
    30,
  ],
  [
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Mobile Safari/537.36",
    25,
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36",
    20,
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15",
    11,
  ],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:146.0) Gecko/20100101 Firefox/146.0", 6],
  [
    "Mozilla/5.0 (iPad; CPU OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
    4,
  ],
  [
    "Mozilla/5.0 (Linux; Android 15; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36",
    2,
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36 Edg/145.0.0.0",
    2,
  ],
];

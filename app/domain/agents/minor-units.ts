// UCP amounts: integers in the currency's minor unit (ISO 4217).
const EXPONENTS: Record<string, number> = {
  ...Object.fromEntries(
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
      .split(" ")
      .map((code) => [code, 0]),
  ),
  ...Object.fromEntries("BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};

/** `40.00` EUR is 4000, `40.00` JPY is 40. Fractions of the minor unit are rounded half up. */
export function toMinorUnits(amount: string, currency: string): number {
  const exponent = EXPONENTS[currency] ?? 2;
  const [, sign = "", whole = "0", decimals = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const kept = Number(whole + decimals.slice(0, exponent).padEnd(exponent, "0"));
  const rounded = kept + (Number(decimals[exponent] ?? 0) >= 5 ? 1 : 0);
  return sign && rounded !== 0 ? -rounded : rounded;
}

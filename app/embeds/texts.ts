// The texts of the pages and embeds that shoppers and operators see without React, by language.
import accountEn from "../locales/en/embeds/account.json" with { type: "json" };
import accountEs from "../locales/es/embeds/account.json" with { type: "json" };
import accountFr from "../locales/fr/embeds/account.json" with { type: "json" };
import agentEn from "../locales/en/embeds/agent.json" with { type: "json" };
import agentEs from "../locales/es/embeds/agent.json" with { type: "json" };
import agentFr from "../locales/fr/embeds/agent.json" with { type: "json" };
import privacyEn from "../locales/en/embeds/privacy.json" with { type: "json" };
import privacyEs from "../locales/es/embeds/privacy.json" with { type: "json" };
import privacyFr from "../locales/fr/embeds/privacy.json" with { type: "json" };
import gateEn from "../locales/en/embeds/gate.json" with { type: "json" };
import gateEs from "../locales/es/embeds/gate.json" with { type: "json" };
import gateFr from "../locales/fr/embeds/gate.json" with { type: "json" };
import proofEn from "../locales/en/embeds/proof.json" with { type: "json" };
import proofEs from "../locales/es/embeds/proof.json" with { type: "json" };
import proofFr from "../locales/fr/embeds/proof.json" with { type: "json" };
import shopperEn from "../locales/en/embeds/shopper.json" with { type: "json" };
import shopperEs from "../locales/es/embeds/shopper.json" with { type: "json" };
import shopperFr from "../locales/fr/embeds/shopper.json" with { type: "json" };
import { LANGUAGES, type Language } from "../locales/languages.ts";

export type Locale = Language;

/** The first language of these tags that the pages speak. */
export function findLocale(tags: readonly string[]): Locale | null {
  const spoken = tags.map((tag) => tag.trim().slice(0, 2).toLowerCase());
  return spoken.find((tag): tag is Locale => LANGUAGES.some((one) => one === tag)) ?? null;
}

export function localeOf(locale: string): Locale {
  return findLocale([locale]) ?? "en";
}

export type AccountTexts = typeof accountEn;
export type AgentTexts = typeof agentEn;
export type GateTexts = typeof gateEn;
export type PrivacyTexts = typeof privacyEn;
export type ProofTexts = typeof proofEn;
export type ShopperTexts = typeof shopperEn;

const ACCOUNT: Record<Locale, AccountTexts> = { en: accountEn, es: accountEs, fr: accountFr };
const AGENT: Record<Locale, AgentTexts> = { en: agentEn, es: agentEs, fr: agentFr };
const GATE: Record<Locale, GateTexts> = { en: gateEn, es: gateEs, fr: gateFr };
const PRIVACY: Record<Locale, PrivacyTexts> = { en: privacyEn, es: privacyEs, fr: privacyFr };
const PROOF: Record<Locale, ProofTexts> = { en: proofEn, es: proofEs, fr: proofFr };
const SHOPPER: Record<Locale, ShopperTexts> = { en: shopperEn, es: shopperEs, fr: shopperFr };

export const accountTexts = (locale: string): AccountTexts => ACCOUNT[localeOf(locale)];
export const agentTexts = (locale: string): AgentTexts => AGENT[localeOf(locale)];
export const gateTexts = (locale: string): GateTexts => GATE[localeOf(locale)];
export const privacyTexts = (locale: string): PrivacyTexts => PRIVACY[localeOf(locale)];
export const proofTexts = (locale: string): ProofTexts => PROOF[localeOf(locale)];
export const shopperTexts = (locale: string): ShopperTexts => SHOPPER[localeOf(locale)];

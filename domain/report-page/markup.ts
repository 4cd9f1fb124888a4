import { visibleText } from './visible-text.js';

declare const made: unique symbol;

/** Markup in which all foreign text is escaped: only `markup` and `trustedMarkup` make it. */
export interface Markup {
  readonly text: string;
  readonly [made]: true;
}

type Part = string | number | Markup | null | readonly Part[];

/** HTML with its values escaped, lists joined, and null left out. */
export const markup = (texts: TemplateStringsArray, ...values: readonly Part[]): Markup =>
  trustedMarkup(texts.map((text, at) => text + markupOf(values[at] ?? null)).join(''));

/** @param text - whose foreign parts are escaped already: a plot of the plotting library */
// The symbol is there for the type alone.
export const trustedMarkup = (text: string): Markup => ({ text }) as Markup;

function markupOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escapeMarkup(part);
  if (typeof part === 'number') return String(part);
  return 'text' in part ? part.text : part.map(markupOf).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Fit for the text of an element and for an attribute in quotes. */
const escapeMarkup = (text: string): string =>
  visibleText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);

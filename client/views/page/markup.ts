import { exactJson } from '../../../domain/formats/json.js';
import { visibleText } from '../../../domain/formats/text.js';
import { goldTexts, type Evaluator } from '../../../domain/scoring/dataset-item.js';

declare const made: unique symbol;

/** HTML in which all inserted text is escaped. Only `markup` and `trustedMarkup` create it. */
export interface Markup {
  readonly text: string;
  readonly [made]: true;
}

type Part = string | number | Markup | null | readonly Part[];

/** A template tag for HTML: it escapes values, joins lists and omits null. */
export const markup = (texts: TemplateStringsArray, ...values: readonly Part[]): Markup =>
  trustedMarkup(texts.map((text, at) => text + markupOf(values[at] ?? null)).join(''));

/** @param text - HTML that is safe as it is, such as a plot of the plotting library */
// The cast adds the brand, which exists only in the type.
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

/** Escapes for element content and for quoted attributes. */
const escapeMarkup = (text: string): string =>
  visibleText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** The golds of an evaluator, a line each; all its arguments as JSON if it has no known gold argument. */
export function goldText(evaluator: Evaluator | undefined): string {
  if (evaluator === undefined) return '';
  const texts = goldTexts(evaluator);
  return texts.length > 0 ? texts.join('\n') : exactJson(evaluator.eval_kwargs);
}

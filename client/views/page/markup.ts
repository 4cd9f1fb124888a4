import type { Evaluator } from '../../../domain/scoring/dataset-item.js';
import { goldTexts } from '../../../domain/scoring/match-string.js';

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

/** Marks that reorder the text after them, and control characters that no text needs. */
const deceptive = /[^\P{Cc}\t\n\r]|\p{Bidi_Control}/gu;

/** Text that reads as it is stored: what would reorder or hide a part of it is written out, e.g. `[U+202E]`. */
export const visibleText = (text: string): string =>
  text.replace(
    deceptive,
    (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );

/** A cell of a table's head. */
export const columnHead = (name: string): Markup => markup`<th scope="col">${name}</th>`;

/** The same over numbers, which stand to the right. */
export const numberHead = (name: string): Markup => markup`<th scope="col" class="n">${name}</th>`;

export const rowHead = (name: string): Markup => markup`<th scope="row">${name}</th>`;

/** Empty for null. */
export const numberCell = (text: string | null): Markup => markup`<td class="n">${text}</td>`;

/** The head of a column that the page's script sorts by, as texts or as numbers. */
export const sortHead = (name: string, by: 'text' | 'number'): Markup =>
  markup`<th scope="col" data-by="${by}" class="${by === 'number' ? 'n' : name}">${name}</th>`;

/** A number's cell, sorted by its value, not by how it is written; null comes last. */
export const valueCell = (value: number | null, text: string): Markup =>
  markup`<td class="n" data-value="${value ?? ''}">${text}</td>`;

/** `0.732`. */
export const decimals = (value: number): string => value.toFixed(3);

/** `12 %`, `0.4 %`: of a whole that is not nothing. */
export function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  return `${share === 0 || share >= 10 ? Math.round(share) : share.toFixed(1)} %`;
}

/** `850 ms`, `3.2 s`, `41 s`, and minutes from a hundred seconds on. */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.round(seconds % 60)} s`;
}

/** `2026-11-21 17:46 UTC`. */
export const instantText = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

/** What an item's evaluator takes for right, a line each: all its options where none of them is known to say so. */
export function goldText(evaluator: Evaluator | undefined): string {
  if (evaluator === undefined) return '';
  const texts = goldTexts(evaluator);
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(evaluator.eval_kwargs);
}

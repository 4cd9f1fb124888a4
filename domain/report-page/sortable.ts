import { markup, type Markup } from './markup.js';

/** The head of a column that the page's script sorts by, as texts or as numbers. */
export const sortHead = (name: string, by: 'text' | 'number'): Markup =>
  markup`<th scope="col" data-by="${by}" class="${by === 'number' ? 'n' : name}">${name}</th>`;

/** A number's cell, sorted by its value, not by how it is written; null comes last. */
export const valueCell = (value: number | null, text: string): Markup =>
  markup`<td class="n" data-value="${value ?? ''}">${text}</td>`;

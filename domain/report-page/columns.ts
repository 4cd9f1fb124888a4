import { markup, type Markup } from './markup.js';

/** A cell of a table's head. */
export const columnHead = (name: string): Markup => markup`<th scope="col">${name}</th>`;

/** The same over numbers, which stand to the right. */
export const numberHead = (name: string): Markup => markup`<th scope="col" class="n">${name}</th>`;

export const rowHead = (name: string): Markup => markup`<th scope="row">${name}</th>`;

/** Empty for null. */
export const numberCell = (text: string | null): Markup => markup`<td class="n">${text}</td>`;

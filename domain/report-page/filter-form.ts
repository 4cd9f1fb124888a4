import { countsOf } from '../statistics/counts-of.js';
import { grouped } from '../grouped.js';
import { markup, type Markup } from './markup.js';

/**
 * The form above a table of questions, which the page's script shows and wires: a field of text, and a choice for each
 * name. A row is of the choice that its attribute `data-NAME` holds.
 *
 * @param values - of all rows, with repetition; a choice without any is left out
 */
export const filterForm = (values: Readonly<Record<string, readonly string[]>>): Markup =>
  markup`<form class="filter" role="search" aria-label="Questions" hidden>
<label>text <input type="search" name="text" placeholder="question, answer, id"></label>
${Object.entries(values).map(([name, each]) => choice(name, countsOf(each)))}<output aria-live="polite"></output>
<button type="reset">show all</button>
</form>`;

function choice(name: string, counts: ReadonlyMap<string, number>): Markup | null {
  if (counts.size === 0) return null;
  const options = [...counts].sort(([, a], [, b]) => b - a);
  return markup`<label>${name} <select name="${name}"><option value="">all</option>${options.map(
    ([value, count]) => markup`<option value="${value}">${value} (${grouped(count)})</option>`,
  )}</select></label>
`;
}

import { element } from './element.js';
import { observationRows } from './observation-rows.js';

/** @import { PageObservation } from '../page-question.js' */

/**
 * An observation: a table if its rows can be parsed, a picture, or the text.
 *
 * @param {PageObservation} observation
 * @param {string} name - of the turn, for screen readers
 * @param {(place: number) => string} pictureAt - the address of a picture
 */
export function observationView({ text, picture, pictureLabel }, name, pictureAt) {
  const rows = observationRows(text);
  return element(
    'div',
    { class: 'observation', tabindex: '0', role: 'region', 'aria-label': `Observation of ${name}` },
    ...(rows
      ? [rowsTable(rows), rows.note === '' ? null : element('p', { class: 'faint' }, rows.note)]
      : [element('pre', {}, text)]),
    picture === null
      ? null
      : element('img', { src: pictureAt(picture), alt: `The picture shown in ${name}` }),
    pictureLabel === null
      ? null
      : element(
          'p',
          { class: 'note' },
          `A picture (${pictureLabel}) that this page has no room for.`,
        ),
  );
}

/** @param {Pick<import('./observation-rows.js').ObservationRows, 'columns' | 'rows'>} rows */
export function rowsTable({ columns, rows }) {
  const isNumber = columns.map((_, at) => rows.every((row) => typeof row[at] === 'number'));
  /** @param {number} at */
  const side = (at) => (isNumber[at] ? { class: 'n' } : undefined);
  return element(
    'table',
    {},
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...columns.map((column, at) => element('th', { scope: 'col', ...side(at) }, column)),
      ),
    ),
    element(
      'tbody',
      {},
      ...rows.map((row) =>
        element('tr', {}, ...row.map((cell, at) => element('td', side(at), cellView(cell)))),
      ),
    ),
  );
}

/** @param {unknown} cell */
function cellView(cell) {
  if (cell === null || cell === undefined) return element('span', { class: 'faint' }, 'null');
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

import { databaseAnswerParts } from './database-answer-view.js';
import { element } from './element.js';
import { endView } from './question-view.js';
import { turnView } from './turn-view.js';

/** @import { PageQuestion, PageTurn } from '../page-question.js' */

/**
 * A question in two runs, turn by turn, with a mark at the first turn whose actions differ.
 *
 * @param {PageQuestion} before
 * @param {PageQuestion} after
 * @param {(place: number) => string} pictureAt - the address of a picture
 */
export function sidesView(before, after, pictureAt) {
  const differing = firstDifference(before.turns, after.turns);
  const length = Math.max(before.turns.length, after.turns.length);
  return [
    element('h1', {}, before.question),
    element(
      'p',
      { class: 'faint' },
      [before.uuid, ...(before.epoch > 1 ? [`epoch ${before.epoch}`] : []), ...before.tags].join(
        ' · ',
      ),
    ),
    length === 0
      ? null
      : element(
          'p',
          { class: 'note' },
          differing === null
            ? 'Both runs took the same actions.'
            : `Turn ${differing + 1} is the first with different actions.`,
        ),
    sides([before, after].map(({ run }) => element('h2', { class: 'side-name' }, run))),
    sides([before, after].map(endView)),
    ...databaseSides(before, after),
    ...Array.from({ length }, (_, at) =>
      sides(
        [before, after].map(({ turns }) => {
          const turn = turns[at];
          return turn
            ? turnView(turn, pictureAt)
            : element('p', { class: 'faint' }, 'No such turn.');
        }),
        at === differing,
      ),
    ),
  ];
}

/**
 * The parts of two answers over databases, none for others.
 *
 * @param {PageQuestion} before
 * @param {PageQuestion} after
 */
function databaseSides(before, after) {
  if (before.database === null && after.database === null) return [];
  const [left, right] = [databaseAnswerParts(before.database), databaseAnswerParts(after.database)];
  return left.map((part, at) => sides([part, right[at] ?? element('div')]));
}

/**
 * @param {readonly Node[]} nodes
 * @param {boolean} [differs]
 */
const sides = (nodes, differs = false) =>
  element(
    'div',
    { class: differs ? 'sides differs' : 'sides' },
    differs ? element('p', { class: 'mark' }, 'first difference') : null,
    ...nodes.map((node) => element('div', {}, node)),
  );

/**
 * The index of the first turn with different actions; null if there is none.
 *
 * @param {readonly PageTurn[]} before
 * @param {readonly PageTurn[]} after
 */
export function firstDifference(before, after) {
  const length = Math.max(before.length, after.length);
  for (let at = 0; at < length; at += 1) {
    if (actionText(before[at]) !== actionText(after[at])) return at;
  }
  return null;
}

/**
 * The action of a turn, or its reply if that could not be read, as text.
 *
 * @param {PageTurn | undefined} turn
 */
const actionText = (turn) =>
  turn === undefined ? null : JSON.stringify(turn.action ?? { reply: turn.raw });

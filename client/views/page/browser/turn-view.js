import { element } from './element.js';
import { costText, countText, durationText } from './figure-text.js';
import { observationView } from './observation-view.js';
import { sqlText } from './sql-text.js';

/** @import { PageAction, PageTurn } from '../page-question.js' */

/**
 * A turn: thought, action and observation, with their figures.
 *
 * @param {PageTurn} turn
 * @param {(place: number) => string} pictureAt - the address of a picture
 */
export function turnView(turn, pictureAt) {
  const name = `turn ${turn.turn}`;
  return element(
    'article',
    { class: turn.error === null ? 'turn' : 'turn failed' },
    element(
      'h2',
      {},
      element('span', { class: 'faint' }, `Turn ${turn.turn} `),
      turn.action?.name ?? 'No action',
    ),
    element('p', { class: 'figures' }, turnFigures(turn).join(' · ')),
    ...turnFailures(turn).map((failure) => element('p', { class: 'failure' }, failure)),
    turn.reasoning === null ? null : folded('reasoning', turn.reasoning),
    turn.thought === '' ? null : element('p', { class: 'thought' }, turn.thought),
    ...(turn.action === null ? [element('pre', {}, turn.raw)] : actionViews(turn.action)),
    turn.observation === null ? null : observationView(turn.observation, name, pictureAt),
    turn.action === null ? null : folded('the reply as received', turn.raw),
  );
}

/**
 * @param {string} summary
 * @param {string} text
 */
const folded = (summary, text) =>
  element('details', {}, element('summary', {}, summary), element('pre', {}, text));

/** @param {PageAction} action */
const actionViews = ({ fields }) =>
  fields
    .filter(({ value }) => value !== '')
    .map(({ name, value }) =>
      name === 'sql'
        ? element('pre', { class: 'sql' }, sqlText(value))
        : element(
            'p',
            { class: 'field' },
            element('span', { class: 'faint' }, `${name} `),
            element('code', {}, value),
          ),
    );

/** @param {PageTurn} turn */
function turnFigures({ modelMs, tokens, costUsd, cacheHit, retries, model, observation }) {
  return [
    ...(model === null ? [] : [`model ${durationText(modelMs)}`]),
    ...(observation?.toolMs == null ? [] : [`tool ${durationText(observation.toolMs)}`]),
    ...(tokens === null
      ? []
      : [
          `${countText(tokens.prompt)}${tokens.cached > 0 ? ` (${countText(tokens.cached)} cached)` : ''} + ${countText(tokens.completion)}${tokens.reasoning > 0 ? ` (${countText(tokens.reasoning)} reasoning)` : ''} tokens`,
        ]),
    ...(model === null ? [] : [cacheHit ? 'from the cache' : costText(costUsd)]),
    ...(retries > 0 ? [`${countText(retries)} failed attempts before it`] : []),
  ];
}

/** @param {PageTurn} turn */
function turnFailures({ error, repeats, observation }) {
  const outcome = observation?.outcome;
  return [
    ...(error === null ? [] : [`The reply could not be read: ${error}`]),
    ...(repeats === null ? [] : [`The same action as in turn ${repeats}.`]),
    ...(outcome?.kind === 'failed' ? [`The tool failed: ${outcome.class}.`] : []),
    ...(outcome?.kind === 'empty' ? ['Nothing was found.'] : []),
  ];
}

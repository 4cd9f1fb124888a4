import { element } from './element.js';
import { costText, countText, durationText } from './figure-text.js';
import { turnView } from './turn-view.js';

/** @import { PageQuestion } from '../page-question.js' */

/**
 * A question with its answer, its gold and all turns.
 *
 * @param {PageQuestion} question
 */
export function questionView(question) {
  const { run, uuid, epoch, tags, papers, turns } = question;
  return [
    element('h1', {}, question.question),
    element(
      'p',
      { class: 'faint' },
      [
        `run ${run}`,
        uuid,
        ...(epoch > 1 ? [`epoch ${epoch}`] : []),
        ...(tags.length > 0 ? [tags.join(', ')] : []),
        ...(papers.length > 0 ? [`papers ${papers.join(', ')}`] : []),
      ].join(' · '),
    ),
    question.answerFormat === '' ? null : element('p', {}, question.answerFormat),
    endView(question),
    ...turns.map(turnView),
    turns.length === 0 ? element('p', { class: 'note' }, 'No turn is stored.') : null,
  ];
}

/**
 * The answer beside the gold, with verdict, outcome and figures.
 *
 * @param {PageQuestion} question
 */
export function endView(question) {
  const { evaluator, end } = question;
  return element(
    'dl',
    { class: 'end' },
    ...pair('answer', element('code', {}, end?.answer ?? '–')),
    ...pair('gold', element('code', {}, evaluator?.gold ?? '–')),
    ...pair('verdict', verdictText(question)),
    ...pair('outcome', outcomeText(end)),
    ...(evaluator === null
      ? []
      : pair(
          'scored by',
          element(
            'details',
            {},
            element('summary', {}, evaluator.name),
            element('pre', {}, evaluator.options),
          ),
        )),
    ...(end === null ? [] : pair('took', endFigures(end).join(' · '))),
  );
}

/**
 * @param {string} name
 * @param {Node | string} value
 */
const pair = (name, value) => [
  element(
    'div',
    { class: name.replaceAll(' ', '-') },
    element('dt', {}, name),
    element('dd', {}, value),
  ),
];

/** @param {PageQuestion} question */
function verdictText({ verdict }) {
  if (verdict === null) return 'not scored yet';
  if (verdict.kind === 'unscored') {
    return `unscored, ${verdict.reason}${verdict.message ? `: ${verdict.message}` : ''}`;
  }
  const grade = verdict.rawScore === undefined ? '' : ` (graded ${verdict.rawScore})`;
  return `${verdict.score.toFixed(3)}${grade}${verdict.rationale ? `: ${verdict.rationale}` : ''}`;
}

/** @param {PageQuestion['end']} end */
function outcomeText(end) {
  if (end === null) return 'not ended';
  const { outcome } = end;
  switch (outcome.kind) {
    case 'infra-error':
      return `infra-error, ${outcome.failure}: ${outcome.message}`;
    case 'unparseable':
      return `unparseable: ${outcome.lastError}`;
    case 'context-overflow':
      return `context-overflow: ${outcome.message}`;
    case 'turn-limit':
      return `turn-limit, after ${outcome.maxTurns} turns`;
    default:
      return outcome.kind;
  }
}

/** @param {NonNullable<PageQuestion['end']>} end */
const endFigures = ({ usage, costUsd, ms }) => [
  durationText(ms),
  `${countText(usage.calls)} model calls${usage.retries > 0 ? `, ${countText(usage.retries)} repeated` : ''}`,
  `${countText(usage.promptTokens)} + ${countText(usage.completionTokens)} tokens`,
  costText(costUsd),
];

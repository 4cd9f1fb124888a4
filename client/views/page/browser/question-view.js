import { databaseAnswerParts, lengthText } from './database-answer-view.js';
import { element } from './element.js';
import { costText, countText, durationText } from './figure-text.js';
import { turnView } from './turn-view.js';

/** @import { PageQuestion } from '../page-question.js' */

/**
 * A question with its answer, its gold and all turns.
 *
 * @param {PageQuestion} question
 * @param {(place: number) => string} pictureAt - the address of a picture
 */
export function questionView(question, pictureAt) {
  const { run, uuid, epoch, tags, papers, turns, database } = question;
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
        ...(database === null ? [] : [database.method, database.category ?? 'without category']),
      ].join(' · '),
    ),
    question.answerFormat === '' ? null : element('p', {}, question.answerFormat),
    endView(question),
    ...(database === null ? [] : databaseAnswerParts(database)),
    ...turns.map((turn) => turnView(turn, pictureAt)),
    turns.length === 0 && database === null
      ? element('p', { class: 'note' }, 'No turn is stored.')
      : null,
  ];
}

/**
 * The answer beside the gold, with verdict, outcome and figures.
 *
 * @param {PageQuestion} question
 */
export function endView(question) {
  const { evaluator, gold, end, database } = question;
  const answer = database?.answer.text ?? end?.answer ?? '–';
  return element(
    'dl',
    { class: 'end' },
    ...pair('answer', database === null ? element('code', {}, answer) : longText(answer)),
    ...pair('gold', database === null ? element('code', {}, gold ?? '–') : longText(gold ?? '–')),
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
    ...(database === null ? [] : pair('answer length', lengthText(database.answer))),
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

/** @param {string} text */
const longText = (text) => element('p', { class: 'long' }, text);

/** @param {PageQuestion} question */
function verdictText({ verdict, database }) {
  if (verdict === null) return 'not scored yet';
  if (verdict.kind === 'unscored') {
    return `unscored, ${verdict.reason}${verdict.message ? `: ${verdict.message}` : ''}`;
  }
  return `${scoreText(verdict, database)}${verdict.rationale ? `: ${verdict.rationale}` : ''}`;
}

/**
 * @param {{ score: number, rawScore?: number | undefined }} verdict
 * @param {PageQuestion['database']} database
 */
function scoreText({ score, rawScore }, database) {
  if (database?.category === 'conclusive' && (score === 0 || score === 1)) {
    return score === 1 ? 'match' : 'no match';
  }
  if (database?.category === 'interpretive' && rawScore !== undefined) return `${rawScore} of 5`;
  return `${score.toFixed(3)}${rawScore === undefined ? '' : ` (graded ${rawScore})`}`;
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

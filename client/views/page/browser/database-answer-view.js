import { element } from './element.js';
import { durationText } from './figure-text.js';
import { rowsTable } from './observation-view.js';
import { sqlText } from './sql-text.js';

/** @import { PageDatabaseAnswer, PagePanel, PageQuery } from '../page-database-answer.js' */

/** The parts of an answer's view, which stand side by side for two answers. */
const subTaskNames = /** @type {const} */ ({
  IP: 'interaction planning',
  TE: 'tool employment',
  IS: 'information synthesis',
});

/**
 * How an answer over a database came about: its plan, its queries, and a panel for each sub-task.
 *
 * @param {PageDatabaseAnswer | null} answer
 * @returns {readonly Node[]}
 */
export const databaseAnswerParts = (answer) => [
  planView(answer),
  queriesView(answer),
  ...Object.keys(subTaskNames).map((subTask) =>
    panelView(
      subTask,
      answer?.panels.find((panel) => panel.subTask === subTask),
    ),
  ),
];

/**
 * @param {string} name
 * @param {string} figures
 * @param {readonly Node[]} nodes
 */
const part = (name, figures, ...nodes) =>
  element(
    'article',
    { class: 'turn' },
    element('h2', {}, name),
    figures === '' ? null : element('p', { class: 'figures' }, figures),
    ...nodes,
  );

/** @param {PageDatabaseAnswer | null} answer */
function planView(answer) {
  if (answer === null) return part('Plan', 'Nothing is stored of this answer.');
  const { plan, stoppedBy } = answer;
  const stopped = stoppedBy === 'cap' ? ' · the turns were used up' : '';
  if (answer.method === 'no-interaction') return part('Plan', 'None: the prompt had all rows.');
  if (plan.text === '') return part('Plan', `no plan${stopped}`);
  return part(
    'Plan',
    `${lengthText(plan)}${stopped}`,
    element('p', { class: 'thought long' }, plan.text),
  );
}

/** @param {{ words: number, tokens: number }} length */
export const lengthText = ({ words, tokens }) => `${words} words, ${tokens} tokens`;

/** @param {PageDatabaseAnswer | null} answer */
function queriesView(answer) {
  const queries = answer?.queries ?? [];
  if (queries.length === 0) return part('Queries', 'The database was not questioned.');
  const generated = queries.filter(({ repairOf }) => repairOf === null);
  const valid = generated.filter(({ status }) => status === 'rows');
  return part(
    'Queries',
    `${generated.length} generated, ${valid.length} valid`,
    ...queries.map(queryView),
  );
}

/**
 * @param {PageQuery} query
 * @param {number} at
 */
function queryView(query, at) {
  const { sql, round, repairOf, status, rows, moreRows, ms, error, shown, table } = query;
  const facts = [
    `query ${at + 1}`,
    ...(round > 1 ? [`round ${round}`] : []),
    ...(repairOf === null ? [] : [`repairs query ${repairOf + 1}`]),
    status === 'rows' ? `${rows}${moreRows ? ' or more' : ''} rows` : status,
    ...(ms === null ? [] : [durationText(ms)]),
  ];
  return element(
    'div',
    { class: 'query' },
    element('p', { class: 'figures' }, facts.join(' · ')),
    element('pre', { class: 'sql' }, sqlText(sql)),
    error === null ? null : element('p', { class: 'failure' }, error),
    table === null
      ? error !== null || shown === ''
        ? null
        : element('pre', {}, shown)
      : element(
          'div',
          {
            class: 'observation',
            tabindex: '0',
            role: 'region',
            'aria-label': `Result of query ${at + 1}`,
          },
          rowsTable(table),
          table.note === '' ? null : element('p', { class: 'faint' }, table.note),
        ),
  );
}

/**
 * @param {string} subTask
 * @param {PagePanel | undefined} panel
 */
function panelView(subTask, panel) {
  const name = `Review of ${Reflect.get(subTaskNames, subTask)}`;
  if (!panel) return part(name, 'Not reviewed.');
  return part(
    name,
    panel.outcome,
    memberList('Reviewers', panel.reviewers),
    memberList('Meta-reviewers', panel.metaReviewers, panel.reversed),
  );
}

/**
 * @param {string} name
 * @param {PagePanel['reviewers']} members
 * @param {PagePanel['reversed']} [reversed]
 */
const memberList = (name, members, reversed) =>
  element(
    'div',
    { class: 'members' },
    element('h3', {}, name),
    ...members.map(({ model, decision, rationale }, at) =>
      element(
        'details',
        {},
        element(
          'summary',
          {},
          element('strong', {}, decision ?? 'missing'),
          ` ${model}`,
          reversed?.[at] ? `, in reverse order ${reversed[at]}` : null,
        ),
        element('p', { class: 'long' }, rationale === '' ? 'Without reasons.' : rationale),
      ),
    ),
  );

import { buildCondition, type BuildProgress } from '../../domain/building/build-state.js';
import { toldOf } from '../../domain/building/decision-problem.js';
import type { ChoiceKind } from '../../domain/building/item.js';
import type { BuildForecast } from '../../domain/building/build-forecast.js';
import { counted, countText, joined, preview } from '../../domain/formats/text.js';
import type { Build, ShownResult } from '../../domain/building/build.js';
import type { Agreement } from '../../domain/building/dataset-summary.js';
import type { DatasetStatus } from '../runs/building/export-dataset.js';
import type { ShownGate, ShownPart, WaitingGate } from '../runs/building/gates.js';
import { dollars } from '../../domain/models/usage.js';
import { datasetTable, publishedNote } from './database-qa/report-tables.js';
import {
  figuresOf,
  listOf,
  section,
  toned,
  unlessEmpty,
  type Section,
} from './sections/section.js';

export function progressText(progress: BuildProgress): string {
  const { items, started, drafting, closed, held, isPaused } = progress;
  return joined(
    '; ',
    `${buildCondition(progress)}: ${started} of ${counted(items, 'item')} started, ${drafting} being drafted, ${closed} done with`,
    isPaused && '`turnwise dataset resume` lets it go on',
    held.length > 0 && !isPaused && `${held.length} held or waiting: ${held[0]?.message ?? ''}`,
  );
}

/** What a dataset takes, before it begins or goes on. */
export function buildForecastText(
  { dataset, seeds, databases, model, annotators }: Build,
  { calls, tokens, usd }: BuildForecast,
  isBegun: boolean,
): string {
  const cost = usd === null ? 'at an unknown price' : `about ${dollars(usd)}`;
  return [
    `${isBegun ? 'goes on with' : 'begins'} dataset ${dataset}: ${counted(seeds.length, 'item')} over ${counted(databases.length, 'schema')}`,
    `about ${calls} calls of ${model.name} and ${countText(tokens)} tokens in all, ${cost}, without repetitions`,
    `${3 * annotators} decisions an item`,
  ].join('; ');
}

export const pausedBuildText = (dataset: string, isPaused: boolean): string =>
  isPaused
    ? `dataset ${dataset} is paused: no model is asked until \`turnwise dataset resume ${dataset}\``
    : `dataset ${dataset} goes on`;

/** One line an item. */
export function gatesText(gates: readonly WaitingGate[]): string {
  if (gates.length === 0) return 'no item waits for a decision';
  return gates
    .map(({ item, gate, revision, since, assigned, decidedBy, adjudicates, parked, question }) =>
      joined(
        '  ',
        item,
        parked === null ? gate : `parked (${parked.reason})`,
        `seen ${revision}`,
        `since ${since.slice(0, 16).replace('T', ' ')}`,
        adjudicates
          ? 'annotators differ'
          : decidedBy.length > 0 && `decided by ${decidedBy.join(', ')}`,
        assigned.length > 0 && `for ${assigned.join(', ')}`,
        preview(question, 70),
      ),
    )
    .join('\n');
}

/** What a person shall look at, by the gate. */
export const criteria: Readonly<Record<WaitingGate['gate'], string>> = {
  question:
    'Accept a question that is unambiguous, needs several queries, needs reasoning over their results, and asks for a long answer.',
  rows: 'Accept rows that bear the conjectured answer out, so that queries find what it says.',
  answer:
    'Accept an answer that the results bear out and that leaves nothing out, with its category: conclusive if the data settle it, interpretive if it turns on a word that can be taken in more than one way.',
  parked: 'Nothing goes on here by itself: send the item back to a step, or reject it.',
};

/** All that a person sees of an item. @param command - `turnwise dataset confirm …` up to the item */
export function gateText(shown: ShownGate): string {
  const { dataset, item, gate, state, choices, steps, schema, seedQuestion, parts, decisions } =
    shown;
  const command = `turnwise dataset confirm ${dataset} ${item} --seen ${gate?.revision ?? 0}`;
  const commands: Readonly<Record<ChoiceKind, string>> = {
    accept: `${command} --accept${gate?.gate === 'answer' ? ' --category conclusive|interpretive' : ''}`,
    edit: `${command} --edit FILE`,
    reject: `${command} --reject --reason TEXT`,
    redo: `${command} --redo ${steps.join('|')} [--reason TEXT]`,
    reopen: `${command} --reopen`,
  };
  return joined(
    '\n\n',
    `item ${item} of dataset ${dataset}: ${state}`,
    gate?.parked && `Parked as ${gate.parked.reason}:\n${gate.parked.message}`,
    gate && criteria[gate.gate],
    (gate?.gate === 'rows' || gate?.gate === 'parked') && `Schema\n${schema}`,
    `Seed question\n${seedQuestion}`,
    parts.map(partText),
    decisions.length > 0 &&
      `Decisions\n${decisions.map((each) => `${toldOf(each)}${each.reason === '' ? '' : `: ${each.reason}`}`).join('\n')}`,
    gate
      ? ['To decide:', ...choices.map((choice) => `  ${commands[choice]}`)].join('\n')
      : 'It waits for nobody.',
  );
}

function partText({ part, version, by, text, results, before }: ShownPart): string {
  const whose = by.kind === 'model' ? by.model : by.name;
  const ofResult = part === 'rows' ? tableText : queryText;
  return joined(
    '\n',
    `${part.charAt(0).toUpperCase()}${part.slice(1)} (version ${version}, by ${whose})`,
    part === 'rows' || part === 'queries' ? results.map(ofResult).join('\n\n') : text,
    before !== null && `before the edit:\n${before}`,
  );
}

const queryText = ({ sql, shown }: ShownResult): string => `${sql}\n${shown}`;

const tableText = ({ sql, shown }: ShownResult): string =>
  `${sql.replace(/^SELECT \* FROM /, 'table ')}\n${shown}`;

const agreementText = ({ about, items, agreed, kappa, interval }: Agreement): string =>
  `agreement of two annotators on the ${about}: ${agreed} of ${items} alike, kappa ${kappa === null ? 'undefined' : kappa.toFixed(2)}${
    interval === null ? '' : ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`
  }`;

/** How far a dataset is, and Table 1 of what is done. */
export function datasetSections(status: DatasetStatus): readonly Section[] {
  const { dataset, condition, items, states, parked, calls, spent, agreement, figures } = status;
  const alike = status.nearDuplicates;
  const reasons = Object.entries(parked).map(([reason, count]) => `${reason} ${count}`);
  return [
    section('status', `Dataset ${dataset}`, {
      words: [
        `dataset ${dataset}: ${condition}, ${counted(items, 'item')}, ${calls} model calls, ${dollars(spent.usd)}, ${spent.tokens} tokens`,
        reasons.length > 0 && `parked: ${reasons.join(', ')}`,
        agreement.map(agreementText),
        alike.length > 0 &&
          `${counted(alike.length, 'pair')} of questions that say nearly the same`,
        figures.size === 0 && 'no item is done',
      ],
      tables: [
        listOf(
          'Items by state',
          ['state', 'items'],
          Object.entries(states).flatMap(([state, count]) =>
            count > 0 ? [[toned(state, state === 'parked' && 'warning'), String(count)]] : [],
          ),
        ),
        figuresOf(
          'Questions that say nearly the same',
          ['nearly the same', 'as', 'similarity'],
          alike.map(({ a, b, similarity }) => [a, b, similarity.toFixed(2)]),
          2,
        ),
      ].map(unlessEmpty),
    }),
    ...(figures.size === 0 ? [] : [{ ...datasetTable(figures), notes: [publishedNote] }]),
  ];
}

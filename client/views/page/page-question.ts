import { anyValueText, type Action, type AnyValue } from '../../../domain/agent/actions/action.js';
import type { ToolOutcome } from '../../../domain/agent/observations/tool-outcome.js';
import type { Outcome } from '../../../domain/agent/question-result.js';
import type {
  ObservationRecord,
  Picture,
  ReplyRecord,
  StoredTurn,
} from '../../../domain/agent/turn-record.js';
import { exactJson } from '../../../domain/formats/json.js';
import type { SampleKey } from '../../../domain/ids.js';
import { contentText, openingOf, type Message } from '../../../domain/models/chat-message.js';
import type { Usage } from '../../../domain/models/usage.js';
import type { Note } from '../../../domain/runs/run-manifest.js';
import { verdictOf, type RunAnswer } from '../../../domain/scoring/answer.js';
import {
  evaluatorOf,
  type Evaluator,
  type Category,
} from '../../../domain/scoring/dataset-item.js';
import type { Verdict } from '../../../domain/scoring/verdict.js';
import type { StoredPaper } from '../../../domain/stores/store-manifest.js';
import { questionRemarks } from '../trajectory-text.js';
import { goldText } from './markup.js';
import type {
  AnswerTrace,
  MeasuredText,
  TracedQuery,
} from '../../../domain/agent/database-qa/answer-trace.js';
import { readCsv } from '../../../domain/formats/csv.js';
import {
  panelResult,
  subTasks,
  type PanelResult,
  type ReviewedPanel,
} from '../../../domain/scoring/review/panel.js';

/** A question in one epoch, as JSON for the page's script. */
export interface PageQuestion extends SampleKey {
  readonly run: string;
  readonly question: string;
  readonly answerFormat: string;
  readonly tags: readonly string[];
  /** The ids of those that it is about. */
  readonly papers: readonly string[];
  /** By id, those that it and its observations name, as far as the store has them. */
  readonly paperNames: Readonly<Record<string, Pick<StoredPaper, 'file' | 'title'>>>;
  /** What readers have noted on it, the oldest first. */
  readonly notes: readonly Note[];
  /** What people have ruled on it, and why its result is open for a ruling. */
  readonly rulings: readonly string[];
  /** The store whose papers have pages that can be opened; null in a report. */
  readonly store: string | null;
  /** Null if the item has none. */
  readonly gold: string | null;
  /** Null if the item names no evaluator. */
  readonly evaluator: { readonly name: string; readonly options: string } | null;
  readonly verdict: Verdict | null;
  /** Null if the question has not ended. */
  readonly end: PageEnd | null;
  /** What the model was sent before its first reply. Empty until the question has ended. */
  readonly opening: readonly PageMessage[];
  readonly turns: readonly PageTurn[];
  /** Null unless the answer is over a database. */
  readonly database: PageDatabaseAnswer | null;
}

interface PageMessage {
  readonly role: string;
  readonly text: string;
}

interface PageEnd {
  readonly outcome: Outcome;
  readonly answer: string | null;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly ms: number;
  /** What is to be known of the answer, and of how it was looked for. */
  readonly remarks: readonly string[];
}

export interface PageTurn {
  readonly turn: number;
  readonly thought: string;
  /** Null if the reply could not be read; `error` gives the reason. */
  readonly action: PageAction | null;
  readonly error: string | null;
  /** The latest turn in the model's window with the same action; null if there is none. */
  readonly repeats: number | null;
  /** The reply as received. */
  readonly raw: string;
  readonly reasoning: string | null;
  readonly model: string | null;
  readonly tokens: ReplyRecord['tokens'];
  readonly costUsd: number | null;
  readonly cacheHit: boolean;
  readonly retries: number;
  /** The duration of the successful attempt. */
  readonly modelMs: number;
  /** Null if the question ended before the observation. */
  readonly observation: PageObservation | null;
}

interface PageAction {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

export interface PageObservation {
  readonly text: string;
  /** The duration of the tool; null if no tool was called or its duration is not stored. */
  readonly toolMs: number | null;
  readonly outcome: ToolOutcome | null;
  /** Index in the page's pictures; null if there is no picture, or the page does not contain it. */
  readonly picture: number | null;
  /** A description of a picture that the page does not contain. */
  readonly pictureLabel: string | null;
}

/** Adds a picture to the page and returns its index; null if the page does not contain it. */
export type PlacePicture = (picture: Picture) => number | null;

export const pageQuestion = (
  run: string,
  { uuid, epoch, item, result, score }: RunAnswer,
  turns: readonly PageTurn[],
  stored: ReadonlyMap<string, StoredPaper>,
  database: PageDatabaseAnswer | null = null,
  messages: readonly Message[] = [],
  notes: readonly Note[] = [],
  rulings: readonly string[] = [],
): PageQuestion => ({
  run,
  uuid,
  epoch,
  question: item.question,
  answerFormat: item.answer_format,
  tags: item.tags,
  papers: item.anchor_pdf,
  paperNames: namesIn(
    [...item.anchor_pdf, ...turns.map(({ observation }) => observation?.text ?? '')],
    stored,
  ),
  notes,
  rulings,
  store: null,
  gold: item.referenceAnswer ?? goldOf(evaluatorOf(item)),
  evaluator: pageEvaluator(evaluatorOf(item)),
  verdict: verdictOf({ score }),
  end: result && {
    outcome: result.outcome,
    answer: result.answer,
    usage: result.usage,
    costUsd: result.costUsd,
    ms: Date.parse(result.endedAt) - Date.parse(result.startedAt),
    remarks: questionRemarks(result.tools),
  },
  opening: openingOf(messages).map(({ role, content }) => ({ role, text: contentText(content) })),
  turns,
  database,
});

const paperId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function namesIn(
  texts: readonly string[],
  stored: ReadonlyMap<string, StoredPaper>,
): PageQuestion['paperNames'] {
  const named = texts.flatMap((text) => text.match(paperId) ?? []);
  return Object.fromEntries(
    [...new Set(named)].flatMap((id) => {
      const paper = stored.get(id);
      return paper ? [[id, { file: paper.file, title: paper.title }]] : [];
    }),
  );
}

const goldOf = (evaluator: Evaluator | undefined): string | null =>
  evaluator === undefined ? null : goldText(evaluator);

const pageEvaluator = (evaluator: Evaluator | undefined): PageQuestion['evaluator'] =>
  evaluator === undefined
    ? null
    : {
        name: evaluator.eval_func,
        options: exactJson(evaluator.eval_kwargs, 1),
      };

export function pageTurn({ reply, observation }: StoredTurn, place: PlacePicture): PageTurn {
  const { reading } = reply;
  return {
    turn: reply.turn,
    thought: reading.kind === 'action' ? reading.thought : '',
    action: reading.kind === 'action' ? pageAction(reading.action) : null,
    error: reading.kind === 'error' ? reading.error : null,
    repeats: reply.repeats ?? null,
    raw: reply.toolCalls ? `${reply.raw}\n${JSON.stringify(reply.toolCalls, null, 1)}` : reply.raw,
    reasoning: reply.reasoning ?? null,
    model: reply.model,
    tokens: reply.tokens,
    costUsd: reply.costUsd,
    cacheHit: reply.cacheHit,
    retries: reply.retries,
    modelMs: Date.parse(reply.endedAt) - Date.parse(reply.startedAt),
    observation: observation && pageObservation(observation, place),
  };
}

function pageObservation(
  { content, facts, image }: ObservationRecord,
  place: PlacePicture,
): PageObservation {
  const picture = image ? place(image) : null;
  return {
    text: content,
    toolMs: facts?.ms ?? null,
    outcome: facts?.outcome ?? null,
    picture,
    pictureLabel: image && picture === null ? labelOf(image) : null,
  };
}

const labelOf = ({ mimeType, base64 }: Picture): string =>
  `${mimeType}, ${Math.round((base64.length * 3) / 4 / 1024)} KB`;

function pageAction(action: Action): PageAction {
  if (action.kind === 'PluginAction') {
    const { name, fields } = action;
    return {
      name,
      fields: fields.map((each) => ({ name: each.name, value: anyValueText(each.value) })),
    };
  }
  const { kind, ...fields } = action;
  return {
    name: kind,
    fields: Object.entries<string | AnyValue | undefined>(fields).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [{ name, value: typeof value === 'string' ? value : anyValueText(value) }],
    ),
  };
}

/** How an answer over a database came about, and its panels, as JSON for the page's script. */
export interface PageDatabaseAnswer {
  readonly method: string;
  readonly category: Category | null;
  readonly stoppedBy: AnswerTrace['stoppedBy'];
  readonly plan: MeasuredText;
  readonly queries: readonly PageQuery[];
  readonly answer: MeasuredText;
  /** In the order of the sub-tasks. */
  readonly panels: readonly PagePanel[];
}

export interface PageQuery extends TracedQuery {
  /** The result as the model was shown it; null if it is no table. */
  readonly table: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
    readonly note: string;
  } | null;
}

export interface PagePanel extends Pick<
  ReviewedPanel,
  'subTask' | 'reviewers' | 'metaReviewers' | 'reversed'
> {
  readonly outcome: PanelResult;
}

export const pageDatabaseAnswer = (
  { method, stoppedBy, plan, queries, answer }: AnswerTrace,
  category: Category | null,
  panels: readonly ReviewedPanel[],
): PageDatabaseAnswer => ({
  ...{ method, category, stoppedBy, plan, answer },
  queries: queries.map((query) => ({ ...query, table: resultTable(query) })),
  panels: subTasks.flatMap((subTask) => {
    const panel = panels.findLast((each) => each.subTask === subTask);
    return panel === undefined ? [] : [{ ...panel, outcome: panelResult(panel) }];
  }),
});

/** The line after the rows that states what was cut. */
const noteLine = /\n(\(.*\))$/;

function resultTable({ status, shown, shownRows }: TracedQuery): PageQuery['table'] {
  if (status !== 'rows') return null;
  const note = noteLine.exec(shown)?.[1] ?? '';
  const csv = readCsv(shown.replace(noteLine, ''), ',');
  if (csv.kind === 'problem') return null;
  const [columns, ...rows] = csv.records.map(({ cells }) => cells);
  const isWhole = rows.length === shownRows && rows.every((row) => row.length === columns?.length);
  return columns && isWhole ? { columns, rows, note } : null;
}

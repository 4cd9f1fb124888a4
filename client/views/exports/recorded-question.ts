import { parametersOf } from '../../../domain/agent/actions/action-object.js';
import type { Action } from '../../../domain/agent/actions/action.js';
import { requestMessages, windowMessages } from '../../../domain/agent/conversation.js';
import {
  iterativeMessages,
  iterativeOpening,
} from '../../../domain/agent/iterative-conversation.js';
import { methods } from '../../../domain/agent/methods.js';
import type { QuestionContext } from '../../../domain/agent/question-context.js';
import type { FinishedTurn } from '../../../domain/agent/turn-record.js';
import type { Result } from '../../../domain/agent/question-result.js';
import {
  finishedTurn,
  type ReplyRecord,
  type StoredTurn,
} from '../../../domain/agent/turn-record.js';
import { firstTurnInWindow } from '../../../domain/agent/turn-request.js';
import { jsonDumps } from '../../../domain/formats/python/json.js';
import type { ChatMessage } from '../../../domain/models/chat-message.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import type { Score } from '../../../domain/scoring/score.js';

/** The parameters of an action as JSON; under `written` as they are where a model wrote a number that JSON has none of. */
export function actionArguments(action: Action): Readonly<Record<string, unknown>> {
  const written = jsonDumps(parametersOf(action), { indent: null, ascii: false });
  return argumentsIn(written);
}

/** Arguments of a tool call that a model wrote; under `written` where they are no JSON object. */
export function argumentsIn(written: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(written);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : { written };
  } catch {
    return { written };
  }
}

/** What a run's files hold, the turns of its questions apart. */
export interface RunRecords {
  readonly manifest: RunManifest;
  readonly items: readonly DatasetItem[];
  readonly results: readonly Result[];
  readonly scores: readonly Score[];
}

/** One question in one epoch that has ended, with all that its run's files hold of it. */
export interface RecordedQuestion {
  readonly manifest: RunManifest;
  readonly item: DatasetItem;
  readonly result: Result;
  readonly score: Score | null;
  /** Null where its method needs none. */
  readonly questionContext: QuestionContext | null;
  /** In order, from the first. */
  readonly turns: readonly StoredTurn[];
}

/** Its turns; one whose action never came to an end is there without what the model would have been told. */
export const shownTurns = ({ turns }: RecordedQuestion): readonly FinishedTurn[] =>
  turns.map((turn) => finishedTurn(turn) ?? { reply: turn.reply, observation: '' });

/** The model that replied, as its provider names it; as the run asks for it where none did. */
export const modelOf = ({ result, manifest }: RecordedQuestion): string =>
  result.model ?? manifest.config.model.name;

/** What the model was sent in a turn, from 1. A message of text that several turns were sent is the same object in each. */
export function sentMessages(question: RecordedQuestion): (turn: number) => readonly ChatMessage[] {
  const { config } = question.manifest;
  const method = methods[config.method];
  const firstOf = (turn: number): number =>
    firstTurnInWindow(turn, config.windowSize, method.kind) - 1;
  const shown = shownTurns(question);
  if (method.kind !== 'iterative') {
    return (turn) => requestMessages(question, turn, shown.slice(firstOf(turn), turn - 1));
  }
  const opening = iterativeOpening(method, question);
  const turns = iterativeMessages(shown, config);
  return (turn) => windowMessages(opening, turns.slice(firstOf(turn), turn - 1), config);
}

/** The id by which a turn's tool call and its result find each other. */
export const callId = ({ turn, toolCalls }: ReplyRecord): string =>
  toolCalls?.[0]?.id ?? `turn_${turn}`;

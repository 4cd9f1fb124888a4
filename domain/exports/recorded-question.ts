import { methods } from '../methods/methods.js';
import type { ChatMessage } from '../models/chat-message.js';
import type { Briefing } from '../questions/briefing.js';
import { requestMessages, windowMessages, type FinishedTurn } from '../questions/conversation.js';
import type { DatasetItem } from '../questions/dataset-item.js';
import { iterativeMessages, iterativeOpening } from '../questions/iterative-conversation.js';
import type { Result } from '../questions/result.js';
import type { Score } from '../questions/score.js';
import { finishedTurn, type StoredTurn } from '../questions/stored-turn.js';
import type { ReplyRecord } from '../questions/turn-record.js';
import { firstTurnInWindow } from '../questions/window.js';
import type { RunManifest } from '../runs/run-manifest.js';

/** One question in one epoch that has ended, with all that its run's files hold of it. */
export interface RecordedQuestion {
  readonly manifest: RunManifest;
  readonly item: DatasetItem;
  readonly result: Result;
  readonly score: Score | null;
  /** Null where its method needs none. */
  readonly briefing: Briefing | null;
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

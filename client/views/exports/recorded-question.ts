import { parametersOf } from '../../../domain/agent/actions/bind-action.js';
import { nameOfAction } from '../../../domain/agent/actions/action.js';
import {
  requestMessages,
  windowMessages,
  firstTurnInWindow,
} from '../../../domain/agent/conversation.js';
import {
  iterativeMessages,
  iterativeOpening,
} from '../../../domain/agent/iterative-conversation.js';
import { messagesSent } from '../../../domain/agent/own-agent/protocol.js';
import { methodOf } from '../../../domain/agent/methods.js';
import type { QuestionContext } from '../../../domain/agent/question-context.js';
import {
  type FinishedTurn,
  finishedTurn,
  type ReplyRecord,
  type StoredTurn,
} from '../../../domain/agent/turn-record.js';
import type { Result } from '../../../domain/agent/question-result.js';
import { jsonDumps } from '../../../domain/formats/python/json.js';
import type { ChatMessage } from '../../../domain/models/chat-message.js';
import type { RunManifest, Note } from '../../../domain/runs/run-manifest.js';
import type { Execution } from '../../../domain/scoring/execution-match/execution.js';
import type { ReviewedPanel } from '../../../domain/scoring/review/panel.js';
import type { DatabaseRef, DescribedDatabase } from '../../../domain/stores/database.js';
import type { AnswerTrace } from '../../../domain/agent/database-qa/answer-trace.js';
import type { RunAnswer } from '../../../domain/scoring/answer.js';

/** A reply that is exported as a call of a tool. */
interface ToolCallOfTurn {
  readonly name: string;
  /** As a JSON object. A number that JSON cannot express leads to `{ written: TEXT }`. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Whether the tool reads data, and does not compute. */
  readonly reads: boolean;
}

export function toolCallOf(
  reading: Exclude<ReplyRecord['reading'], { readonly kind: 'error' }>,
): ToolCallOfTurn {
  if (reading.kind === 'step') {
    const { kind, ...step } = reading.step;
    return { name: kind, arguments: step, reads: kind === 'queries' };
  }
  const { action } = reading;
  const written = jsonDumps(parametersOf(action), { indent: null, ascii: false });
  const reads = action.kind !== 'CalculateExpr' && action.kind !== 'GenerateAnswer';
  return { name: nameOfAction(action), arguments: argumentsIn(written), reads };
}

/** The arguments of a tool call as a JSON object, or `{ written: TEXT }` if the model wrote none. */
export function argumentsIn(written: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(written);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : { written };
  } catch {
    return { written };
  }
}

/** A question in one epoch, with what the run's files hold of its answer. */
export interface RecordedAnswer extends RunAnswer {
  readonly manifest: RunManifest;
  /** What readers have noted on it. */
  readonly notes: readonly Note[];
  /** How an answer over a database came about; null for others. */
  readonly trace: AnswerTrace | null;
  /** Of the latest review. */
  readonly panels: readonly ReviewedPanel[];
  /** What the SQL of the answer and of its gold returned; null where none was executed. */
  readonly execution: Execution | null;
  /** The database that the question is about, with its tables; null for methods over papers. */
  readonly tables: (DatabaseRef & Pick<DescribedDatabase, 'tables'>) | null;
}

/** An ended question in one epoch, with everything that the run's files hold of it. */
export interface RecordedQuestion extends RecordedAnswer {
  readonly result: Result;
  /** The schema of the question's database; null for methods over papers. */
  readonly database: string | null;
  /** Null if the method needs none. */
  readonly questionContext: QuestionContext | null;
  /** In order, from the first. */
  readonly turns: readonly StoredTurn[];
}

/** The records of a question as the run's files have them, for formats that have no field of their own for each. */
export function recordsOf(question: RecordedQuestion): Readonly<Record<string, unknown>> {
  const { item, result, score, ruling, trace, panels, execution, tables } = question;
  return { item, result, score, ruling, trace, panels, execution, tables };
}

/** All turns. One whose action was not finished has an empty observation. */
export const shownTurns = ({ turns }: RecordedQuestion): readonly FinishedTurn[] =>
  turns.map((turn) => finishedTurn(turn) ?? { reply: turn.reply, observation: '' });

/** The model as the provider names it, or as the run's configuration does if there was no reply. */
export const modelOf = ({ result, manifest }: RecordedQuestion): string =>
  result.model ?? manifest.config.model.name;

/**
 * Returns a function from the number of a turn, counted from 1, to the messages that it sent to the model. A text message
 * that several turns sent is the same object in each.
 */
export function sentMessages(question: RecordedQuestion): (turn: number) => readonly ChatMessage[] {
  const { config } = question.manifest;
  const method = methodOf(config);
  const shown = shownTurns(question);
  const firstOf = (turn: number): number => {
    const windowSize = shown[turn - 1]?.reply.turnsSent ?? config.windowSize;
    return firstTurnInWindow(turn, windowSize, method.kind) - 1;
  };
  if (method.kind === 'program') return (turn) => messagesSent(shown, turn);
  if (method.kind !== 'iterative') {
    return (turn) => requestMessages(question, turn, shown.slice(firstOf(turn), turn - 1));
  }
  const opening = iterativeOpening(method, question);
  const turns = iterativeMessages(shown, config);
  return (turn) => windowMessages(opening, turns.slice(firstOf(turn), turn - 1), config);
}

/** The id that links a turn's tool call with its result. */
export const callId = ({ turn, toolCalls }: ReplyRecord): string =>
  toolCalls?.[0]?.id ?? `turn_${turn}`;

import type { FinishReason, ToolCall } from '../models/chat-message.js';
import type { Strictness } from './actions/action.js';
import { fencedText } from './actions/fenced-text.js';
import { oddReplyErrors, structureError } from './actions/parse-error.js';
import { parseReply, type ParsedReply } from './actions/parse-reply.js';
import { asksGraph, graphQuery } from './conversation.js';
import { readDatabaseReply } from './database-qa/prompts.js';
import { turnLimit, type GraphMethod, type FixedPlan, type ModelPlan } from './turn-plan.js';
import { methodOf } from './methods.js';
import { completed } from './prompts/prompt-texts.js';
import type { QuestionMaterial } from './question-context.js';
import type { FinishedTurn, OddReply, ReplyRecord } from './turn-record.js';

interface Reply {
  readonly content: string;
  readonly finishReason: FinishReason;
  readonly toolCalls?: readonly ToolCall[] | undefined;
}

/**
 * Parses a reply according to the plan of its turn. A fenced answer or SQL statement becomes an action.
 */
export function readReply(
  { content, toolCalls }: Reply,
  plan: Exclude<ModelPlan, { readonly kind: 'database' | 'judgement' | 'program' }>,
  strictness: Strictness,
): ParsedReply {
  switch (plan.kind) {
    case 'action': {
      const { actions, format, protocol } = plan;
      return parseReply(content, { actions, format, protocol, strictness }, toolCalls);
    }
    case 'sql': {
      const sql = fencedText(content, strictness);
      return { kind: 'action', thought: '', action: { kind: 'RetrieveFromDatabase', sql } };
    }
    case 'answer': {
      const answer = { kind: 'text', text: fencedText(content, strictness) } as const;
      return { kind: 'action', thought: '', action: { kind: 'GenerateAnswer', answer } };
    }
  }
}

/** A turn and the finished turns before it. */
export interface TurnMaterial {
  readonly material: QuestionMaterial;
  readonly turn: number;
  /** The finished turns from `firstTurnInWindow` on. */
  readonly turns: readonly FinishedTurn[];
}

/** The parsed reply of a turn that asked a model. A reply that holds nothing is an error, not an empty answer. */
export function readTurn(
  reply: Reply,
  plan: ModelPlan,
  before: TurnMaterial,
): ReplyRecord['reading'] {
  if (plan.kind === 'program') return { kind: 'step', step: { kind: 'reply' } };
  const odd = oddnessOf(reply);
  // A graph's last judgement ends the question, whatever it says.
  if (odd === null || plan.kind === 'judgement') return readWritten(reply, plan, before);
  const error = { kind: 'error', error: oddReplyErrors[odd], odd } as const;
  if (odd !== 'refused' || plan.kind !== 'action') return error;
  // Some models decline in words and act all the same.
  const read = readWritten(reply, plan, before);
  return read.kind === 'error' ? error : read;
}

/** Null for a reply that is to be read. */
function oddnessOf({ content, finishReason, toolCalls = [] }: Reply): OddReply | null {
  if (finishReason === 'refused' || finishReason === 'error') return finishReason;
  if (content.trim() !== '' || toolCalls.length > 0) return null;
  if (finishReason === 'length') return 'cut-off';
  return finishReason === 'filtered' ? 'filtered' : 'empty';
}

function readWritten(
  reply: Reply,
  plan: Exclude<ModelPlan, { readonly kind: 'program' }>,
  before: TurnMaterial,
): ReplyRecord['reading'] {
  if (plan.kind === 'database') return readDatabaseReply(reply, plan.stage, before.turns);
  return plan.kind === 'judgement'
    ? readJudgement(reply, before)
    : readReply(reply, plan, strictnessOf(before));
}

/** The action of a turn that asks no model. */
export function fixedTurn(plan: FixedPlan, before: TurnMaterial): ParsedReply {
  switch (plan.kind) {
    case 'graph-query':
      return queryAction(before);
    case 'graph-answer':
      return answerAction(before.turns.at(-1), before);
  }
}

/**
 * A judge accepts the last answer or asks another question. When no turn is left for another question, the first answer
 * counts, because it answers the original question.
 */
function readJudgement({ content }: Reply, before: TurnMaterial): ParsedReply {
  const { material, turn, turns } = before;
  const { config } = material.manifest;
  const rounds = turns.filter(asksGraph);
  const verdict = fencedText(content, strictnessOf(before));
  if (accepts(verdict, strictnessOf(before))) return answerAction(rounds.at(-1), before);
  if (turn >= turnLimit(methodOf(config), config.maxTurns)) return answerAction(rounds[0], before);
  if (verdict !== '') return queryAction(before, verdict);
  return { kind: 'error', error: structureError('judgement', 'It is empty') };
}

const accepts = (verdict: string, strictness: Strictness): boolean =>
  strictness === 'strict' ? verdict === completed : /^\W*completed\W*$/i.test(verdict);

/** A query of the graph. @param question - the question of the task unless given */
function queryAction({ material }: TurnMaterial, question?: string): ParsedReply {
  const method = methodOf(material.manifest.config) as GraphMethod; // only graph methods have plans that query a graph
  const query = graphQuery(method, material, question);
  return { kind: 'action', thought: '', action: { kind: 'QueryGraph', query } };
}

function answerAction(round: FinishedTurn | undefined, before: TurnMaterial): ParsedReply {
  const text = fencedText(round?.observation ?? '', strictnessOf(before));
  const answer = { kind: 'text', text } as const;
  return { kind: 'action', thought: '', action: { kind: 'GenerateAnswer', answer } };
}

const strictnessOf = ({ material }: TurnMaterial): Strictness =>
  material.manifest.config.strict ? 'strict' : 'tolerant';

/** The number of the latest of `turns` with the same action; undefined when there is none, and for answers. */
export function repeatedTurn(
  reading: ReplyRecord['reading'],
  turns: readonly FinishedTurn[],
): number | undefined {
  if (reading.kind !== 'action' || reading.action.kind === 'GenerateAnswer') return undefined;
  const action = JSON.stringify(reading.action);
  return turns.findLast(
    ({ reply }) =>
      reply.reading.kind === 'action' && JSON.stringify(reply.reading.action) === action,
  )?.reply.turn;
}

import type { FinishReason, ToolCall } from '../models/chat-message.js';
import type { Strictness } from './actions/action.js';
import { fencedText } from './actions/fenced-text.js';
import { cutOffError, structureError } from './actions/parse-error.js';
import { parseReply, type ParsedReply } from './actions/parse-reply.js';
import { asksGraph, graphQuery } from './graph-conversation.js';
import type { GraphMethod } from './method.js';
import { methods } from './methods.js';
import { completed } from './prompts/prompt-texts.js';
import type { QuestionMaterial } from './question-context.js';
import { turnLimit, type FixedPlan, type ModelPlan } from './turn-plan.js';
import type { FinishedTurn, ReplyRecord } from './turn-record.js';

interface Reply {
  readonly content: string;
  readonly finishReason: FinishReason;
  readonly toolCalls?: readonly ToolCall[] | undefined;
}

/**
 * Reads a reply for what its turn asked. An answer or a statement in a fence becomes the action it stands for; nothing
 * at all, because the token limit came first, is no empty answer.
 */
export function readReply(
  { content, finishReason, toolCalls }: Reply,
  plan: Exclude<ModelPlan, { readonly kind: 'judgement' }>,
  strictness: Strictness,
): ParsedReply {
  if (finishReason === 'length' && content === '' && toolCalls === undefined) {
    return { kind: 'error', error: cutOffError };
  }
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

/** A turn that has come so far: all before it is finished. */
export interface TurnMaterial {
  readonly material: QuestionMaterial;
  readonly turn: number;
  /** Those that `firstTurnInWindow` begins with. */
  readonly turns: readonly FinishedTurn[];
}

/** What is done in a turn whose model has replied. */
export function readTurn(reply: Reply, plan: ModelPlan, before: TurnMaterial): ParsedReply {
  return plan.kind === 'judgement'
    ? readJudgement(reply, before)
    : readReply(reply, plan, strictnessOf(before));
}

/** What is done in a turn that asks no model. */
export function fixedTurn(plan: FixedPlan, before: TurnMaterial): ParsedReply {
  switch (plan.kind) {
    case 'graph-query':
      return asking(before);
    case 'graph-answer':
      return answering(before.turns.at(-1), before);
  }
}

/**
 * A judge accepts the last answer or asks another question. Where no turn is left for that, the first answer is taken:
 * it is one to the question itself.
 */
function readJudgement({ content, finishReason }: Reply, before: TurnMaterial): ParsedReply {
  const { material, turn, turns } = before;
  const { method, maxTurns } = material.manifest.config;
  const rounds = turns.filter(asksGraph);
  const said = fencedText(content, strictnessOf(before));
  if (accepts(said, strictnessOf(before))) return answering(rounds.at(-1), before);
  if (turn >= turnLimit(methods[method], maxTurns)) return answering(rounds[0], before);
  if (said !== '') return asking(before, said);
  const error =
    finishReason === 'length' ? cutOffError : structureError('judgement', 'It is empty');
  return { kind: 'error', error };
}

const accepts = (said: string, strictness: Strictness): boolean =>
  strictness === 'strict' ? said === completed : /^\W*completed\W*$/i.test(said);

/** A query of the graph; for the task's own question where there is no other. */
function asking({ material }: TurnMaterial, question?: string): ParsedReply {
  const method = methods[material.manifest.config.method] as GraphMethod; // only its plans ask a graph
  const query = graphQuery(method, material, question);
  return { kind: 'action', thought: '', action: { kind: 'QueryGraph', query } };
}

function answering(round: FinishedTurn | undefined, before: TurnMaterial): ParsedReply {
  const text = fencedText(round?.observation ?? '', strictnessOf(before));
  const answer = { kind: 'text', text } as const;
  return { kind: 'action', thought: '', action: { kind: 'GenerateAnswer', answer } };
}

const strictnessOf = ({ material }: TurnMaterial): Strictness =>
  material.manifest.config.strict ? 'strict' : 'tolerant';

/** The latest of `turns` that took this very action; undefined where none did. An answer repeats nothing. */
export function repeatedTurn(
  reading: ReplyRecord['reading'],
  turns: readonly FinishedTurn[],
): number | undefined {
  if (reading.kind === 'error' || reading.action.kind === 'GenerateAnswer') return undefined;
  const taken = JSON.stringify(reading.action);
  return turns.findLast(
    ({ reply }) =>
      reply.reading.kind === 'action' && JSON.stringify(reply.reading.action) === taken,
  )?.reply.turn;
}

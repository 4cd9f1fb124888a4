import { fencedText } from '../actions/fenced-text.js';
import { cutOffError } from '../actions/parse-error.js';
import { parseReply, type ParsedReply } from '../actions/parse-reply.js';
import type { Strictness } from '../actions/strictness.js';
import type { ModelPlan } from '../methods/turn-plan.js';
import type { FinishReason } from '../models/finish-reason.js';
import type { ToolCall } from '../models/tool.js';

export interface Reply {
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

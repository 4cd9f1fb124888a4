import { actionFormatNames } from '../../domain/actions/action-format-names.js';
import { actionNames, type ActionName } from '../../domain/actions/action.js';
import type { ModelPlan } from '../../domain/methods/turn-plan.js';
import { acceptance } from '../../domain/prompts/graph-prompts.js';
import type { ChatRequest } from './chat-request.js';

/**
 * What a request asks its model to write, read as a model reads it: from the tools, the code fence that the prompt ends
 * with, or the specifications of the actions. Where nothing is said, any action in Markdown.
 */
export function wantedTurn({ tools }: Pick<ChatRequest, 'tools'>, prompt: string): ModelPlan {
  if (tools?.length) {
    const names = tools.map((tool) => tool.function.name);
    return { kind: 'action', actions: knownAmong(names), format: 'tools', protocol: 'react' };
  }
  if (prompt.includes(acceptance)) return { kind: 'judgement' };
  const fence = lastMatch(prompt, /^```(txt|sql|json)$/gm);
  if (fence === 'txt') return { kind: 'answer' };
  if (fence === 'sql') return { kind: 'sql' };
  const specified = [...prompt.matchAll(/^### Action Type\n(\w+)$/gm)].map(([, name = '']) => name);
  const title = lastMatch(prompt, /^### Syntax and Parameters \((\w+) Format\)$/gm)?.toLowerCase();
  return {
    kind: 'action',
    actions: specified.length === 0 ? actionNames : knownAmong(specified),
    format: actionFormatNames.find((name) => name === title) ?? 'markdown',
    protocol: fence === undefined ? 'react' : 'code_block',
  };
}

const knownAmong = (names: readonly string[]): readonly ActionName[] =>
  actionNames.filter((name) => names.includes(name));

const lastMatch = (text: string, pattern: RegExp): string | undefined =>
  [...text.matchAll(pattern)].at(-1)?.[1];

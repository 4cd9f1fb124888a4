import { parametersOf } from '../../domain/actions/action-object.js';
import { answerText, mainArgument } from '../../domain/actions/action.js';
import { assistantMessage } from '../../domain/actions/render-turn.js';
import type { ModelPlan } from '../../domain/methods/turn-plan.js';
import { jsonDumps } from '../../domain/python/json.js';
import type { Said } from './next-reply.js';

/** The message of a completion, as OpenAI writes it. */
export interface ReplyMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/**
 * What is said, in the form that was asked for.
 * @param key - of the request; names the call of a tool
 */
export function replyMessage(said: Said, plan: ModelPlan, key: string): ReplyMessage {
  if (said.kind === 'text') return { content: said.text };
  const { thought, action } = said;
  if (plan.kind !== 'action') {
    const [language, text] =
      action.kind === 'GenerateAnswer'
        ? ['txt', answerText(action)]
        : ['sql', mainArgument(action)];
    return { content: `${thought}\n\n\`\`\`${language}\n${text}\n\`\`\`` };
  }
  const { format, protocol } = plan;
  if (format !== 'tools') {
    const reading = { kind: 'action', thought, action } as const;
    return { content: assistantMessage(reading, '', { format, protocol, strictness: 'tolerant' }) };
  }
  const call = {
    name: action.kind,
    arguments: jsonDumps(parametersOf(action), { indent: null, ascii: false }),
  };
  return {
    content: thought,
    tool_calls: [{ id: `call_simulated_${key}`, type: 'function', function: call }],
  };
}

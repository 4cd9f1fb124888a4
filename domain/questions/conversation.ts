import { renderActionSpace } from '../actions/action-specs.js';
import type { DatasetItem } from './dataset-item.js';
import type { Message } from './message.js';
import { methods } from '../methods/methods.js';
import { fillPrompt } from '../prompts/fill-prompt.js';
import { taskMessage } from '../prompts/task-message.js';
import { assistantMessage, observationMessage } from '../actions/render-turn.js';
import type { RunManifest } from '../runs/run-manifest.js';
import type { ReplyRecord } from './turn-record.js';

/** A turn that is over: what the model said and what it was told in return. */
export interface FinishedTurn {
  readonly reply: ReplyRecord;
  readonly observation: string;
}

/** The system and task messages: the same for every turn, and wholly determined by manifest and item. */
export function openingMessages(
  { config, store }: Pick<RunManifest, 'config' | 'store'>,
  item: DatasetItem,
): readonly Message[] {
  const method = methods[config.method];
  return [
    {
      role: 'system',
      content: fillPrompt(method.system, {
        actionSpace: renderActionSpace(method.actions, 'markdown'),
        maxTurns: String(config.maxTurns),
      }),
    },
    { role: 'user', content: taskMessage(item, method.schemaBlocks(store)) },
  ];
}

/** The whole conversation, as it is exported; `windowMessages` cuts it to what the model is sent. */
export function conversation(
  opening: readonly Message[],
  turns: readonly FinishedTurn[],
): readonly Message[] {
  return [
    ...opening,
    ...turns.flatMap(({ reply, observation }): Message[] => [
      { role: 'assistant', content: assistantMessage(reply.reading, reply.raw) },
      { role: 'user', content: observationMessage(observation) },
    ]),
  ];
}

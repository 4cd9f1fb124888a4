import { jsonDumps } from '../formats/python/json.js';
import type { ChatMessage } from '../models/chat-message.js';
import { parametersOf } from './actions/action-object.js';
import { nameOfAction } from './actions/action.js';
import { assistantMessage, observationMessage } from './actions/render-turn.js';
import type { IterativeMethod } from './method.js';
import { iterativeSystemMessage } from './prompts/method-prompts.js';
import { lastTurnNote, repeatedActionNote, turnsLeftNote } from './prompts/prompt-texts.js';
import { schemaBlock, taskMessage } from './prompts/task-message.js';
import { storeOf, type QuestionMaterial } from './question-context.js';
import type { FinishedTurn } from './turn-record.js';
import { mustAnswer, type TurnSettings } from './turn-plan.js';
import { pictureUrl, type Picture } from './turn-record.js';

/** The system and task messages. They depend on manifest and item only, so they are equal in every turn. */
export function iterativeOpening(
  method: IterativeMethod,
  { manifest, item }: QuestionMaterial,
): readonly ChatMessage[] {
  const schemas = method.schemas.map((block) => schemaBlock(block, storeOf(manifest)));
  const task = taskMessage(item, { kind: method.about === 'tables' ? 'none' : 'ids' }, schemas);
  return [
    { role: 'system', content: iterativeSystemMessage(method, manifest.config) },
    { role: 'user', content: mustAnswer(1, manifest.config) ? `${task}\n${lastTurnNote}` : task },
  ];
}

/** The messages of each turn. With action format `tools` an action is a tool call and its observation the tool's result. */
export const iterativeMessages = (
  turns: readonly FinishedTurn[],
  settings: TurnSettings,
): readonly (readonly ChatMessage[])[] => turns.map((turn) => turnMessages(turn, settings));

function turnMessages(turn: FinishedTurn, settings: TurnSettings): readonly ChatMessage[] {
  const { reading, raw } = turn.reply;
  const notes = notesAfter(turn, settings);
  if (settings.actionFormat === 'tools' && reading.kind === 'action') {
    return toolMessages(turn, reading, notes);
  }
  const observation = [observationMessage(turn.observation), ...notes].join('\n');
  const written = assistantMessage(reading, raw === '' ? textForEmptyReply(turn) : raw, {
    format: settings.actionFormat,
    protocol: 'react',
    strictness: settings.strict ? 'strict' : 'tolerant',
  });
  return [
    { role: 'assistant', content: written },
    turn.image ? pictureMessage(observation, turn.image) : { role: 'user', content: observation },
  ];
}

function toolMessages(
  { reply, observation, image }: FinishedTurn,
  reading: Extract<FinishedTurn['reply']['reading'], { readonly kind: 'action' }>,
  notes: readonly string[],
): readonly ChatMessage[] {
  const id = reply.toolCalls?.[0]?.id ?? `turn_${reply.turn}`;
  const call = {
    name: nameOfAction(reading.action),
    arguments: jsonDumps(parametersOf(reading.action), { indent: null, ascii: false }),
  };
  return [
    {
      role: 'assistant',
      content: reading.thought,
      tool_calls: [{ id, type: 'function', function: call }],
    },
    { role: 'tool', tool_call_id: id, content: [observation, ...notes].join('\n') },
    // A tool message holds text only.
    ...(image ? [pictureMessage(observationMessage(observation), image)] : []),
  ];
}

const pictureMessage = (text: string, picture: Picture): ChatMessage => ({
  role: 'user',
  content: [
    { type: 'text', text },
    { type: 'image_url', image_url: { url: pictureUrl(picture) } },
  ],
});

/**
 * The message for a reply without text, because several servers refuse an empty message. An unreadable tool call is written
 * as text, because a request may repeat valid tool calls only.
 */
const textForEmptyReply = ({ reply: { toolCalls } }: FinishedTurn): string =>
  toolCalls === undefined
    ? '(cut off)'
    : toolCalls.map(({ name, argumentsText }) => `${name} ${argumentsText}`).join('\n');

/** The notes below an observation. There are none in strict mode and after an answer. */
function notesAfter({ reply }: FinishedTurn, settings: TurnSettings): readonly string[] {
  const { turn, reading, repeats } = reply;
  const answered = reading.kind === 'action' && reading.action.kind === 'GenerateAnswer';
  const turnsLeft = settings.maxTurns - turn;
  if (settings.strict || answered || turnsLeft < 1) return [];
  return [
    ...(repeats === undefined ? [] : [repeatedActionNote(repeats)]),
    mustAnswer(turn + 1, settings) ? lastTurnNote : turnsLeftNote(turnsLeft),
  ];
}

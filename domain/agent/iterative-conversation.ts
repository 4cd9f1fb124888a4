import { jsonDumps } from '../formats/python/json.js';
import type { ChatMessage } from '../models/chat-message.js';
import { toldBy } from '../models/prompt-file.js';
import { parametersOf } from './actions/bind-action.js';
import { nameOfAction } from './actions/action.js';
import { assistantMessage, observationMessage } from './actions/parse-reply.js';
import { mustAnswer, type IterativeMethod, type TurnSettings } from './turn-plan.js';
import { iterativeSystemMessage, schemaBlock, taskMessage } from './prompts/method-prompts.js';
import { noteTexts } from './prompts/prompt-texts.js';
import { storeOf, type QuestionMaterial } from './question-context.js';
import { type FinishedTurn, pictureUrl, type Picture } from './turn-record.js';

/** The system and task messages. They depend on manifest and item only, so they are equal in every turn. */
export function iterativeOpening(
  method: IterativeMethod,
  { manifest, item }: QuestionMaterial,
): readonly ChatMessage[] {
  const schemas = method.schemas.map((block) =>
    schemaBlock(block, storeOf(manifest), manifest.config),
  );
  const task = taskMessage(
    item,
    { kind: method.about === 'tables' ? 'none' : 'ids' },
    schemas,
    manifest.config,
  );
  const { config, store } = manifest;
  const told = toldBy(noteTexts, config.prompts);
  const system = iterativeSystemMessage(method, config, store ?? { collections: [] });
  return [
    { role: 'system', content: system },
    {
      role: 'user',
      content: mustAnswer(1, config) ? `${task}\n${told('note.last-turn')}` : task,
    },
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
  const observations = turn.ofCalls ?? [turn.observation];
  const observation = [...observations.map(observationMessage), ...notes].join('\n');
  const style = {
    format: settings.actionFormat,
    protocol: 'react',
    strictness: settings.strict ? 'strict' : 'tolerant',
  } as const;
  const text = raw === '' ? textForEmptyReply(turn) : raw;
  const written = eachAction(reading).map((each) => assistantMessage(each, text, style));
  return [
    { role: 'assistant', content: written.join('\n') },
    turn.image ? pictureMessage(observation, turn.image) : { role: 'user', content: observation },
  ];
}

type Reading = FinishedTurn['reply']['reading'];

/** One reading for each of several tool calls that can be repeated, the thought before the first. */
function eachAction(reading: Reading): readonly Reading[] {
  if (reading.kind !== 'action' || reading.calls === undefined) return [reading];
  return reading.calls
    .filter((call) => call.kind === 'action')
    .map(({ action }, index) => ({
      kind: 'action',
      thought: index === 0 ? reading.thought : '',
      action,
    }));
}

/** A tool call and its result; a call that could not be read is no valid part of a request, and is told of with the last result. */
function toolMessages(
  { reply, observation, ofCalls, image }: FinishedTurn,
  reading: Extract<Reading, { readonly kind: 'action' }>,
  notes: readonly string[],
): readonly ChatMessage[] {
  const id = reply.toolCalls?.[0]?.id ?? `turn_${reply.turn}`;
  const calls = reading.calls ?? [{ kind: 'action', id, action: reading.action }];
  const told = ofCalls ?? [observation];
  const made = calls.flatMap((call, index) =>
    call.kind === 'action' ? [{ ...call, content: told[index] ?? observation }] : [],
  );
  const unread = calls.flatMap((call, index) =>
    call.kind === 'error' ? [told[index] ?? call.error] : [],
  );
  return [
    {
      role: 'assistant',
      content: reading.thought,
      tool_calls: made.map((call) => ({
        id: call.id,
        type: 'function',
        function: {
          name: nameOfAction(call.action),
          arguments: jsonDumps(parametersOf(call.action), { indent: null, ascii: false }),
        },
      })),
    },
    ...made.map((call, index): ChatMessage => ({
      role: 'tool',
      tool_call_id: call.id,
      content: [call.content, ...(index === made.length - 1 ? [...unread, ...notes] : [])].join(
        '\n',
      ),
    })),
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
  const told = toldBy(noteTexts, settings.prompts);
  return [
    ...(repeats === undefined ? [] : [told('note.repeated-action', { turn: String(repeats) })]),
    mustAnswer(turn + 1, settings)
      ? told('note.last-turn')
      : told('note.turns-left', { left: String(turnsLeft) }),
  ];
}

import { placeSystemMessage, type ChatMessage } from '../chat-message.js';
import type { ChatRequest } from '../chat-request.js';
import { jsonIn } from '../../formats/json.js';

/** Messages for an API that takes the instructions by themselves, and user and model in turn. */
export interface Turns<Block> {
  readonly system: readonly ChatMessage[];
  readonly turns: readonly { readonly isModel: boolean; readonly blocks: readonly Block[] }[];
}

/** Neighbours of one side become one turn, as results of tools must. A message without any block is left out. */
export function turnsOf<Block>(
  { messages, systemRole }: Pick<ChatRequest, 'messages' | 'systemRole'>,
  blocksOf: (message: ChatMessage) => readonly Block[],
): Turns<Block> {
  const placed = placeSystemMessage(messages, systemRole);
  const system = placed.filter(isInstruction);
  const turns: { readonly isModel: boolean; readonly blocks: Block[] }[] = [];
  for (const message of placed) {
    if (isInstruction(message)) continue;
    const isModel = message.role === 'assistant';
    const blocks = blocksOf(message);
    const last = turns.at(-1);
    if (last?.isModel === isModel) last.blocks.push(...blocks);
    else if (blocks.length > 0) turns.push({ isModel, blocks: [...blocks] });
  }
  return { system, turns };
}

const isInstruction = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

/** The arguments of a tool call as an object, which these APIs require; invalid ones as the text that they are. */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : { arguments: text };
}

/** The type and the bytes of a picture in a data URL; null for an address. */
export function inlinePicture(
  url: string,
): { readonly type: string; readonly base64: string } | null {
  const [, type, base64] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  return type === undefined || base64 === undefined ? null : { type, base64 };
}

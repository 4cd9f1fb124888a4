import type { MessageContent } from '../questions/message.js';
import { partsOf, type ChatMessage } from './chat-message.js';
import type { ModelSettings } from './model-entry.js';

/** The messages with what the system has to say where a model will read it. */
export function placeSystemMessage(
  messages: readonly ChatMessage[],
  systemRole: ModelSettings['systemRole'],
): readonly ChatMessage[] {
  if (systemRole === 'system') return messages;
  if (systemRole !== 'merged') {
    return messages.map((message) =>
      message.role === 'system' ? { ...message, role: systemRole } : message,
    );
  }
  const head = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const others = messages.filter(({ role }) => role !== 'system');
  const [first, ...later] = others;
  if (first?.role === 'user') {
    return [{ role: 'user', content: [...head, first.content].reduce(joined) }, ...later];
  }
  return [...head.map((content): ChatMessage => ({ role: 'user', content })), ...others];
}

function joined(a: MessageContent, b: MessageContent): MessageContent {
  if (typeof a === 'string' && typeof b === 'string') return `${a}\n\n${b}`;
  return [...partsOf(a), ...partsOf(b)];
}

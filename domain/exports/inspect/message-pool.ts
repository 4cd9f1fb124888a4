import type { ChatMessage } from '../../models/chat-message.js';
import { inspectMessage } from './inspect-message.js';
import type { InspectObject } from './inspect-object.js';

/** Where messages are in a pool; a range leaves out its end. */
export type MessageRanges = readonly (readonly [number, number])[];

/** Messages that many model calls of a question repeat, each kept once: Inspect's events point at them. */
export class MessagePool {
  readonly messages: InspectObject[] = [];
  readonly #places = new Map<string, number>();
  /** Of those that came before: to look at a long message again takes longer than all else about it. */
  readonly #known = new Map<ChatMessage, number>();

  refs(messages: readonly ChatMessage[]): MessageRanges {
    const ranges: [number, number][] = [];
    for (const message of messages) {
      const place = this.#known.get(message) ?? this.#place(inspectMessage(message));
      this.#known.set(message, place);
      const last = ranges.at(-1);
      if (last?.[1] === place) last[1] = place + 1;
      else ranges.push([place, place + 1]);
    }
    return ranges;
  }

  #place(message: InspectObject): number {
    const key = JSON.stringify(message);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.messages.length);
    return this.messages.push(message) - 1;
  }
}

import { once } from 'node:events';
import { contentText } from '../../domain/questions/message.js';
import type { ModelPort, ModelReply, ModelRequest } from '../../activities/ports/model.js';

/** Answers every question in one turn with its own text; those that are held wait to be released. */
export class SteeredModel implements ModelPort {
  /** Texts of questions, in the order in which they came. */
  readonly asked: string[] = [];
  readonly #held = new Set<string>();
  readonly #news = new EventTarget();

  readonly complete = async (
    { messages }: ModelRequest,
    signal: AbortSignal,
  ): Promise<ModelReply> => {
    const question =
      /^\[Question\]: (.+)$/m.exec(contentText(messages[1]?.content ?? ''))?.[1] ?? '';
    this.asked.push(question);
    this.#tell();
    while (this.#held.has(question)) await once(this.#news, 'news', { signal });
    return {
      content: `[Thought]: It is short.\n[Action]: GenerateAnswer(answer=${JSON.stringify(question)})`,
      finishReason: 'stop',
      model: 'steered-model',
      tokens: null,
    };
  };

  async untilAsked(question: string): Promise<void> {
    while (!this.asked.includes(question)) await once(this.#news, 'news');
  }

  hold(...questions: readonly string[]): void {
    for (const question of questions) this.#held.add(question);
  }

  release(...questions: readonly string[]): void {
    for (const question of questions) this.#held.delete(question);
    this.#tell();
  }

  releaseAll(): void {
    this.#held.clear();
    this.#tell();
  }

  #tell(): void {
    this.#news.dispatchEvent(new Event('news'));
  }
}

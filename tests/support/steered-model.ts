import { once } from 'node:events';
import { contentText } from '../../domain/questions/message.js';
import type { ModelPort, ModelReply, ModelRequest } from '../../activities/ports/model.js';

/** What every call comes to, as the model counts it. */
export const steeredTokens = { prompt: 1000, completion: 50, cached: 0, reasoning: 0 } as const;

/** Answers every question with its own text, unless it is told otherwise; those that are held wait to be released. */
export class SteeredModel implements ModelPort {
  /** Texts of questions, in the order in which they came. */
  readonly asked: string[] = [];
  readonly #held = new Set<string>();
  readonly #stumbling = new Set<string>();
  readonly #failures = new Map<string, readonly Error[]>();
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
    const [failure, ...later] = this.#failures.get(question) ?? [];
    if (failure) {
      this.#failures.set(question, later);
      throw failure;
    }
    const answer = `[Thought]: It is short.\n[Action]: GenerateAnswer(answer=${JSON.stringify(question)})`;
    return {
      content: this.#stumbling.delete(question) ? 'Well.' : answer,
      finishReason: 'stop',
      model: 'steered-model',
      tokens: steeredTokens,
    };
  };

  /** Until it has been asked that often. */
  async untilAsked(question: string, times = 1): Promise<void> {
    while (this.asked.filter((other) => other === question).length < times) {
      await once(this.#news, 'news');
    }
  }

  /** Of each, the next reply that is given cannot be read. */
  stumble(...questions: readonly string[]): void {
    for (const question of questions) this.#stumbling.add(question);
  }

  /** The next calls for a question fail so, one after the other. */
  fail(question: string, ...failures: readonly Error[]): void {
    this.#failures.set(question, failures);
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

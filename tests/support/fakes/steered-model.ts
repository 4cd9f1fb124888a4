import { once } from 'node:events';
import { contentText } from '../../../domain/models/chat-message.js';
import { readDelimited } from '../../../domain/scoring/delimited-sections.js';
import type { ModelPort, ModelReply, ModelRequest } from '../../../activities/ports/model.js';
import { saysTrue } from '../runs/judged.js';

/** What every call comes to, as the model counts it. */
export const steeredTokens = { prompt: 1000, completion: 50, cached: 0, reasoning: 0 } as const;

/** How what a judge is asked about a question's answer is called. */
export const judging = (question: string, judge: string): string => `${judge} on ${question}`;

/**
 * Answers every question with its own text, unless it is told otherwise; those that are held wait to be released. As a
 * judge it finds every answer right, and what is held or fails is called as `judging` calls it.
 */
export class SteeredModel implements ModelPort {
  /** Texts of questions, in the order in which they came. */
  readonly asked: string[] = [];
  /** From which of its calls on each is held. */
  readonly #held = new Map<string, number>();
  readonly #stumbling = new Set<string>();
  readonly #querying = new Set<string>();
  readonly #failures = new Map<string, readonly Error[]>();
  readonly #news = new EventTarget();

  readonly complete = async (
    { model, messages }: ModelRequest,
    signal: AbortSignal,
  ): Promise<ModelReply> => {
    const text = contentText(messages[1]?.content ?? '');
    const judged = readDelimited(text)?.sections.find(({ label }) => label === 'answer')?.text;
    const question =
      judged === undefined
        ? (/^\[Question\]: (.+)$/m.exec(text)?.[1] ?? '')
        : judging(judged, model);
    this.asked.push(question);
    const call = this.#timesAsked(question);
    this.#tell();
    const isHeld = (): boolean => call >= (this.#held.get(question) ?? Infinity);
    while (isHeld()) await once(this.#news, 'news', { signal });
    const [failure, ...later] = this.#failures.get(question) ?? [];
    if (failure) {
      this.#failures.set(question, later);
      throw failure;
    }
    const answer = `[Thought]: It is short.\n[Action]: GenerateAnswer(answer=${JSON.stringify(question)})`;
    return {
      content: this.#stumbling.delete(question)
        ? 'Well.'
        : this.#querying.delete(question)
          ? '[Thought]: Let me see.\n[Action]: RetrieveFromDatabase(sql="SELECT 1")'
          : judged === undefined
            ? answer
            : saysTrue,
      finishReason: 'stop',
      model: 'steered-model',
      tokens: steeredTokens,
    };
  };

  /** Until it has been asked that often. */
  async untilAsked(question: string, times = 1): Promise<void> {
    while (this.#timesAsked(question) < times) await once(this.#news, 'news');
  }

  /** Of each, the next reply that is given cannot be read. */
  stumble(...questions: readonly string[]): void {
    for (const question of questions) this.#stumbling.add(question);
  }

  /** Of each, the next reply that is given asks for a statement to be run. */
  query(...questions: readonly string[]): void {
    for (const question of questions) this.#querying.add(question);
  }

  /** The next calls for a question fail so, one after the other. */
  fail(question: string, ...failures: readonly Error[]): void {
    this.#failures.set(question, failures);
  }

  hold(...questions: readonly string[]): void {
    for (const question of questions) this.holdFrom(1, question);
  }

  /** Holds its calls from the so-manieth on. */
  holdFrom(call: number, question: string): void {
    this.#held.set(question, call);
  }

  release(...questions: readonly string[]): void {
    for (const question of questions) this.#held.delete(question);
    this.#tell();
  }

  releaseAll(): void {
    this.#held.clear();
    this.#tell();
  }

  #timesAsked(question: string): number {
    return this.asked.filter((other) => other === question).length;
  }

  #tell(): void {
    this.#news.dispatchEvent(new Event('news'));
  }
}

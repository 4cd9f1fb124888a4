/** So long after a failure the provider is in trouble, */
const troubleMs = 5000;
/** where failures are more than this share of the calls that have ended lately. */
const usualShare = 0.15;
/** What each call that ends weighs among those before it. */
const weight = 0.05;

/** Whether calls fail for reasons of the provider's own, more than some always do: that says nothing of its limits. */
export class Trouble {
  #share = 0;
  #untilMs = -Infinity;

  accepted(): void {
    this.#share *= 1 - weight;
  }

  failed(nowMs: number): void {
    this.#share += weight * (1 - this.#share);
    if (this.#share > usualShare) this.#untilMs = nowMs + troubleMs;
  }

  isAt(nowMs: number): boolean {
    return nowMs < this.#untilMs;
  }
}

/** Of texts that nothing is known of. */
const charactersAToken = 4;

/** What calls will take of a token limit, learnt from what they took. */
export class TokenEstimate {
  #tokensACharacter = 1 / charactersAToken;
  #completion: number | null = null;

  /**
   * Prompt and completion together. Before any usage is known the completion is taken to be as long as it may be;
   * after that, as long as completions are: most stay far below, and what is reserved too much would be left unused.
   */
  of(characters: number, maxCompletion: number): number {
    const completion = Math.min(this.#completion ?? maxCompletion, maxCompletion);
    return Math.ceil(this.#tokensACharacter * characters + completion);
  }

  learn(characters: number, used: { readonly prompt: number; readonly completion: number }): void {
    if (characters > 0) {
      const ratio = used.prompt / characters;
      this.#tokensACharacter += (ratio - this.#tokensACharacter) / 10;
    }
    this.#completion =
      this.#completion === null
        ? used.completion
        : this.#completion + (used.completion - this.#completion) / 10;
  }
}

import { UserError } from '../../../domain/user-error.js';
import type { Loaded } from './view-page.js';

/** What viewers of a page are sent. */
export type LiveEvent =
  | { readonly kind: 'data'; readonly json: string }
  /** The data could not be loaded this time. They are loaded again. */
  | { readonly kind: 'problem'; readonly json: string }
  /** The data do not change any more by themselves. */
  | { readonly kind: 'end' };

type Viewer = (event: LiveEvent) => void;

/** How long to wait after a failure. */
const afterProblemMs = 2_000;

/** Loads the data of a page for all who look at it, and sends them what changed. Loads nothing while nobody looks. */
export class LivePage {
  readonly #viewers = new Set<Viewer>();
  #timer: NodeJS.Timeout | null = null;
  #isLoading = false;
  #latest: string | null = null;

  constructor(
    private readonly load: () => Promise<Loaded>,
    private readonly onIdle: () => void = () => undefined,
  ) {}

  /** Returns the function that ends it. */
  watch(viewer: Viewer): () => void {
    this.#viewers.add(viewer);
    if (this.#latest !== null) viewer({ kind: 'data', json: this.#latest });
    if (this.#timer === null && !this.#isLoading) void this.#refresh();
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size > 0) return;
      if (this.#timer) clearTimeout(this.#timer);
      this.#timer = null;
      this.onIdle();
    };
  }

  /** Something was done: loads the data now. */
  hasten(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    void this.#refresh();
  }

  async #refresh(): Promise<void> {
    this.#timer = null;
    this.#isLoading = true;
    const startedAtMs = performance.now();
    let nextMs: number | null = afterProblemMs;
    try {
      const { data, refreshMs } = await this.load();
      nextMs = refreshMs;
      const json = JSON.stringify(data);
      if (json !== this.#latest) this.#send({ kind: 'data', json });
      this.#latest = json;
    } catch (error) {
      this.#send({ kind: 'problem', json: JSON.stringify({ error: messageOf(error) }) });
    }
    this.#isLoading = false;
    if (this.#viewers.size === 0) return;
    if (nextMs === null) {
      this.#send({ kind: 'end' });
      return;
    }
    // At most half of the time goes into loading, however long that takes.
    const tookMs = performance.now() - startedAtMs;
    this.#timer = setTimeout(() => void this.#refresh(), Math.max(nextMs - tookMs, tookMs)).unref();
  }

  #send(event: LiveEvent): void {
    for (const viewer of this.#viewers) viewer(event);
  }
}

/** In words for users. */
export const messageOf = (error: unknown): string =>
  error instanceof UserError || error instanceof Error ? error.message : String(error);

import type { StoreName } from '../../domain/ids.js';
import type { Picture } from '../../domain/questions/turn-record.js';

export interface PictureRequest {
  readonly store: StoreName;
  /** Written by the model: not to be trusted. */
  readonly paperId: string;
  /** From 1. */
  readonly page: number;
  /** `[x, y, width, height]` in points from the page's top left corner; empty for the whole page. */
  readonly box: readonly number[];
  readonly timeoutMs: number;
}

/** What the model can act on is a value; only a missing store is thrown (PortFailure). */
export type PictureOutcome =
  | { readonly kind: 'picture'; readonly picture: Picture }
  | { readonly kind: 'no-paper' }
  | { readonly kind: 'no-page' }
  | { readonly kind: 'picture-error'; readonly message: string }
  | { readonly kind: 'picture-timeout' };

export interface PicturesPort {
  /** A page or a part of it at 200 dots an inch, with fewer where that would be more than a model can be sent. */
  readonly ofPage: (request: PictureRequest, signal: AbortSignal) => Promise<PictureOutcome>;
}

import type { StoreName } from '../../domain/ids.js';
import type { PaperText } from '../../domain/questions/paper-context.js';

/** Papers as a store holds them. Throws PortFailure where the store cannot be read. */
export interface PaperTextsPort {
  /** By paper id; a paper the store does not hold is absent. */
  readonly titles: (
    request: { readonly store: StoreName; readonly papers: readonly string[] },
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
  /** In the order asked; papers the store does not hold are left out, NULL is an empty text. */
  readonly texts: (
    request: { readonly store: StoreName; readonly papers: readonly string[] },
    signal: AbortSignal,
  ) => Promise<readonly PaperText[]>;
}

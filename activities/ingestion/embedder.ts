import { isRetryable } from '../../domain/failure-type.js';
import { miniLmName } from '../../domain/embedders.js';
import { textEmbedderOf, type StoreManifest } from '../../domain/stores/store-manifest.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { EmbedderPort, EmbeddersPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';

/**
 * Whether this worker can embed with it, before anything is read. Fails with `EmbedderMissing` where it cannot, with the reason in
 * one sentence. An outage of an endpoint is waited for.
 */
export function createCheckEmbedder({
  embedders,
}: {
  readonly embedders: EmbeddersPort;
}): (input: { readonly embedder: string }) => Promise<void> {
  return ({ embedder }) =>
    reportingFailures(() =>
      whileHeartbeating(async (signal) => {
        const { endpoint, ready } = embedders(embedder);
        try {
          await ready?.(signal);
        } catch (error) {
          signal.throwIfAborted();
          const isOutage = error instanceof PortFailure && isRetryable(error.type);
          if (!(error instanceof PortFailure) || (isOutage && endpoint !== null)) throw error;
          throw new PortFailure('EmbedderMissing', error.message, { cause: error });
        }
      }),
    );
}

/**
 * The embedder of a store's texts.
 * @param wanted - for the next generation. @defaultValue that of the generation in use, else MiniLM
 */
export function embedderOf(
  embedders: EmbeddersPort,
  previous: Pick<StoreManifest, 'collections'> | null,
  wanted?: string,
): EmbedderPort {
  return embedders(wanted ?? (previous && textEmbedderOf(previous)) ?? miniLmName);
}

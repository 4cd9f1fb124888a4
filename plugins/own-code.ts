import { join } from 'node:path';
import type { OwnCodePort } from '../activities/ports/own-code.js';
import type { OwnOutcome } from '../domain/own-code.js';
import { cacheFolder } from '../storage/cached-replies.js';
import { createPluginThreads, type PluginThreads } from './plugin-threads.js';
import { createScorerPrograms } from './scorer-programs.js';

export interface OwnCode extends OwnCodePort, Pick<PluginThreads, 'exportsOf'> {
  readonly close: () => Promise<void>;
}

/**
 * Runs the user's own code: plugins in threads, programs in processes. What comes back never quotes one of the `secrets`.
 */
export function createOwnCode({
  home,
  secrets = [],
  thread,
}: {
  readonly home: string;
  readonly secrets?: readonly string[];
  /** The compiled `plugin-thread.ts`. */
  readonly thread?: URL;
}): OwnCode {
  const threads = createPluginThreads({
    folder: join(cacheFolder(home), 'plugins'),
    ...(thread && { thread }),
  });
  const programs = createScorerPrograms();
  const safe = (outcome: OwnOutcome): OwnOutcome =>
    outcome.kind === 'failed' && secrets.some((secret) => outcome.message.includes(secret))
      ? { ...outcome, message: 'its message contains a key, and is left out' }
      : outcome;
  return {
    callPlugin: async (call, signal) => safe(await threads.callPlugin(call, signal)),
    callProgram: async (call, signal) => safe(await programs.callProgram(call, signal)),
    exportsOf: threads.exportsOf,
    close: async () => {
      programs.close();
      await threads.close();
    },
  };
}

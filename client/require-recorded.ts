import type { RunPlan } from './prepare-run.js';
import type { RunFolder } from './run-folder.js';
import { UserError } from './user-error.js';

/** Throws UserError where a run cannot repeat the replies of another: it asks what was not asked there, or in another way. */
export async function requireRecorded(
  replayed: RunFolder,
  { manifest, items }: RunPlan,
): Promise<void> {
  const { config } = await replayed.manifest();
  if (config.method !== manifest.config.method) {
    throw new UserError(
      `run ${replayed.run} was made by method ${config.method}: give --method ${config.method}`,
    );
  }
  const asked = new Set((await replayed.items()).map(({ uuid }) => uuid));
  const strangers = items.filter(({ uuid }) => !asked.has(uuid));
  const [first] = strangers;
  if (first) {
    throw new UserError(
      `run ${replayed.run} holds no question ${first.uuid}${strangers.length > 1 ? ` (and ${strangers.length - 1} more)` : ''}: there is no reply to repeat`,
    );
  }
  if (config.epochs < manifest.config.epochs) {
    throw new UserError(
      `run ${replayed.run} asked each question ${config.epochs} times: give --epochs ${config.epochs} or less`,
    );
  }
}

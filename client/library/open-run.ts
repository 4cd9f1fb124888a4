import { runIdSchema } from '../../domain/ids.js';
import { UserError } from '../../domain/user-error.js';
import { environmentOf, storedRun } from './stored-run.js';
import type { Run } from './surface.js';

/**
 * A stored run.
 * @param settings - by their names. Default: environment, `.env` and `turnwise.yaml`
 * @throws TurnwiseError if there is none of this id
 */
export async function openRun(
  id: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const run = runIdSchema.safeParse(id).data;
  if (run === undefined) throw new UserError(`${id} is no id of a run`);
  return storedRun(environmentOf(settings), run);
}

import type { Command } from 'commander';
import { flag, jsonOption, type FlagsOf } from '../../../domain/option.js';
import type { Environment } from '../../../domain/settings.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { RunRemover, type RemovedRun } from '../../runs/removal/remove-runs.js';
import { readyServices } from '../../services/ensure-services.js';
import { loadEnvironment } from '../../services/environment.js';
import { note, printResult } from '../../services/tell.js';
import type { HomeClient } from '../../services/home-client.js';
import { connectTemporal } from '../../services/session.js';
import { foundText, removedText, toRemoveText } from '../../views/removal-text.js';
import { addOptions } from '../shared/arguments.js';
import { isToRemove, withSession } from '../shared/execute.js';

const removeOptions = {
  yes: flag('without asking; needed where there is no terminal'),
  dryRun: flag('say what would be removed, and remove nothing'),
  filesOnly: flag('leave the histories to Temporal, which forgets them after a while'),
  cache: flag('remove the replies they used from the cache of this home as well'),
  ...jsonOption,
};

export function registerRemove(runs: Command): void {
  const command = runs
    .command('rm')
    .description('remove runs: their files, what was judged and reviewed of them, their histories')
    .argument('<run...>', 'their ids; in a pattern * stands for any characters and ? for one');
  addOptions(command, removeOptions).action(remove);
}

async function remove(
  names: readonly string[],
  flags: FlagsOf<typeof removeOptions>,
): Promise<void> {
  const environment = loadEnvironment();
  const remover = new RunRemover(environment);
  const found = await remover.find(names);
  const { yes, dryRun, filesOnly, cache, json } = flags;
  const runs = found.map(({ run }) => run);
  if (dryRun) {
    const counted = await whileReachable(environment, (client) =>
      remover.withHistories(client, found),
    );
    const shown = counted ?? found;
    printResult(json, shown, foundText(shown));
    return;
  }
  // Where nothing answers, nothing works on a run either.
  await whileReachable(environment, (client) => remover.requireEnded(client, runs));
  if (!(await isToRemove(toRemoveText(found), yes))) return;
  const removeAll = async (client: HomeClient | null): Promise<readonly RemovedRun[]> => {
    if (client) await remover.requireEnded(client, runs);
    const removed: RemovedRun[] = [];
    for (const each of found) {
      const onDeleted = (histories: number): void =>
        note(`run ${each.run}: ${histories} histories deleted`);
      removed.push(await remover.remove(each, client, { withReplies: cache === true, onDeleted }));
    }
    return removed;
  };
  const removed = filesOnly
    ? await removeAll(null)
    : await withSession(environment, ({ client }) => removeAll(client)).catch(withWayOut);
  printResult(json, removed, removedText(removed));
}

/** What `work` leads to with services that run; null where none can be reached. Starts none: that would continue every run. */
async function whileReachable<T>(
  environment: Environment,
  work: (client: HomeClient) => Promise<T>,
): Promise<T | null> {
  const services = await readyServices(environment);
  const client =
    services && (await connectTemporal(services.temporalAddress, environment).catch(() => null));
  if (!client) return null;
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}

function withWayOut(error: unknown): never {
  if (!(error instanceof UserError) || error.status !== exitStatus.serviceUnreachable) throw error;
  throw new UserError(
    `${error.message}; --files-only removes runs without Temporal`,
    exitStatus.serviceUnreachable,
  );
}

import type { Command } from 'commander';
import type { Environment } from '../../domain/settings.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { RunRemover, type RemovableRun, type RemovedRun } from '../runs/removal/remove-runs.js';
import { readyServices } from '../services/ensure-services.js';
import { loadEnvironment } from '../services/environment.js';
import { printResult } from '../services/tell.js';
import type { HomeClient } from '../services/home-client.js';
import { connectTemporal } from '../services/session.js';
import { isYes } from '../services/user-error.js';
import { foundText, removedText, toRemoveText } from '../views/removal-text.js';
import { withSession } from './shared/execute.js';

interface RemoveFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly filesOnly?: true;
  readonly cache?: true;
  readonly json?: true;
}

export function registerRm(program: Command): void {
  program
    .command('rm')
    .description('remove runs: their files, what was judged and reviewed of them, their histories')
    .argument('<run...>', 'their ids; in a pattern * stands for any characters and ? for one')
    .option('--yes', 'without asking; needed where there is no terminal')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .option('--files-only', 'leave the histories to Temporal, which forgets them after a while')
    .option('--cache', 'remove the replies they used from the cache of this home as well')
    .option('--json', 'one JSON document')
    .action(remove);
}

async function remove(names: readonly string[], flags: RemoveFlags): Promise<void> {
  const environment = loadEnvironment();
  const remover = new RunRemover(environment);
  const found = await remover.find(names);
  const { yes, dryRun, filesOnly, cache, json } = flags;
  const runs = found.map(({ run }) => run);
  if (dryRun) {
    const counted = await whileReachable(environment, (client) =>
      remover.withHistories(client, found),
    );
    print(counted ?? found, json, foundText);
    return;
  }
  // Where nothing answers, nothing works on a run either.
  await whileReachable(environment, (client) => remover.requireEnded(client, runs));
  if (!(await isWanted(found, yes))) return;
  const removeAll = async (client: HomeClient | null): Promise<readonly RemovedRun[]> => {
    if (client) await remover.requireEnded(client, runs);
    const removed: RemovedRun[] = [];
    for (const each of found) {
      const onDeleted = (histories: number): void =>
        console.error(`run ${each.run}: ${histories} histories deleted`);
      removed.push(await remover.remove(each, client, { withReplies: cache === true, onDeleted }));
    }
    return removed;
  };
  const removed = filesOnly
    ? await removeAll(null)
    : await withSession(environment, ({ client }) => removeAll(client)).catch(withWayOut);
  print(removed, json, removedText);
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

/** @throws UserError if nobody can be asked */
async function isWanted(found: readonly RemovableRun[], yes: true | undefined): Promise<boolean> {
  if (yes === true) return true;
  const what = toRemoveText(found);
  if (!process.stdin.isTTY) throw new UserError(`this would remove ${what} for good: add --yes`);
  if (await isYes(`Remove ${what} for good?`)) return true;
  console.error('nothing was removed');
  process.exitCode = exitStatus.badInput;
  return false;
}

function withWayOut(error: unknown): never {
  if (!(error instanceof UserError) || error.status !== exitStatus.serviceUnreachable) throw error;
  throw new UserError(
    `${error.message}; --files-only removes runs without Temporal`,
    exitStatus.serviceUnreachable,
  );
}

function print<T extends RemovableRun>(
  runs: readonly T[],
  json: true | undefined,
  inWords: (runs: readonly T[]) => string,
): void {
  printResult(json, runs, inWords(runs));
}

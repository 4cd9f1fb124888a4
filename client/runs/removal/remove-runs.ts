import { type RunId, runIdSchema } from '../../../domain/ids.js';
import { manifestFile, runFolder } from '../../../domain/runs/run-manifest.js';
import { storageOf } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import { didYouMean } from '../../../domain/formats/did-you-mean.js';
import { workflowNames } from '../../../workflows/messages.js';
import { cacheFolder, forgetUse, removeRepliesOf } from '../../../storage/cached-replies.js';
import type { FolderContents } from '../../../storage/objects.js';
import { openStorage } from '../../../storage/open-storage.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { RunRemoval } from '../../../storage/runs/run-removal.js';
import type { HomeClient } from '../../services/home-client.js';
import { forUsers, listRuns, unwritable, type RunPlace } from '../run-folder.js';
import { countHistories, deleteHistories, openWorkflowOf, workflowsOfRun } from './histories.js';

/** What there is of a run. */
export interface RemovableRun extends FolderContents {
  readonly run: RunId;
  /** Whether it is a run. Otherwise it is what an interrupted removal, or a run that never began, has left. */
  readonly isWhole: boolean;
  /** Null where Temporal was not asked. */
  readonly histories: number | null;
}

export interface RemovedRun extends RemovableRun {
  /** How many replies were removed from the cache. */
  readonly replies: number;
}

interface RemovalOptions {
  readonly withReplies: boolean;
  /** Told from time to time how many histories are deleted. */
  readonly onDeleted?: (histories: number) => void;
}

/** Removes runs from where the settings say that runs are. What fails is said as a UserError. */
export class RunRemover {
  readonly #location: string;
  readonly #removal: RunRemoval;

  /** @param storage - @defaultValue the one that the settings name */
  constructor(
    private readonly place: RunPlace,
    storage = openStorage(storageOf(place)),
  ) {
    this.#location = storageOf(place);
    this.#removal = new RunRemoval(storage);
  }

  /**
   * What the storage holds of the runs that names and patterns mean. Throws UserError if one means none, or another run
   * that has not ended needs one.
   */
  async find(names: readonly string[]): Promise<readonly RemovableRun[]> {
    const known = await this.#read(this.#removal.names());
    const runs = chooseRuns(names, known);
    await this.#requireUnneeded(runs);
    const files = openRunFiles(this.#location);
    return Promise.all(
      runs.map(async (run) => {
        const manifest = await this.#read(files.text(run, manifestFile));
        const contents = await this.#read(this.#removal.contents(run));
        return { run, isWhole: manifest !== null, ...contents, histories: null };
      }),
    );
  }

  /** Adds how many histories there are of each. */
  withHistories(
    client: HomeClient,
    found: readonly RemovableRun[],
  ): Promise<readonly RemovableRun[]> {
    return Promise.all(
      found.map(async (each) => {
        const histories = await countHistories(client, workflowsOfRun(client, each.run));
        return { ...each, histories };
      }),
    );
  }

  /** Throws UserError if something works on one of the runs. */
  async requireEnded(client: HomeClient, runs: readonly RunId[]): Promise<void> {
    for (const run of runs) {
      const open = await openWorkflowOf(client, run);
      if (open) throw underWay(run, open.type);
    }
  }

  /**
   * Removes a run with its histories. It is marked first: if this is interrupted, the next removal completes it.
   * @param client - null leaves the histories to Temporal, which forgets them by itself
   * @param withReplies - whether the replies that it has used leave the cache of this home
   */
  async remove(
    found: RemovableRun,
    client: HomeClient | null,
    { withReplies, onDeleted }: RemovalOptions,
  ): Promise<RemovedRun> {
    const { run } = found;
    await this.#write(run, this.#removal.mark(run));
    const histories =
      client && (await deleteHistories(client, workflowsOfRun(client, run), onDeleted));
    const cache = cacheFolder(this.place.TURNWISE_HOME);
    if (!withReplies) await forgetUse(cache, run);
    const replies = withReplies ? await removeRepliesOf(cache, run) : 0;
    await this.#write(run, this.#removal.remove(run));
    return { ...found, histories, replies };
  }

  /** A run that repeats another one's replies reads them as long as it asks. */
  async #requireUnneeded(runs: readonly RunId[]): Promise<void> {
    for (const { run, status, config } of await listRuns(
      this.place.TURNWISE_HOME,
      this.#location,
    )) {
      const { replay } = config;
      if (replay === null || status === 'done' || !runs.includes(replay) || runs.includes(run))
        continue;
      throw new UserError(
        `run ${run}, which has not ended, repeats the replies of run ${replay}: let it end, or remove it as well`,
      );
    }
  }

  #read<T>(reading: Promise<T>): Promise<T> {
    return forUsers(this.#location, reading);
  }

  async #write(run: RunId, writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      throw unwritable(`${this.#location}/${runFolder(run)}`, error);
    }
  }
}

/** @param type - of the workflow that is open */
function underWay(run: RunId, type: string): UserError {
  const known: Readonly<Record<string, string>> = {
    [workflowNames.runDataset]: `run ${run} is under way: \`turnwise cancel ${run}\` ends it, and then it can be removed`,
    [workflowNames.answerQuestion]: `questions of run ${run} are under way, although the run is not: \`turnwise run\` with the same arguments and --run ${run} goes on with them, and \`turnwise cancel ${run}\` ends them`,
    [workflowNames.reviewAnswers]: `run ${run} is being reviewed: remove it when the review has ended`,
    [workflowNames.judgeAnswers]: `judges are asked about run ${run}: remove it when that has ended`,
  };
  return new UserError(
    known[type] ?? `${type} of run ${run} is under way: remove the run when it has ended`,
  );
}

/**
 * The runs that names and patterns mean, each once. In a pattern `*` stands for any characters and `?` for one.
 * @param known - all there are
 * @throws UserError if one means none, with the names that are most like it
 */
export const chooseRuns = (names: readonly string[], known: readonly RunId[]): readonly RunId[] => [
  ...new Set(names.flatMap((name) => meant(name, known))),
];

function meant(name: string, known: readonly RunId[]): readonly RunId[] {
  if (/[*?]/.test(name)) {
    const pattern = patternOf(name);
    const matching = known.filter((run) => pattern.test(run));
    if (matching.length > 0) return matching;
    throw new UserError(`no run matches ${name}; \`turnwise runs\` lists those there are`);
  }
  const run = known.find((each) => each === name);
  if (run !== undefined) return [run];
  const called = runIdSchema.safeParse(name).success ? name : JSON.stringify(name);
  throw new UserError(
    `there is no run ${called}${didYouMean(name, known)}; \`turnwise runs\` lists those there are`,
  );
}

function patternOf(name: string): RegExp {
  const parts = name.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${parts.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}

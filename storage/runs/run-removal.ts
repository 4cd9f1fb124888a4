import { z } from 'zod';
import { jsonIn } from '../../domain/formats/json.js';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import {
  manifestFile,
  removalFile,
  removalsFolder,
  runFolder,
} from '../../domain/runs/run-manifest.js';
import {
  judgingFile,
  judgingFolder,
  judgingIdSchema,
  judgingsFolder,
  type JudgingId,
} from '../../domain/scoring/judging/judging-job.js';
import { accessingFiles, jsonText } from '../atomic-file.js';
import { readText, type FolderContents, type ObjectStorage } from '../objects.js';

/** What of a judging job says whom it is about. */
const jobSchema = z.object({ cases: z.array(z.object({ folder: z.string() })).min(1) });

/**
 * Removes runs. A run is first marked and loses its manifest, so that from then on it is no run; the mark goes last. What is
 * marked can be removed again and again, so that an interrupted removal is completed by the next one. Rejects with
 * PortFailure.
 */
export class RunRemoval {
  constructor(private readonly storage: ObjectStorage) {}

  /** Every name with something to remove: runs, what is left of some, and what stands there without a manifest. */
  async names(): Promise<readonly RunId[]> {
    const [folders, marks] = await this.#access('runs cannot be listed', () =>
      Promise.all([this.storage.list('runs'), this.storage.list(removalsFolder)]),
    );
    const names = [
      ...folders.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)),
      ...marks.map((name) => name.replace(/\.json$/, '')),
    ];
    return [...new Set(names)]
      .flatMap((name) => runIdSchema.safeParse(name).data ?? [])
      .toSorted((a, b) => a.localeCompare(b));
  }

  /** Whether a removal has begun. Until it ends, nothing else may use the name. */
  isMarked(run: RunId): Promise<boolean> {
    return this.#access(`${removalFile(run)} cannot be read`, async () => {
      return (await this.storage.version(removalFile(run))) !== null;
    });
  }

  /** What the storage holds of a run. */
  contents(run: RunId): Promise<FolderContents> {
    return this.#access(`run ${run} cannot be read`, async () => {
      let { objects, bytes } = await this.storage.contents(runFolder(run));
      for (const job of await this.#jobsOf(run)) {
        const batches = await this.storage.contents(judgingFolder(job.id));
        objects += 1 + batches.objects;
        bytes += job.bytes + batches.bytes;
      }
      return { objects, bytes };
    });
  }

  /** Makes a run none. */
  mark(run: RunId): Promise<void> {
    return this.#access(`run ${run} cannot be removed`, async () => {
      await this.storage.write(removalFile(run), jsonText({ run }));
      await this.storage.remove(`${runFolder(run)}/${manifestFile}`);
    });
  }

  /** Removes all objects of a run that is marked, and the mark. */
  remove(run: RunId): Promise<void> {
    return this.#access(`run ${run} cannot be removed`, async () => {
      for (const { id } of await this.#jobsOf(run)) {
        await this.storage.remove(judgingFile(id));
        await this.storage.removeFolder(judgingFolder(id));
      }
      await this.storage.removeFolder(runFolder(run));
      await this.storage.remove(removalFile(run));
    });
  }

  /** The jobs of judges that were interrupted, and are about nothing but this run. */
  async #jobsOf(
    run: RunId,
  ): Promise<readonly { readonly id: JudgingId; readonly bytes: number }[]> {
    const jobs: { readonly id: JudgingId; readonly bytes: number }[] = [];
    for (const name of await this.storage.list(judgingsFolder)) {
      const id = judgingIdSchema.safeParse(name.replace(/\.json$/, ''));
      if (!id.success) continue;
      const text = await readText(this.storage, judgingFile(id.data));
      const job = jobSchema.safeParse(jsonIn(text ?? ''));
      const isOfRun =
        job.success &&
        job.data.cases.every(({ folder }) => folder.startsWith(`${runFolder(run)}/`));
      if (isOfRun) jobs.push({ id: id.data, bytes: Buffer.byteLength(text ?? '') });
    }
    return jobs;
  }

  #access<T>(what: string, work: () => Promise<T>): Promise<T> {
    return accessingFiles(`${this.storage.location}: ${what}`, work);
  }
}

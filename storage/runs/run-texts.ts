import type { z } from 'zod';
import { DamagedRunFile } from '../../activities/ports/run-files.js';
import { firstIssue, jsonIn } from '../../domain/formats/json.js';
import type { RunId } from '../../domain/ids.js';
import { runFolder } from '../../domain/runs/run-manifest.js';
import { accessingFiles } from '../atomic-file.js';
import { readText, type ObjectStorage } from '../objects.js';

/** The objects of runs by their names inside the run. Errors of the storage become PortFailure (`RunFilesUnavailable`). */
export class RunTexts {
  constructor(private readonly storage: ObjectStorage) {}

  readonly pathOf = (run: RunId, file: string): string => `${runFolder(run)}/${file}`;

  reading<T>(run: RunId, file: string, work: () => Promise<T>): Promise<T> {
    return accessingFiles(`${file} of run ${run} cannot be read`, work);
  }

  writing<T>(run: RunId, file: string, work: () => Promise<T>): Promise<T> {
    return accessingFiles(`${file} of run ${run} cannot be written`, work);
  }

  /** Null if there is no such file. */
  text(run: RunId, file: string): Promise<string | null> {
    return this.reading(run, file, () => readText(this.storage, this.pathOf(run, file)));
  }

  save(run: RunId, file: string, text: string): Promise<void> {
    return this.writing(run, file, () => this.storage.write(this.pathOf(run, file), text));
  }

  /** Null if there is no such file. Throws DamagedRunFile. */
  async parse<T>(schema: z.ZodType<T>, run: RunId, file: string): Promise<T | null> {
    const text = await this.text(run, file);
    return text === null ? null : this.parsed(schema, run, file, text);
  }

  /** The value in the text of a file. Throws DamagedRunFile. */
  parsed<T>(schema: z.ZodType<T>, run: RunId, file: string, text: string): T {
    const parsed = schema.safeParse(jsonIn(text));
    if (parsed.success) return parsed.data;
    throw new DamagedRunFile(run, file, firstIssue(parsed.error));
  }
}

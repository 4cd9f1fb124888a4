import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { runIdSchema, type RunId } from '../domain/ids.js';
import { jsonIn } from '../domain/json-in.js';
import { datasetItemSchema, type DatasetItem } from '../domain/questions/dataset-item.js';
import { firstIssue } from '../domain/questions/dataset.js';
import { resultSchema, type Result } from '../domain/questions/result.js';
import { datasetFile, manifestFile, resultsFile, runFolder } from '../domain/runs/run-layout.js';
import { runManifestSchema, type RunManifest } from '../domain/runs/run-manifest.js';
import { GrowingLines } from './growing-lines.js';
import { isAbsence } from './system-error.js';
import { UserError } from './user-error.js';

/** A run's folder as commands see it: they write what a run begins with and read what workers leave there. */
export class RunFolder {
  readonly path: string;
  /** By file. */
  readonly #lines = new Map<
    string,
    { readonly schema: z.ZodType; readonly lines: GrowingLines<unknown> }
  >();

  constructor(
    readonly home: string,
    readonly run: RunId,
  ) {
    this.path = join(home, runFolder(run));
  }

  /** Null where there is no such file. */
  read(file: string): string | null {
    try {
      return readFileSync(join(this.path, file), 'utf8');
    } catch (error) {
      if (isAbsence(error)) return null;
      throw error;
    }
  }

  /** Null where there is no such file. Throws UserError where it makes no sense. */
  readJson<T>(file: string, schema: z.ZodType<T>): T | null {
    const text = this.read(file);
    return text === null ? null : this.#parse(jsonIn(text), schema, file);
  }

  /** Whole lines only: a line that is being appended is not there yet. */
  readLines<T>(file: string, schema: z.ZodType<T>): readonly T[] {
    return this.#linesOf(file, schema, true).read();
  }

  #linesOf<T>(file: string, schema: z.ZodType<T>, isAppendedTo: boolean): GrowingLines<T> {
    const known = this.#lines.get(file);
    // Made below, of the same schema.
    if (known?.schema === schema) return known.lines as GrowingLines<T>;
    const lines = new GrowingLines<T>(
      join(this.path, file),
      (line, number) => this.#parse(jsonIn(line), schema, `${file}, line ${number},`),
      isAppendedTo,
    );
    this.#lines.set(file, { schema, lines });
    return lines;
  }

  #parse<T>(value: unknown, schema: z.ZodType<T>, where: string): T {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new UserError(
      `${join(this.path, where)} is damaged (${firstIssue(parsed.error)}): put it back from a copy, or remove the run's folder`,
    );
  }

  /** Of the questions that have ended. */
  results(): readonly Result[] {
    return this.readLines(resultsFile, resultSchema);
  }

  /** The questions, as they were when the run began. */
  items(): readonly DatasetItem[] {
    return this.#linesOf(datasetFile, datasetItemSchema, false).read();
  }

  /** Whole or not at all. */
  write(file: string, content: string): void {
    const draft = join(this.path, `${file}.${process.pid}.tmp`);
    try {
      mkdirSync(dirname(draft), { recursive: true });
      writeFileSync(draft, content);
      renameSync(draft, join(this.path, file));
    } catch (error) {
      throw new UserError(
        `${join(this.path, file)} cannot be written (${error instanceof Error ? error.message : String(error)}): make it writable, or set TURNWISE_HOME to another folder`,
      );
    }
  }

  /** Throws UserError where there is no such run. */
  manifest(): RunManifest {
    const manifest = this.readJson(manifestFile, runManifestSchema);
    if (manifest) return manifest;
    throw absence(this.run);
  }

  /** Whether there is such a run. */
  isThere(): boolean {
    return existsSync(join(this.path, manifestFile));
  }
}

export const absence = (run: RunId): UserError =>
  new UserError(`there is no run ${run}; \`turnwise runs\` lists those there are`);

/** Every run of a home, oldest first. One that is damaged is named on stderr and left out. */
export function listRuns(home: string): readonly RunManifest[] {
  return folders(join(home, 'runs'))
    .map((name) => runIdSchema.safeParse(name))
    .flatMap((id) => (id.success ? [new RunFolder(home, id.data)] : []))
    .flatMap((folder) => manifestUnlessDamaged(folder) ?? [])
    .sort((a, b) => a.startedAt.localeCompare(b.startedAt));
}

function manifestUnlessDamaged(folder: RunFolder): RunManifest | null {
  try {
    return folder.readJson(manifestFile, runManifestSchema);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(`turnwise: ${error.message}`);
    return null;
  }
}

function folders(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Questions times epochs. */
export const samplesOf = ({ dataset, config }: RunManifest): number =>
  dataset.items * config.epochs;

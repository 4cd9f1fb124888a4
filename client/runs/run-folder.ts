import { join } from 'node:path';
import type { z } from 'zod';
import { DamagedRunFile, type RunFilesPort } from '../../activities/ports/run-files.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { RunId, SampleKey } from '../../domain/ids.js';
import type { JudgeReply } from '../../domain/scoring/judging/judge-request.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { resultSchema, type Result } from '../../domain/agent/question-result.js';
import type { StoredTurn } from '../../domain/agent/turn-record.js';
import { manifestFile, resultsFile, runFolder } from '../../domain/runs/run-layout.js';
import { runManifestSchema, type RunManifest } from '../../domain/runs/run-manifest.js';
import { createFolderRunFiles } from '../../storage/run-files.js';
import { isSystemError } from '../services/read-file.js';
import { exitStatus, UserError } from '../../domain/user-error.js';

/** The files of one run, for commands: what fails is said as a UserError, with the remedy. */
export class RunFolder {
  readonly path: string;

  constructor(
    readonly home: string,
    readonly run: RunId,
    readonly files: RunFilesPort = createFolderRunFiles(home),
  ) {
    this.path = join(home, runFolder(run));
  }

  /** Null where there is no such file. */
  read(file: string): Promise<string | null> {
    return this.#read(this.files.text(this.run, file));
  }

  /** Null where there is no such file. */
  readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
    return this.#read(this.files.json(this.run, file, schema));
  }

  /** Whole lines only: a line that is being appended is not there yet. */
  readLines<T>(file: string, schema: z.ZodType<T>): Promise<readonly T[]> {
    return this.#read(this.files.lines(this.run, file, schema));
  }

  /** Of the questions that have ended. */
  results(): Promise<readonly Result[]> {
    return this.readLines(resultsFile, resultSchema);
  }

  /** The questions, as they were when the run began. */
  items(): Promise<readonly DatasetItem[]> {
    return this.#read(this.files.items(this.run));
  }

  /** The turns that are stored of a question, in order; none where it has not begun. */
  async turns(key: SampleKey): Promise<readonly StoredTurn[]> {
    const turns = await Promise.all(
      (await this.repliedTurns(key)).map(async (turn) => {
        const [reply, observation] = await this.#read(
          Promise.all([
            this.files.reply(this.run, key, turn),
            this.files.observation(this.run, key, turn),
          ]),
        );
        return reply && { reply, observation };
      }),
    );
    return turns.filter((turn) => turn !== null);
  }

  repliedTurns(key: SampleKey): Promise<readonly number[]> {
    return this.#read(this.files.repliedTurns(this.run, key));
  }

  /** Of all judges of a question, in no particular order. */
  judgeReplies(key: SampleKey): Promise<readonly JudgeReply[]> {
    return this.#read(this.files.judgeReplies(this.run, key));
  }

  /** When something of a question was stored last, in milliseconds since 1970; null where nothing was. */
  storedAtMs(key: SampleKey): Promise<number | null> {
    return this.#read(this.files.storedAtMs(this.run, key));
  }

  /** Whole or not at all. */
  async write(file: string, content: string): Promise<void> {
    try {
      await this.files.saveText(this.run, file, content);
    } catch (error) {
      throw new UserError(
        `${join(this.path, file)} cannot be written (${reasonOf(error)}): make it writable, or set TURNWISE_HOME to another folder`,
      );
    }
  }

  /** Throws UserError where there is no such run. */
  async manifest(): Promise<RunManifest> {
    const manifest = await this.readJson(manifestFile, runManifestSchema);
    if (manifest) return manifest;
    throw absence(this.run);
  }

  /** Whether there is such a run. */
  async isThere(): Promise<boolean> {
    return (await this.read(manifestFile)) !== null;
  }

  async #read<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof DamagedRunFile) {
        throw new UserError(
          `${join(this.path, error.file)} is damaged (${error.reason}): put it back from a copy, or remove the run's folder`,
        );
      }
      if (!(error instanceof PortFailure)) throw error;
      // What the file system says names the path, which the command line adds its remedy to.
      throw isSystemError(error.cause) ? error.cause : new UserError(error.message);
    }
  }
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof PortFailure ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
};

export const absence = (run: RunId): UserError =>
  new UserError(`there is no run ${run}; \`turnwise runs\` lists those there are`);

export const notServed = (run: RunId): UserError =>
  new UserError(
    `no services run, so no worker continues run ${run}: \`turnwise up\`, or the command that started the run, continues it`,
    exitStatus.serviceUnreachable,
  );

/** Every run of a home, oldest first. One that is damaged is named on stderr and left out. */
export async function listRuns(home: string): Promise<readonly RunManifest[]> {
  const files = createFolderRunFiles(home);
  const folders = (await files.runs()).map((run) => new RunFolder(home, run, files));
  const manifests = await Promise.all(folders.map(manifestUnlessDamaged));
  return manifests
    .filter((manifest) => manifest !== null)
    .sort((a, b) => a.startedAt.localeCompare(b.startedAt));
}

async function manifestUnlessDamaged(folder: RunFolder): Promise<RunManifest | null> {
  try {
    return await folder.readJson(manifestFile, runManifestSchema);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.error(`turnwise: ${error.message}`);
    return null;
  }
}

/** Questions times epochs. */
export const samplesOf = ({ dataset, config }: RunManifest): number =>
  dataset.items * config.epochs;

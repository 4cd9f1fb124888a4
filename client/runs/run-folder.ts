import { z } from 'zod';
import {
  DamagedRunFile,
  type BegunQuestions,
  type RunFilesPort,
} from '../../activities/ports/run-files.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { QuestionId, RunId, SampleKey } from '../../domain/ids.js';
import type { QuestionContext } from '../../domain/agent/question-context.js';
import { type Environment, isS3, storageOf } from '../../domain/settings.js';
import type { Execution } from '../../domain/scoring/execution-match/execution.js';
import type { JudgeReply } from '../../domain/scoring/judging/judge-request.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { resultSchema, type Result } from '../../domain/agent/question-result.js';
import type { StoredTurn } from '../../domain/agent/turn-record.js';
import {
  manifestFile,
  notesFile,
  reportFile,
  resultsFile,
  rulingsFile,
  runFolder,
  scoresFile,
  runManifestSchema,
  noteLineSchema,
  notesIn,
  type RunManifest,
  type Note,
} from '../../domain/runs/run-manifest.js';
import { rulingLineSchema, type RulingLine } from '../../domain/scoring/ruling.js';
import { didYouMean } from '../../domain/formats/did-you-mean.js';
import { jsonText } from '../../storage/atomic-file.js';
import { openRunFiles } from '../../storage/runs/run-files.js';
import { isSystemError } from '../services/read-file.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { warn } from '../services/tell.js';

/** The settings that say where runs are. */
export type RunPlace = Pick<Environment, 'TURNWISE_HOME' | 'TURNWISE_STORAGE'>;

const anyLine = z.unknown();

/** The files of one run, for commands: what fails is said as a UserError, with the remedy. */
export class RunFolder {
  /** Of the run's own folder, or of the objects that stand for it: `s3://bucket/prefix/runs/RUN`. */
  readonly path: string;

  /** @param storage - where the runs are. @defaultValue the home */
  constructor(
    readonly home: string,
    readonly run: RunId,
    readonly storage = home,
    readonly files: RunFilesPort = openRunFiles(storage),
  ) {
    this.path = `${storage}/${runFolder(run)}`;
  }

  /** Where its stores and databases are. */
  get place(): RunPlace {
    return { TURNWISE_HOME: this.home, TURNWISE_STORAGE: this.storage };
  }

  /** A run where the settings say that runs are. */
  static of(place: RunPlace, run: RunId): RunFolder {
    return new RunFolder(place.TURNWISE_HOME, run, storageOf(place));
  }

  /** Where its report is written unless told otherwise: beside its files, or here if these are in an object store. */
  get reportPath(): string {
    return isS3(this.storage) ? `${this.run}-${reportFile}` : `${this.path}/${reportFile}`;
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

  /** Gives whole lines of the results or the scores one by one. */
  eachLine<T>(file: string, schema: z.ZodType<T>, use: (line: T) => void): Promise<void> {
    return this.#read(this.files.eachLine(this.run, file, schema, use));
  }

  /** The last whole lines of the results or the scores: about as many as take `bytes`. */
  lastLines<T>(file: string, schema: z.ZodType<T>, bytes: number): Promise<readonly T[]> {
    return this.#read(this.files.lastLines(this.run, file, schema, bytes));
  }

  /** Of the questions that have ended. */
  results(): Promise<readonly Result[]> {
    return this.readLines(resultsFile, resultSchema);
  }

  /** Whether its dataset has a question. */
  async hasQuestion(uuid: QuestionId): Promise<boolean> {
    return (await this.#read(this.files.itemPlace(this.run, uuid))) !== null;
  }

  /** The question of that uuid, or the only one whose uuid begins so. Throws UserError where that is not one. */
  async question(begins: string): Promise<QuestionId> {
    const { run } = this;
    const uuids = (await this.items()).map(({ uuid }) => uuid);
    const same = uuids.find((uuid) => uuid === begins);
    if (same !== undefined) return same;
    const [first, ...others] = uuids.filter((uuid) => begins !== '' && uuid.startsWith(begins));
    if (first === undefined) {
      throw new UserError(
        `run ${run} has no question ${begins}${didYouMean(begins, uuids)}; \`turnwise status ${run} --json\` lists those it has`,
      );
    }
    if (others.length === 0) return first;
    throw new UserError(
      `${others.length + 1} questions of run ${run} begin with ${begins}: ${[first, ...others].slice(0, 5).join(', ')}${others.length > 4 ? ', …' : ''}`,
    );
  }

  /** What readers have noted, the oldest first. */
  async notes(): Promise<readonly Note[]> {
    return notesIn(await this.readLines(notesFile, noteLineSchema));
  }

  /** What people have ruled on its results, and who has signed it off, the oldest first. */
  async rulings(): Promise<readonly RulingLine[]> {
    const lines = await this.readLines(rulingsFile, rulingLineSchema);
    return lines.toSorted((a, b) => a.at.localeCompare(b.at));
  }

  /** How many questions have ended and are published. */
  async countResults(): Promise<number> {
    let count = 0;
    await this.eachLine(resultsFile, anyLine, () => (count += 1));
    return count;
  }

  /** The questions, as they were when the run began. */
  items(): Promise<readonly DatasetItem[]> {
    return this.#read(this.files.items(this.run));
  }

  /** The questions of which anything is stored. */
  begun(): Promise<BegunQuestions> {
    return this.#read(this.files.begun(this.run));
  }

  /** The turns that are stored of a question, in order; none where it has not begun. */
  async turns(key: SampleKey): Promise<readonly StoredTurn[]> {
    const turns = await Promise.all(
      (await this.repliedTurns(key)).map((turn) => this.turn(key, turn)),
    );
    return turns.filter((turn) => turn !== null);
  }

  repliedTurns(key: SampleKey): Promise<readonly number[]> {
    return this.#read(this.files.repliedTurns(this.run, key));
  }

  /** What a question's method has read from the store; null where there is nothing. */
  questionContext(key: SampleKey): Promise<QuestionContext | null> {
    return this.#read(this.files.questionContext(this.run, key));
  }

  /** The reply in a turn, and its observation; null where it is not there yet. */
  async turn(key: SampleKey, turn: number): Promise<StoredTurn | null> {
    const { files, run } = this;
    const reply = await this.#read(files.reply(run, key, turn));
    if (reply === null) return null;
    return { reply, observation: await this.#read(files.observation(run, key, turn)) };
  }

  /** The results of the SQL of an answer; null where none are stored. */
  execution(key: SampleKey): Promise<Execution | null> {
    return this.#read(this.files.execution(this.run, key));
  }

  /** The names directly in a folder of the run; those of folders end with `/`. */
  names(folder: string): Promise<readonly string[]> {
    return this.#read(this.files.names(this.run, folder));
  }

  /** When a file was written last, in milliseconds since 1970; null where there is none. */
  writtenMs(file: string): Promise<number | null> {
    return this.#read(this.files.writtenMs(this.run, file));
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
  write(file: string, content: string): Promise<void> {
    return this.store(file, ({ saveText }) => saveText(this.run, file, content));
  }

  writeJson(file: string, value: unknown): Promise<void> {
    return this.write(file, jsonText(value));
  }

  /** Stores something by `save`. @param what - the file, for the message if that fails */
  async store(what: string, save: (files: RunFilesPort) => Promise<unknown>): Promise<void> {
    try {
      await save(this.files);
    } catch (error) {
      throw unwritable(`${this.path}/${what}`, error);
    }
  }

  /** Throws UserError where there is no such run. */
  async manifest(): Promise<RunManifest> {
    const manifest = await this.manifestIfThere();
    if (manifest) return manifest;
    throw await this.absence();
  }

  /** That there is no such run, with those whose names are most like it. */
  async absence(): Promise<UserError> {
    return absence(this.run, await this.#read(this.files.runs()));
  }

  /** Null where there is no such run. Throws UserError where the folder of its name is another run's. */
  async manifestIfThere(): Promise<RunManifest | null> {
    const manifest = await this.readJson(manifestFile, runManifestSchema);
    if (manifest === null || manifest.run === this.run) return manifest;
    // On some disks `A` and `a` are one folder.
    throw new UserError(
      `${this.path} holds run ${manifest.run}, not ${this.run}: name it ${manifest.run}, or choose an id that differs in more than capitals`,
    );
  }

  /** Whether there is such a run. */
  async isThere(): Promise<boolean> {
    return (await this.read(manifestFile)) !== null;
  }

  #read<T>(reading: Promise<T>): Promise<T> {
    return forUsers(this.path, reading);
  }
}

/** What heals a damaged file of a run. */
function remedyOf({ run, file }: DamagedRunFile): string {
  if (file.startsWith(resultsFile) || file.startsWith(scoresFile)) {
    return `\`turnwise run\` with the same arguments and --run ${run} makes it again from the ends of the questions`;
  }
  if ([notesFile, rulingsFile].some((each) => file.startsWith(each))) return 'remove that line';
  if (file.startsWith('turns/')) {
    return `\`turnwise retry ${run} --anew\` asks its question from the start`;
  }
  return `put it back from a copy, or remove the run with \`turnwise runs rm ${run}\``;
}

/** What fails is said as a UserError. @param place - of the files */
export async function forUsers<T>(place: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DamagedRunFile) {
      throw new UserError(
        `${place}/${error.file} is damaged (${error.reason}): ${remedyOf(error)}`,
      );
    }
    if (!(error instanceof PortFailure)) throw error;
    // What the file system says names the path, which the command line adds its remedy to.
    throw isSystemError(error.cause) ? error.cause : new UserError(error.message);
  }
}

/** @param error - of the write */
export const unwritable = (path: string, error: unknown): UserError =>
  new UserError(
    `${path} cannot be written (${reasonOf(error)}): make it writable, or set TURNWISE_HOME or TURNWISE_STORAGE to another place`,
  );

const reasonOf = (error: unknown): string => {
  const cause = error instanceof PortFailure ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
};

/** @param known - the runs there are. @defaultValue not known here */
export const absence = (run: RunId, known: readonly RunId[] = []): UserError =>
  new UserError(
    `there is no run ${run}${didYouMean(run, known)}; \`turnwise runs\` lists those there are`,
  );

export const noQuestion = (run: RunId, { uuid, epoch }: SampleKey): UserError =>
  new UserError(`run ${run} has no question ${uuid}${epoch > 1 ? ` in epoch ${epoch}` : ''}`);

export const notServed = (run: RunId): UserError =>
  new UserError(
    `no services run, so no worker continues run ${run}: \`turnwise up\`, or the command that started the run, continues it`,
    exitStatus.serviceUnreachable,
  );

/**
 * Every run that is stored, oldest first. One that is damaged is named on stderr and left out.
 * @param storage - where they are. @defaultValue the home
 */
export async function listRuns(home: string, storage = home): Promise<readonly RunManifest[]> {
  const files = openRunFiles(storage);
  const runs = await forUsers(storage, files.runs());
  const folders = runs.map((run) => new RunFolder(home, run, storage, files));
  const manifests = await Promise.all(folders.map(manifestUnlessDamaged));
  return manifests
    .filter((manifest) => manifest !== null)
    .sort((a, b) => a.startedAt.localeCompare(b.startedAt));
}

async function manifestUnlessDamaged(folder: RunFolder): Promise<RunManifest | null> {
  try {
    return await folder.manifestIfThere();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    warn(`turnwise: ${error.message}`);
    return null;
  }
}

/** Questions times epochs. */
export const samplesOf = ({ dataset, config }: RunManifest): number =>
  dataset.items * config.epochs;

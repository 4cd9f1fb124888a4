import type { z } from 'zod';
import type { AnswerTrace } from '../../domain/agent/database-qa/answer-trace.js';
import type { ToolFacts } from '../../domain/agent/observations/tool-outcome.js';
import type { QuestionContext } from '../../domain/agent/question-context.js';
import type { ObservationRecord, PaidCall, ReplyRecord } from '../../domain/agent/turn-record.js';
import type { QuestionId, RunId, SampleKey } from '../../domain/ids.js';
import type { Message } from '../../domain/models/chat-message.js';
import type { Sample } from '../../domain/runs/dataset.js';
import type {
  NoteLine,
  notesFile,
  rulingsFile,
  AskedSample,
  RunManifest,
} from '../../domain/runs/run-manifest.js';
import type { BatchedAnswer, BatchOwner } from '../../domain/runs/batches.js';
import type { EndRecord } from '../../domain/runs/question-end.js';
import type { QuestionRef, QuestionSettings } from '../../domain/runs/question-ref.js';
import type { EndedQuestion } from '../../domain/runs/run-totals.js';
import type { SampleRange } from '../../domain/runs/sample-ranges.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import type { Execution } from '../../domain/scoring/execution-match/execution.js';
import type { JudgeReply } from '../../domain/scoring/judging/judge-request.js';
import type { RulingLine } from '../../domain/scoring/ruling.js';
import type { JudgingId, JudgingJob } from '../../domain/scoring/judging/judging-job.js';
import type { Verdict } from '../../domain/scoring/verdict.js';
import { PortFailure } from './port-failure.js';

/** A file of a run that cannot be parsed. */
export class DamagedRunFile extends PortFailure {
  /** @param file - inside the run's folder, with the line where there is one */
  constructor(
    readonly run: RunId,
    readonly file: string,
    readonly reason: string,
  ) {
    super('InvalidRun', `${file} of run ${run} is damaged: ${reason}`);
  }
}

/** Null where what is read is damaged. */
export async function unlessDamaged<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DamagedRunFile) return null;
    throw error;
  }
}

export interface BegunQuestions {
  readonly size: number;
  readonly has: (key: SampleKey) => boolean;
}

/**
 * The files of runs, in a folder or an object store, for workers and the command line. Every write is atomic, so that a
 * reader never sees half a text.
 * Records of a question are keyed by run, question, epoch, asking and turn. The first record of a key stays, because an attempt
 * that Temporal has given up may still complete: `save…` resolves to the record that is stored. Rejects with PortFailure:
 * `RunFilesUnavailable` can be retried, `InvalidRun` cannot.
 */
export interface RunFilesPort {
  /** In no particular order. */
  readonly runs: () => Promise<readonly RunId[]>;
  readonly manifest: (run: RunId) => Promise<RunManifest>;
  readonly saveManifest: (manifest: RunManifest) => Promise<void>;
  /** The whole dataset. Of a large run it does not fit into memory: `itemsIn` reads a part. */
  readonly items: (run: RunId) => Promise<readonly DatasetItem[]>;
  readonly itemCount: (run: RunId) => Promise<number>;
  /** Those in a range of the dataset's order, as far as there are. */
  readonly itemsIn: (run: RunId, range: SampleRange) => Promise<readonly DatasetItem[]>;
  /** The place of a question in the dataset's order, from 0; null if the dataset does not have it. */
  readonly itemPlace: (run: RunId, uuid: QuestionId) => Promise<number | null>;
  readonly item: (run: RunId, uuid: QuestionId) => Promise<DatasetItem>;

  /** The questions of which anything is stored at the moment. */
  readonly begun: (run: RunId) => Promise<BegunQuestions>;

  readonly questionContext: (run: RunId, key: AskedSample) => Promise<QuestionContext | null>;
  readonly saveQuestionContext: (
    run: RunId,
    key: AskedSample,
    context: QuestionContext,
  ) => Promise<QuestionContext>;
  readonly reply: (run: RunId, key: AskedSample, turn: number) => Promise<ReplyRecord | null>;
  readonly saveReply: (run: RunId, key: AskedSample, record: ReplyRecord) => Promise<ReplyRecord>;
  readonly observation: (
    run: RunId,
    key: AskedSample,
    turn: number,
  ) => Promise<ObservationRecord | null>;
  readonly saveObservation: (
    run: RunId,
    key: AskedSample,
    record: ObservationRecord,
  ) => Promise<ObservationRecord>;

  /** Where the replies of a question's judges are (`JudgingFilesPort`). */
  readonly judgesFolder: (run: RunId, key: AskedSample) => Promise<string>;
  /** Of all judges, in no particular order. */
  readonly judgeReplies: (run: RunId, key: AskedSample) => Promise<readonly JudgeReply[]>;
  readonly saveJudgeReply: (run: RunId, key: AskedSample, reply: JudgeReply) => Promise<JudgeReply>;

  readonly execution: (run: RunId, key: AskedSample) => Promise<Execution | null>;
  readonly saveExecution: (
    run: RunId,
    key: AskedSample,
    execution: Execution,
  ) => Promise<Execution>;

  /** What the user's own scorer concluded. */
  readonly ownVerdict: (run: RunId, key: AskedSample) => Promise<Verdict | null>;
  readonly saveOwnVerdict: (run: RunId, key: AskedSample, verdict: Verdict) => Promise<Verdict>;

  /** What a batch has answered to a call of the question. @param name - of the call or its failure */
  readonly batchedAnswer: (
    run: RunId,
    key: AskedSample,
    name: string,
  ) => Promise<BatchedAnswer | null>;
  readonly saveBatchedAnswer: (
    run: RunId,
    key: AskedSample,
    name: string,
    answer: BatchedAnswer,
  ) => Promise<BatchedAnswer>;

  readonly end: (run: RunId, key: AskedSample) => Promise<EndRecord | null>;
  /** @param trace - @defaultValue null, for a question over papers */
  readonly saveEnd: (
    run: RunId,
    key: AskedSample,
    record: EndRecord,
    trajectory: readonly Message[],
    trace?: AnswerTrace | null,
  ) => Promise<EndRecord>;
  /** Puts the records of a question that has ended into one object. They are read as before. */
  readonly pack: (run: RunId, key: AskedSample) => Promise<void>;
  /** The number of the current asking of a question, from 1. */
  readonly asking: (run: RunId, key: SampleKey) => Promise<number>;
  /**
   * Leaves the ends of `keys` behind, and removes their lines in `results.jsonl` and `scores.jsonl`. Whoever still works on
   * the asking that is left behind changes nothing of the next one. A call that comes after another of the same asking
   * does nothing.
   * @param anew - also leaves their turns behind: they begin with the first turn again
   */
  readonly reopen: (run: RunId, keys: readonly AskedSample[], anew: boolean) => Promise<void>;
  /** The replies of models and judges in turns that were left behind, without damaged ones. */
  readonly earlierReplies: (run: RunId, key: SampleKey) => Promise<readonly PaidCall[]>;
  /** The facts of the graph queries in turns that were left behind. */
  readonly earlierFacts: (run: RunId, key: SampleKey) => Promise<readonly ToolFacts[]>;
  /** Adds a line to `results.jsonl` and `scores.jsonl` for each record that has none, and is of the current asking. */
  readonly publish: (run: RunId, records: readonly EndRecord[]) => Promise<void>;

  /** Adds what a person has written to `notes.jsonl` or `rulings.jsonl`. */
  readonly addLine: (
    run: RunId,
    file: typeof notesFile | typeof rulingsFile,
    line: NoteLine | RulingLine,
  ) => Promise<void>;

  /** The numbers of a question's turns whose reply is stored, in ascending order. */
  readonly repliedTurns: (run: RunId, key: AskedSample) => Promise<readonly number[]>;
  /** When a file of a question was last stored, in milliseconds since 1970; null if none was. */
  readonly storedAtMs: (run: RunId, key: AskedSample) => Promise<number | null>;

  /** One file of a run by its name (`domain/runs/run-manifest.ts`); null if there is none. */
  readonly text: (run: RunId, file: string) => Promise<string | null>;
  /** When a file was written last, in milliseconds since 1970; null if there is none. */
  readonly writtenMs: (run: RunId, file: string) => Promise<number | null>;
  readonly saveText: (run: RunId, file: string, text: string) => Promise<void>;
  /** Does nothing if there is no such file. */
  readonly removeText: (run: RunId, file: string) => Promise<void>;
  readonly json: <T>(run: RunId, file: string, schema: z.ZodType<T>) => Promise<T | null>;
  /** The names directly in a folder of a run; those of folders end with `/`. */
  readonly names: (run: RunId, folder: string) => Promise<readonly string[]>;
  /** The lines of a JSONL file. A line of `results.jsonl` or `scores.jsonl` that is still being appended is left out. */
  readonly lines: <T>(run: RunId, file: string, schema: z.ZodType<T>) => Promise<readonly T[]>;
  /** Gives the lines of `results.jsonl` or `scores.jsonl` one by one: of a large run they do not fit into memory. */
  readonly eachLine: <T>(
    run: RunId,
    file: string,
    schema: z.ZodType<T>,
    use: (line: T) => void,
  ) => Promise<void>;
  /** The last lines of `results.jsonl` or `scores.jsonl`: about as many as take `bytes`. */
  readonly lastLines: <T>(
    run: RunId,
    file: string,
    schema: z.ZodType<T>,
    bytes: number,
  ) => Promise<readonly T[]>;
}

/** The workflows of questions. */
export interface QuestionsPort {
  /**
   * Those of a run whose workflows are open, seconds late: one that has just begun or closed may be wrong. Throws PortFailure
   * if Temporal cannot be reached, as do the others.
   */
  readonly listOpen: (run: RunId) => Promise<{ readonly has: (key: SampleKey) => boolean }>;
  /** Whether the workflow of a question is open. */
  readonly isOpen: (run: RunId, key: SampleKey) => Promise<boolean>;
  /**
   * Starts the workflow of a question again that closed without an end. Resolves to why it does not: it was deleted, or has been
   * started again too often. Null where it is open.
   */
  readonly restart: (run: RunId, key: SampleKey) => Promise<string | null>;
  /**
   * Starts the workflow of a question. One that closed without an end goes on from its stored turns. False where it is open
   * already. Throws PortFailure if Temporal cannot be reached, or while an earlier asking of the question closes.
   */
  readonly start: (question: QuestionToStart) => Promise<boolean>;
  /** Tells a run of the end of a question. A run that is gone need not be told: it reads what is stored when it starts again. */
  readonly reportEnd: (ref: QuestionRef, ended: EndedQuestion) => Promise<void>;
}

interface Startable {
  readonly settings: QuestionSettings;
  /** Of the workers that are to answer. */
  readonly taskQueue: string;
}

interface QuestionToStart extends Startable {
  readonly sample: Sample;
}

export interface QuestionsToStart extends Startable {
  readonly samples: readonly Sample[];
  /** How long after each other. @defaultValue 0 */
  readonly apartMs?: number;
}

/** The files of batches, and of the calls that wait for them, of one run or job. Each method rejects as those of RunFilesPort do. */
export interface BatchFiles {
  readonly json: <T>(file: string, schema: z.ZodType<T>) => Promise<T | null>;
  readonly saveText: (file: string, text: string) => Promise<void>;
  /** Does nothing if there is no such file. */
  readonly removeText: (file: string) => Promise<void>;
  /** The names directly in a folder. */
  readonly names: (folder: string) => Promise<readonly string[]>;
  /** What a batch has answered to a call. @param name - of the call or its failure */
  readonly answer: (key: SampleKey, name: string) => Promise<BatchedAnswer | null>;
  /** Keeps the first answer of a name. */
  readonly saveAnswer: (
    key: SampleKey,
    name: string,
    answer: BatchedAnswer,
  ) => Promise<BatchedAnswer>;
}

export type BatchFilesPort = (owner: BatchOwner) => BatchFiles;

/**
 * Answers that are judged outside of a run, and the replies of their judges. A folder is relative to the storage, as
 * `judgesFolder` of RunFilesPort gives it. Throws PortFailure.
 */
export interface JudgingFilesPort {
  readonly job: (judging: JudgingId) => Promise<JudgingJob>;
  /** Of all judges, in no particular order. @param folder - of a case */
  readonly replies: (folder: string) => Promise<readonly JudgeReply[]>;
  /** Keeps the first reply to a request, and resolves to the reply that is stored. */
  readonly saveReply: (folder: string, reply: JudgeReply) => Promise<JudgeReply>;
}

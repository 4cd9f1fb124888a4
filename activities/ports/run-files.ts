import type { z } from 'zod';
import type { QuestionContext } from '../../domain/agent/question-context.js';
import type { ObservationRecord, PaidCall, ReplyRecord } from '../../domain/agent/turn-record.js';
import type { QuestionId, RunId, SampleKey } from '../../domain/ids.js';
import type { Message } from '../../domain/models/chat-message.js';
import type { EndRecord } from '../../domain/runs/question-end.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import type { JudgeReply } from '../../domain/scoring/judging/judge-request.js';
import type { JudgingId, JudgingJob } from '../../domain/scoring/judging/judging-job.js';
import { PortFailure } from './port-failure.js';

/** A file of a run that cannot be parsed. */
export class DamagedRunFile extends PortFailure {
  /** @param file - inside the run's folder, with the line where there is one */
  constructor(
    run: RunId,
    readonly file: string,
    readonly reason: string,
  ) {
    super('InvalidRun', `${file} of run ${run} is damaged: ${reason}`);
  }
}

/**
 * The files of runs, for workers and the command line. Every write is atomic, so that a reader never sees half a text.
 * What a question leaves is keyed by run, question, epoch and turn. The first record of a key is kept: `save…` resolves
 * to the record that is kept, because an attempt that was given up for lost may still come to its end. Rejects with
 * PortFailure: `RunFilesUnavailable` for what may pass, `InvalidRun` for what will not.
 */
export interface RunFilesPort {
  /** In no particular order. */
  readonly runs: () => Promise<readonly RunId[]>;
  readonly manifest: (run: RunId) => Promise<RunManifest>;
  readonly saveManifest: (manifest: RunManifest) => Promise<void>;
  readonly items: (run: RunId) => Promise<readonly DatasetItem[]>;
  readonly item: (run: RunId, uuid: QuestionId) => Promise<DatasetItem>;

  readonly briefing: (run: RunId, key: SampleKey) => Promise<QuestionContext | null>;
  readonly saveBriefing: (
    run: RunId,
    key: SampleKey,
    briefing: QuestionContext,
  ) => Promise<QuestionContext>;
  readonly reply: (run: RunId, key: SampleKey, turn: number) => Promise<ReplyRecord | null>;
  readonly saveReply: (run: RunId, key: SampleKey, record: ReplyRecord) => Promise<ReplyRecord>;
  readonly observation: (
    run: RunId,
    key: SampleKey,
    turn: number,
  ) => Promise<ObservationRecord | null>;
  readonly saveObservation: (
    run: RunId,
    key: SampleKey,
    record: ObservationRecord,
  ) => Promise<ObservationRecord>;

  /** Of all judges, in no particular order. */
  readonly judgeReplies: (run: RunId, key: SampleKey) => Promise<readonly JudgeReply[]>;
  readonly saveJudgeReply: (run: RunId, key: SampleKey, reply: JudgeReply) => Promise<JudgeReply>;

  readonly end: (run: RunId, key: SampleKey) => Promise<EndRecord | null>;
  readonly saveEnd: (
    run: RunId,
    key: SampleKey,
    record: EndRecord,
    trajectory: readonly Message[],
  ) => Promise<EndRecord>;
  /**
   * Takes back the ends of `keys` and their lines in `results.jsonl` and `scores.jsonl`. Nothing else may publish
   * meanwhile.
   * @param anew - their turns are put aside as well
   */
  readonly reopen: (run: RunId, keys: readonly SampleKey[], anew: boolean) => Promise<void>;
  /** The replies of turns that were put aside, and those of their judges. */
  readonly earlierReplies: (run: RunId, key: SampleKey) => Promise<readonly PaidCall[]>;
  /** Adds lines to `results.jsonl` and `scores.jsonl` for those that have none yet. One caller at a time. */
  readonly publish: (run: RunId, records: readonly EndRecord[]) => Promise<void>;

  /** The numbers of a question's turns whose reply is stored, in ascending order. */
  readonly repliedTurns: (run: RunId, key: SampleKey) => Promise<readonly number[]>;
  /** When something of a question was stored last, in milliseconds since 1970; null where nothing was. */
  readonly storedAtMs: (run: RunId, key: SampleKey) => Promise<number | null>;

  /** One file of a run by its name (`domain/runs/run-layout.ts`); null where there is none. */
  readonly text: (run: RunId, file: string) => Promise<string | null>;
  readonly saveText: (run: RunId, file: string, text: string) => Promise<void>;
  readonly json: <T>(run: RunId, file: string, schema: z.ZodType<T>) => Promise<T | null>;
  /** The whole lines of a file of JSON lines; a last line that is being appended is left out. */
  readonly lines: <T>(run: RunId, file: string, schema: z.ZodType<T>) => Promise<readonly T[]>;
}

/** What the workflow engine knows of a question. */
export interface QuestionsPort {
  /** Whether a workflow of this id is open. Throws PortFailure where the engine cannot be asked. */
  readonly isOpen: (workflowId: string) => Promise<boolean>;
}

/** Answers that are judged by themselves, and what judges say about them. Throws PortFailure. */
export interface JudgingFilesPort {
  readonly job: (judging: JudgingId) => Promise<JudgingJob>;
  /** Of all judges, in no particular order. @param folder - of a case */
  readonly replies: (folder: string) => Promise<readonly JudgeReply[]>;
  /** The first reply to a request stays; what is stored is returned. */
  readonly saveReply: (folder: string, reply: JudgeReply) => Promise<JudgeReply>;
}

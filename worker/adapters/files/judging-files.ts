import { join } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { JudgingFilesPort } from '../../../activities/ports/run-files.js';
import {
  judgingFile,
  judgingJobSchema,
  type JudgingId,
  type JudgingJob,
} from '../../../domain/scoring/judging/judging-job.js';
import { filesUnavailable, readJsonFile } from '../../../storage/atomic-file.js';
import { readJudgeReplies, saveJudgeReply } from '../../../storage/run-files.js';

/** Jobs and judgements in a folder that every worker and the client can see: TURNWISE_HOME. */
export function createFolderJudgingFiles(home: string): JudgingFilesPort {
  /** The one that was asked for last: a job never changes, and is as large as its answers are. */
  let known: { readonly id: JudgingId; readonly job: Promise<JudgingJob> } | null = null;

  async function read(id: JudgingId): Promise<JudgingJob> {
    const path = judgingFile(id);
    const json = await readJsonFile(join(home, path)).catch((error: unknown) => {
      throw filesUnavailable(`${path} cannot be read`, error);
    });
    const parsed = judgingJobSchema.safeParse(json);
    if (parsed.success) return parsed.data;
    throw new PortFailure('InvalidRun', `${path} is missing or damaged: give the command again`);
  }

  return {
    job: (id) => {
      if (known?.id !== id) {
        const job = read(id);
        known = { id, job };
        job.catch(() => {
          if (known?.job === job) known = null;
        });
      }
      return known.job;
    },
    replies: (folder) => readJudgeReplies(join(home, folder)),
    saveReply: (folder, reply) => saveJudgeReply(join(home, folder), reply),
  };
}

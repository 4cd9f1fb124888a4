import { join } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { JudgingFilesPort } from '../../../activities/ports/run-files.js';
import {
  judgingFile,
  judgingJobSchema,
  type JudgingId,
  type JudgingJob,
} from '../../../domain/scoring/judging/judging-job.js';
import { accessingFiles, readJsonFile } from '../../../storage/atomic-file.js';
import { readJudgeReplies, saveJudgeReply } from '../../../storage/judge-replies.js';

/** Judging jobs and their replies in TURNWISE_HOME, which every worker and the client can access. */
export function createFolderJudgingFiles(home: string): JudgingFilesPort {
  /** The job that was read last. A job never changes, and it is large, since it holds the answers. */
  let known: { readonly id: JudgingId; readonly job: Promise<JudgingJob> } | null = null;

  async function read(id: JudgingId): Promise<JudgingJob> {
    const path = judgingFile(id);
    const json = await accessingFiles(`${path} cannot be read`, () =>
      readJsonFile(join(home, path)),
    );
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

import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { JudgingFilesPort } from '../../../activities/ports/run-files.js';
import {
  judgingFile,
  judgingJobSchema,
  type JudgingId,
  type JudgingJob,
} from '../../../domain/scoring/judging/judging-job.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { accessingFiles } from '../../../storage/atomic-file.js';
import { readJudgeReplies, saveJudgeReply } from '../../../storage/judge-replies.js';
import { readText, type ObjectStorage } from '../../../storage/objects.js';

/** Judging jobs and their replies, in the storage of the runs. */
export function createJudgingFiles(storage: ObjectStorage): JudgingFilesPort {
  /** The job that was read last. A job never changes, and it is large, since it holds the answers. */
  let known: { readonly id: JudgingId; readonly job: Promise<JudgingJob> } | null = null;

  async function read(id: JudgingId): Promise<JudgingJob> {
    const path = judgingFile(id);
    const text = await accessingFiles(`${path} cannot be read`, () => readText(storage, path));
    const parsed = judgingJobSchema.safeParse(jsonIn(text ?? ''));
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
    replies: (folder) => readJudgeReplies(storage, folder),
    saveReply: (folder, reply) => saveJudgeReply(storage, folder, reply),
  };
}

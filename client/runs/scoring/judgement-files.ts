import { createHash } from 'node:crypto';
import type { JudgeReply } from '../../../domain/scoring/judging/judge-request.js';
import {
  judgingFile,
  judgingIdSchema,
  type JudgingId,
  type JudgingJob,
} from '../../../domain/scoring/judging/judging-job.js';
import { readJudgeReplies } from '../../../storage/judge-replies.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import { forUsers, unwritable } from '../run-folder.js';

/** What judges say about answers, and what they are asked, in the storage of the runs as commands see it. */
export class JudgementFiles {
  constructor(private readonly storage: ObjectStorage) {}

  /** What was said about an answer. @param folder - inside the storage */
  replies(folder: string): Promise<readonly JudgeReply[]> {
    return forUsers(this.storage.location, readJudgeReplies(this.storage, folder));
  }

  /** Writes a job for the workers. The same job again is the same file. */
  async writeJob(job: JudgingJob): Promise<JudgingId> {
    const text = `${JSON.stringify(job)}\n`;
    const id = judgingIdSchema.parse(createHash('sha256').update(text).digest('hex').slice(0, 16));
    try {
      await this.storage.write(judgingFile(id), text);
    } catch (error) {
      throw unwritable(`${this.storage.location}/${judgingFile(id)}`, error);
    }
    return id;
  }

  removeJob(id: JudgingId): Promise<void> {
    return this.storage.remove(judgingFile(id));
  }
}

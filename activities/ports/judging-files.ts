import type { JudgeReply } from '../../domain/judging/judge-reply.js';
import type { JudgingId, JudgingJob } from '../../domain/judging/judging-job.js';

/** Answers that are judged by themselves, and what judges say about them. Throws PortFailure. */
export interface JudgingFilesPort {
  readonly job: (judging: JudgingId) => Promise<JudgingJob>;
  /** Of all judges, in no particular order. @param folder - of a case */
  readonly replies: (folder: string) => Promise<readonly JudgeReply[]>;
  /** The first reply to a request stays; what is stored is returned. */
  readonly saveReply: (folder: string, reply: JudgeReply) => Promise<JudgeReply>;
}

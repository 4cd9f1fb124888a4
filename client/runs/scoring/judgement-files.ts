import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jsonIn } from '../../../domain/formats/json.js';
import {
  judgeReplySchema,
  type JudgeReply,
} from '../../../domain/scoring/judging/judge-request.js';
import {
  judgingFile,
  judgingIdSchema,
  type JudgingId,
  type JudgingJob,
} from '../../../domain/scoring/judging/judging-job.js';
import { isAbsence } from '../../../storage/atomic-file.js';
import { UserError } from '../../../domain/user-error.js';

/** What judges say about answers, and what they are asked, in TURNWISE_HOME as commands see it. */
export class JudgementFiles {
  constructor(private readonly home: string) {}

  /** What was said about an answer. @param folder - inside TURNWISE_HOME */
  replies(folder: string): readonly JudgeReply[] {
    return this.#names(folder)
      .filter((name) => name.endsWith('.judge.json'))
      .map((name) => this.#reply(join(this.home, folder, name)));
  }

  /** Writes a job for the workers. The same job again is the same file. */
  writeJob(job: JudgingJob): JudgingId {
    const text = `${JSON.stringify(job)}\n`;
    const id = judgingIdSchema.parse(createHash('sha256').update(text).digest('hex').slice(0, 16));
    const path = join(this.home, judgingFile(id));
    const draft = `${path}.${process.pid}.tmp`;
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(draft, text);
      renameSync(draft, path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new UserError(
        `${path} cannot be written (${reason}): make it writable, or set TURNWISE_HOME to another folder`,
      );
    }
    return id;
  }

  removeJob(id: JudgingId): void {
    rmSync(join(this.home, judgingFile(id)), { force: true });
  }

  /** None where nobody said anything. */
  #names(folder: string): readonly string[] {
    try {
      return readdirSync(join(this.home, folder));
    } catch (error) {
      if (isAbsence(error)) return [];
      throw error;
    }
  }

  #reply(path: string): JudgeReply {
    const parsed = judgeReplySchema.safeParse(jsonIn(readFileSync(path, 'utf8')));
    if (parsed.success) return parsed.data;
    throw new UserError(`${path} is damaged: remove it, and its judge is asked again`);
  }
}

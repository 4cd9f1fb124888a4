import { createHash } from 'node:crypto';
import { v5 as uuid5 } from 'uuid';
import type { Cap } from '../../../domain/budget/amount.js';
import { exactJson } from '../../../domain/formats/json.js';
import type { RunId } from '../../../domain/ids.js';
import { evaluatorOf } from '../../../domain/scoring/dataset-item.js';
import { readJudgeReplies, judgedScore } from '../../../domain/scoring/judging/judged-score.js';
import {
  answerText,
  caseOfLine,
  judgementsFolder,
  judgingWorkflowId,
  judgingFile,
  judgingFolder,
  judgingIdSchema,
  type CaseLine,
  type JudgingJob,
  type JudgingId,
} from '../../../domain/scoring/judging/judging-job.js';
import { type JudgingConfig } from '../../../domain/scoring/judging/judging-config.js';
import type { CallsProgress } from '../../../domain/scoring/open-calls.js';
import { storageOf, type Environment } from '../../../domain/settings.js';
import type { AnswerToScore } from '../../../domain/scoring/predictions.js';
import type { JudgeReply } from '../../../domain/scoring/judging/judge-request.js';
import type { JudgeAnswersInput } from '../../../workflows/jobs/call-jobs.js';
import { workflowNames } from '../../../workflows/messages.js';
import { openStorage } from '../../../storage/open-storage.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { readJudgeReplies as storedReplies } from '../../../storage/paid-records.js';
import type { ObjectStorage } from '../../../storage/objects.js';
import type { Session } from '../../services/session.js';
import { forUsers, unwritable } from '../run-folder.js';
import { executeCalls, jobLimits } from './execute-calls.js';
import type { JudgePort } from './score-answers.js';

export interface Panel {
  readonly config: JudgingConfig;
  /** Calls at a time. */
  readonly concurrency: number;
  /** What this command may spend. */
  readonly budget: Cap;
  /** Of the run whose answers are judged; null for answers made elsewhere. */
  readonly run: RunId | null;
  /** Told what was asked and spent, where anything was. */
  readonly onJudged: (progress: CallsProgress) => void;
}

/** Runs `work` with services. */
type WithSession = <T>(
  environment: Environment,
  work: (session: Session) => Promise<T>,
) => Promise<T>;

/** Why judges could not be asked about an answer, in their order, by the folder of the answer. */
type Failures = ReadonlyMap<string, readonly (string | null)[]>;

const noFailures: Failures = new Map();

/**
 * Judges that workers ask (docs/explanation/decisions/0010). What they have said about an answer is not asked again: of a run's
 * answers it is in the run's folder, of others in `judgements/`. Where nothing is left to be asked, no service is started.
 */
export function createPanel(
  environment: Environment,
  panel: Panel,
  withSession: WithSession,
): JudgePort {
  const { config, run } = panel;
  const files = new JudgementFiles(openStorage(storageOf(environment)));
  const runFiles = openRunFiles(storageOf(environment));
  return {
    config,
    judge: async (answers, mode) => {
      const judged = await Promise.all(
        answers.map(async (answer) => ({ ...answer, line: await lineOf(answer) })),
      );
      const lines = new Map(judged.map(({ line }) => [line.folder, line]));
      const cases = [...lines.values()];
      // All of them, also those that are judged: the same command is to find the same job, however far that is.
      const open = await Promise.all(cases.map((line) => isOpen(line, mode)));
      const failures = open.includes(true)
        ? await ask({ judging: config, mode, cases })
        : noFailures;
      const scores = judged.map(async ({ prediction: { uuid, epoch }, item, line }) => {
        const score = judgedScore(caseOfLine(line, mode), {
          config,
          replies: await files.replies(line.folder),
          failures: failures.get(line.folder) ?? [],
        });
        const { verdict } = score;
        return {
          uuid,
          epoch,
          score: verdict.kind === 'scored' ? verdict.score : null,
          scorer: evaluatorOf(item)?.eval_func ?? null,
          ...score,
        };
      });
      return Promise.all(scores);
    },
  };

  async function isOpen(line: CaseLine, mode: JudgingJob['mode']): Promise<boolean> {
    const replies = await files.replies(line.folder);
    const answer = caseOfLine(line, mode);
    return config.models.some(
      (model) => readJudgeReplies(answer, model, config, replies).finding.kind === 'open',
    );
  }

  async function ask(job: JudgingJob): Promise<Failures> {
    const id = await files.writeJob(job);
    const progress = await withSession(environment, (session) =>
      executeCalls<JudgeAnswersInput>(session.client, {
        workflow: workflowNames.judgeAnswers,
        workflowId: judgingWorkflowId(session.client.home, id),
        taskQueue: session.client.queue,
        run,
        summary: `${job.cases.length} answers before ${config.models.length} judges`,
        done: 'judged',
        cases: 'answers',
        input: {
          judging: id,
          cases: job.cases.length,
          concurrency: panel.concurrency,
          budget: panel.budget,
          ...jobLimits(config.models, judgingFolder(id)),
        },
      }),
    );
    // Of a command that is interrupted it stays: the same command goes on with it.
    await files.removeJob(id);
    panel.onJudged(progress);
    return failuresOf(job, progress);
  }

  async function lineOf({ prediction, item }: AnswerToScore): Promise<CaseLine> {
    const { answer, uuid, epoch } = prediction;
    const evaluator = evaluatorOf(item);
    // What needs a judge has both.
    if (answer === null || evaluator === undefined) throw new Error(`${uuid} needs no judge`);
    const text = answerText(answer);
    const key = uuid5(exactJson([text, evaluator]), namespace).replaceAll('-', '');
    const folder =
      run === null ? judgementsFolder(key) : await runFiles.judgesFolder(run, { uuid, epoch });
    return { folder, answer: text, evaluator };
  }
}

/** Of the keys of answers that are no run's; any constant would do. */
const namespace = '3f6d2c1e-8a47-4c09-9d55-b7e0c1a4f286';

function failuresOf({ judging, cases }: JudgingJob, { failures, parked }: CallsProgress): Failures {
  const known = new Map(failures.map((each) => [`${each.index} ${each.member}`, each.message]));
  const unasked =
    parked === null ? `after ${failures.length} failures it was not asked` : 'the budget is spent';
  return new Map(
    cases.map(({ folder }, index) => [
      folder,
      judging.models.map((_, judge) => known.get(`${index} ${judge}`) ?? unasked),
    ]),
  );
}

/** What judges say about answers, and what they are asked, in the storage of the runs as commands see it. */
export class JudgementFiles {
  constructor(private readonly storage: ObjectStorage) {}

  /** What was said about an answer. @param folder - inside the storage */
  replies(folder: string): Promise<readonly JudgeReply[]> {
    return forUsers(this.storage.location, storedReplies(this.storage, folder));
  }

  /** Writes a job for the workers. The same job again is the same file. */
  async writeJob(job: JudgingJob): Promise<JudgingId> {
    const text = `${exactJson(job)}\n`;
    const id = judgingIdSchema.parse(createHash('sha256').update(text).digest('hex').slice(0, 16));
    try {
      await this.storage.write(judgingFile(id), text);
    } catch (error) {
      throw unwritable(`${this.storage.location}/${judgingFile(id)}`, error);
    }
    return id;
  }

  async removeJob(id: JudgingId): Promise<void> {
    await this.storage.remove(judgingFile(id));
    await this.storage.removeFolder(judgingFolder(id));
  }
}

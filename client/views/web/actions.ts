import { z } from 'zod';
import { questionIdSchema, type RunId } from '../../../domain/ids.js';
import { tuningProblem } from '../../../domain/runs/run-config.js';
import { UserError } from '../../../domain/user-error.js';
import type { EndedChoice } from '../../runs/choose-samples.js';
import { addNote, removeNote } from '../../runs/note-run.js';
import { ruleOn, signRun } from '../../runs/rule-run.js';
import { notServed } from '../../runs/run-folder.js';
import { planRetry, retryQuestions } from '../../runs/steering/retry-questions.js';
import {
  cancelRun,
  pauseRun,
  resumeRun,
  cancelQuestion,
  tuneRun,
} from '../../runs/steering/steer-run.js';
import { tuningIn } from '../../runs/steering/tuning-options.js';
import { connectTemporal } from '../../services/session.js';
import {
  cancelledText,
  noteRemovedText,
  notedText,
  nothingToRetry,
  pausedText,
  resumedText,
  retriedText,
  ruledText,
  signedText,
  cancelledQuestionText,
  tunedText,
} from '../print-summary.js';
import { actionPaths } from '../page/page-paths.js';
import { parsed } from './parse-request.js';
import { runIn, sampleIn, type ViewHome } from './view-home.js';
import type { ViewAction } from './view-page.js';

const pauseSchema = z.strictObject({ now: z.boolean() });
const retrySchema = z.strictObject({ anew: z.boolean() });
const tuneSchema = z.record(z.string(), z.string());
const bySchema = z.strictObject({ by: z.string() });

/** What the commands that steer a run do, with the same words. */
export const viewActions = (home: ViewHome): readonly ViewAction[] => [
  action(actionPaths.pause, async (run, body) => {
    const { now } = parsed(pauseSchema, body);
    return pausedText(await pauseRun(run, now));
  }),
  action(actionPaths.resume, async (run) => resumedText(await resumeRun(run))),
  action(actionPaths.tune, async (run, body) => {
    const tuning = tuningIn(parsed(tuneSchema, body));
    const problem = tuningProblem(tuning, Date.now());
    if (problem !== null) throw new UserError(problem);
    return tunedText(await tuneRun(run, tuning));
  }),
  action(actionPaths.cancel, async (run) => {
    const { manifest, ended } = await cancelRun(run);
    return cancelledText(manifest, ended);
  }),
  action(actionPaths.retry, (run, body) => retry(home, run, {}, body)),
  action(actionPaths.note, async (run, body) => notedText(await addNote(home.folder(run), body))),
  {
    path: actionPaths.removeNote,
    act: async (parameters, body) => {
      const run = runIn(parameters);
      const { by } = parsed(bySchema, body);
      const removed = await removeNote(home.folder(run), parameters['note'] ?? '', by);
      return `run ${run} ${noteRemovedText(removed)}`;
    },
  },
  action(actionPaths.rule, async (run, body) => {
    const rulings = await ruleOn(home.folder(run), body);
    const again = rulings.filter(({ decision }) => decision === 'again');
    const asked = again.map(({ about: { uuid, epoch } }) =>
      retry(home, run, { questions: [uuid], epoch }, { anew: false }),
    );
    return [ruledText(rulings), ...(await Promise.all(asked))].join('; ');
  }),
  action(actionPaths.sign, async (run, body) => {
    const { by } = parsed(bySchema, body);
    return `is ${signedText(await signRun(home.folder(run), by))}`;
  }),
  {
    path: actionPaths.cancelQuestion,
    act: async (parameters) => {
      const run = runIn(parameters);
      const key = sampleIn(parameters);
      return `run ${run} ${cancelledQuestionText(key, await cancelQuestion(run, key))}`;
    },
  },
  {
    path: actionPaths.retryQuestion,
    act: async (parameters, body) => {
      const run = runIn(parameters);
      const uuid = parsed(questionIdSchema, parameters['uuid']);
      return `run ${run} ${await retry(home, run, { questions: [uuid] }, body)}`;
    },
  },
];

const action = (path: string, act: (run: RunId, body: unknown) => Promise<string>): ViewAction => ({
  path,
  act: async (parameters, body) => {
    const run = runIn(parameters);
    return `run ${run} ${await act(run, body)}`;
  },
});

/** Services that run already go on with it. */
async function retry(
  home: ViewHome,
  run: RunId,
  choice: EndedChoice,
  body: unknown,
): Promise<string> {
  const { anew } = parsed(retrySchema, body);
  const folder = home.folder(run);
  const plan = await planRetry(folder, choice);
  if (plan.questions.length === 0) throw new UserError(nothingToRetry(run, choice));
  const services = await home.services();
  if (!services) throw notServed(run);
  const client = await connectTemporal(services.temporalAddress, home.environment);
  try {
    return retriedText(plan.questions.length, await retryQuestions(client, folder, plan, anew));
  } finally {
    await client.connection.close();
  }
}

import { z } from 'zod';
import { questionIdSchema, type RunId } from '../../../domain/ids.js';
import { tuningProblem } from '../../../domain/runs/run-config.js';
import { UserError, exitStatus } from '../../../domain/user-error.js';
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
import type { RunSummary } from '../../../domain/runs/run-progress.js';
import { withConnection } from '../../services/session.js';
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
import { runIn, sampleIn, type ViewHome } from './view-home.js';
import type { PathParameters, ViewAction } from './view-page.js';
import { toldOf } from '../../../domain/building/decision-problem.js';
import { assigningSchema, decisionSchema } from '../../../domain/building/item.js';
import { pauseBuild } from '../../runs/building/build-dataset.js';
import { assignItem, decideItem } from '../../runs/building/decide-item.js';
import type { HomeClient } from '../../services/home-client.js';
import { pausedBuildText } from '../building-text.js';
import { datasetIn, itemIn } from './pages/dataset-pages.js';
import { firstIssue } from '../../../domain/formats/json.js';

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
  action(actionPaths.removeNote, async (run, body, { note = '' }) => {
    const { by } = parsed(bySchema, body);
    return noteRemovedText(await removeNote(home.folder(run), note, by));
  }),
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
  action(actionPaths.cancelQuestion, async (run, _, parameters) => {
    const key = sampleIn(parameters);
    return cancelledQuestionText(key, await cancelQuestion(run, key));
  }),
  action(actionPaths.retryQuestion, (run, body, { uuid }) =>
    retry(home, run, { questions: [parsed(questionIdSchema, uuid)] }, body),
  ),
];

const action = (
  path: string,
  act: (run: RunId, body: unknown, parameters: PathParameters) => Promise<string>,
): ViewAction => ({
  path,
  act: async (parameters, body) => {
    const run = runIn(parameters);
    return `run ${run} ${await act(run, body, parameters)}`;
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
  const retried = (client: HomeClient): Promise<RunSummary> =>
    retryQuestions(client, folder, plan, anew);
  return retriedText(plan.questions.length, await withClient(home, retried, notServed(run)));
}

const decideSchema = z.strictObject(decisionSchema.omit({ id: true }).shape);
const assignSchema = z.strictObject(assigningSchema.omit({ id: true }).shape);

/** What `dataset pause`, `resume`, `confirm` and `assign` do, with the same words. */
export const datasetActions = (home: ViewHome): readonly ViewAction[] => [
  pausing(home, actionPaths.pauseDataset, true),
  pausing(home, actionPaths.resumeDataset, false),
  {
    path: actionPaths.decide,
    act: async (parameters, body) => {
      const place = itemIn(parameters);
      const decision = parsed(decideSchema, body);
      const made = await withClient(home, (client) =>
        decideItem(home.environment, client, { ...place, ...decision }),
      );
      const again = made.isRepeated ? ' (it had been taken before)' : '';
      return `item ${place.item}: ${toldOf(made.decided)}${again}`;
    },
  },
  {
    path: actionPaths.assign,
    act: async (parameters, body) => {
      const place = itemIn(parameters);
      const { to, by } = parsed(assignSchema, body);
      await withClient(home, (client) =>
        assignItem(home.environment, client, { ...place, to, by }),
      );
      return `item ${place.item} is assigned to ${to.length === 0 ? 'everybody' : to.join(' and ')}`;
    },
  },
];

const pausing = (home: ViewHome, path: string, paused: boolean): ViewAction => ({
  path,
  act: async (parameters) => {
    const dataset = datasetIn(parameters);
    await withClient(home, (client) => pauseBuild(client, home.environment, dataset, paused));
    return pausedBuildText(dataset, paused);
  },
});

/** With the services that run already. @param absence - is thrown where none do */
async function withClient<T>(
  home: ViewHome,
  work: (client: HomeClient) => Promise<T>,
  absence = new UserError(
    'no services run, so nothing was done: `turnwise up` starts them',
    exitStatus.serviceUnreachable,
  ),
): Promise<T> {
  const services = await home.services();
  if (!services) throw absence;
  return withConnection(services.temporalAddress, home.environment, work);
}

/** Throws UserError where a request is not as its action wants it. */
function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UserError(`the request is not understood: it ${firstIssue(result.error)}`);
}

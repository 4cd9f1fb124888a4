import type { HomeId } from '../../domain/home.js';
import {
  questionWorkflowId,
  runWorkflowId,
  workflowPath,
  type RunId,
  type SampleKey,
} from '../../domain/ids.js';
import type { Environment } from '../../domain/settings.js';
import type { Services } from './ensure-services.js';

type WhereUiIs = Pick<Services, 'uiAddress'> & Pick<Environment, 'TEMPORAL_NAMESPACE'>;

/** Where the Temporal UI shows a run; null where nothing tells the address of the UI. */
export const runPage = (place: WhereUiIs, home: HomeId, run: RunId): string | null =>
  workflowPage(place, runWorkflowId(home, run));

/** Where it shows a question. */
export const questionPage = (
  place: WhereUiIs,
  home: HomeId,
  run: RunId,
  key: SampleKey,
): string | null => workflowPage(place, questionWorkflowId(home, run, key));

const workflowPage = (
  { uiAddress, TEMPORAL_NAMESPACE }: WhereUiIs,
  workflowId: string,
): string | null =>
  uiAddress === null ? null : `${uiAddress}${workflowPath(TEMPORAL_NAMESPACE, workflowId)}`;

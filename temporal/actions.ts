import type { WorkflowHandle } from '@temporalio/client';
import { sum } from '../domain/statistics/means.js';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];

/** One each. A child costs its parent one, too. */
const billed = [
  'workflowExecutionStartedEventAttributes',
  'startChildWorkflowExecutionInitiatedEventAttributes',
  'timerStartedEventAttributes',
  'workflowExecutionSignaledEventAttributes',
  'signalExternalWorkflowExecutionInitiatedEventAttributes',
  'workflowExecutionUpdateAcceptedEventAttributes',
  'upsertWorkflowSearchAttributesEventAttributes',
  'markerRecordedEventAttributes',
] as const satisfies readonly (keyof HistoryEvent)[];

/**
 * The actions that Temporal Cloud bills of a history, each attempt at an activity among them. Heartbeats and queries are in no
 * history. Source: https://docs.temporal.io/cloud/actions.
 */
export const billedActions = ({ events }: History): number => sum((events ?? []).map(actionsOf));

function actionsOf(event: HistoryEvent): number {
  const { activityTaskStartedEventAttributes: activity } = event;
  if (activity) return activity.attempt ?? 1;
  return billed.some((name) => event[name]) ? 1 : 0;
}

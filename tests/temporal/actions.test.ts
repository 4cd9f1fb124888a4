import { expect, it } from 'vitest';
import { billedActions } from '../../temporal/actions.js';

it('counts what Temporal Cloud bills: each attempt at an activity, and no task of a workflow', () => {
  const events = [
    { workflowExecutionStartedEventAttributes: {} },
    { workflowTaskScheduledEventAttributes: {} },
    { workflowTaskStartedEventAttributes: {} },
    { workflowTaskCompletedEventAttributes: {} },
    { upsertWorkflowSearchAttributesEventAttributes: {} },
    { activityTaskScheduledEventAttributes: {} },
    { activityTaskStartedEventAttributes: { attempt: 3 } },
    { activityTaskCompletedEventAttributes: {} },
    { timerStartedEventAttributes: {} },
    { timerFiredEventAttributes: {} },
    { workflowExecutionSignaledEventAttributes: {} },
    { workflowExecutionUpdateAcceptedEventAttributes: {} },
    { workflowExecutionUpdateCompletedEventAttributes: {} },
    { startChildWorkflowExecutionInitiatedEventAttributes: {} },
    { childWorkflowExecutionStartedEventAttributes: {} },
    { workflowExecutionCompletedEventAttributes: {} },
  ];
  expect(billedActions({ events })).toBe(9);
  expect(billedActions({})).toBe(0);
});

import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { QuestionsPort } from '../../activities/ports/questions.js';

/** Asks the Temporal server the worker is connected to. */
export function createTemporalQuestions(client: Client): QuestionsPort {
  return {
    isOpen: async (workflowId) => {
      try {
        const { status } = await client.workflow.getHandle(workflowId).describe();
        return status.name === 'RUNNING' || status.name === 'PAUSED';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw new PortFailure(
          'RunFilesUnavailable',
          `Temporal cannot be asked about ${workflowId}`,
          {
            cause: error,
          },
        );
      }
    },
  };
}

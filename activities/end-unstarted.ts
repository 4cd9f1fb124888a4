import { Context } from '@temporalio/activity';
import type { RunId } from '../domain/ids.js';
import type { Outcome } from '../domain/questions/outcome.js';
import { endOnce, type EndQuestionPorts } from './end-question.js';
import { reportingFailures } from './failures.js';
import { samplesInBatches } from './stored-ends.js';

export interface EndUnstartedInput {
  readonly run: RunId;
  readonly outcome: Outcome;
}

/**
 * Ends every question of a run that has no end yet, for a reason that lies outside it. None may be under way, but some
 * may have turns: of an earlier start of the run, or before a retry.
 */
export function createEndUnstarted(
  ports: EndQuestionPorts,
): (input: EndUnstartedInput) => Promise<void> {
  return async function endUnstarted({ run, outcome }) {
    return reportingFailures(async () => {
      for await (const batch of samplesInBatches(ports.runFiles, run)) {
        Context.current().heartbeat();
        const startedAt = ports.clock.now();
        const left = batch.filter(({ end }) => end === null);
        await Promise.all(
          left.map(({ sample: { uuid, epoch } }) =>
            endOnce(ports, { run, uuid, epoch, outcome, startedAt, begun: false }),
          ),
        );
      }
    });
  };
}

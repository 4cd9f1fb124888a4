import { Context } from '@temporalio/activity';
import { endOfQuestion } from '../domain/questions/end-of-question.js';
import type { Outcome } from '../domain/questions/outcome.js';
import type { RunId, SampleKey } from '../domain/ids.js';
import { reportingFailures } from './failures.js';
import type { ClockPort } from './ports/clock.js';
import type { RunFilesPort } from './ports/run-files.js';
import { samplesInBatches } from './stored-ends.js';

export interface EndUnstartedInput {
  readonly run: RunId;
  readonly outcome: Outcome;
}

/** Ends every question of a run that has no end yet, for a reason that lies outside it. None may be under way. */
export function createEndUnstarted({
  runFiles,
  clock,
}: {
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}): (input: EndUnstartedInput) => Promise<void> {
  return async function endUnstarted({ run, outcome }) {
    return reportingFailures(async () => {
      const { config } = await runFiles.manifest(run);
      for await (const batch of samplesInBatches(runFiles, run)) {
        Context.current().heartbeat();
        const left = batch.filter(({ end }) => end === null);
        await Promise.all(left.map(({ sample: { uuid, epoch } }) => end({ uuid, epoch })));
      }

      async function end(key: SampleKey): Promise<void> {
        const now = clock.now();
        const record = endOfQuestion({
          ...key,
          item: await runFiles.item(run, key.uuid),
          turns: [],
          unfinished: null,
          outcome,
          strict: config.strict,
          hearing: null,
          startedAt: now,
          endedAt: now,
        });
        await runFiles.saveEnd(run, key, record, []);
      }
    });
  };
}

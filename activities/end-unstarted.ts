import { Context } from '@temporalio/activity';
import { endOfQuestion } from '../domain/questions/end-of-question.js';
import type { Outcome } from '../domain/questions/outcome.js';
import { samplesOf } from '../domain/questions/samples.js';
import type { RunId } from '../domain/ids.js';
import { reportingFailures } from './failures.js';
import type { ClockPort } from './ports/clock.js';
import type { RunFilesPort } from './ports/run-files.js';
import { storedEnds } from './stored-ends.js';

export interface EndUnstartedInput {
  readonly run: RunId;
  readonly outcome: Outcome;
}

const batchSize = 100;

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
      const samples = samplesOf(await runFiles.items(run), config.epochs);
      for (let offset = 0; offset < samples.length; offset += batchSize) {
        Context.current().heartbeat();
        const page = samples.slice(offset, offset + batchSize);
        const ends = await storedEnds(runFiles, run, page);
        const left = page.filter((_, index) => ends[index] === null);
        await Promise.all(left.map(({ uuid, epoch }) => end({ uuid, epoch })));
      }

      async function end(key: Pick<(typeof samples)[number], 'uuid' | 'epoch'>): Promise<void> {
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

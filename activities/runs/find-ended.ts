import type { RunId, SampleKey } from '../../domain/ids.js';
import { endedQuestion } from '../../domain/runs/question-end.js';
import type { EndedQuestion } from '../../domain/runs/run-totals.js';
import { activity } from '../failures.js';
import type { QuestionsPort, RunFilesPort } from '../ports/run-files.js';

interface FindEndedPorts {
  readonly runFiles: RunFilesPort;
  readonly questions: Pick<QuestionsPort, 'listOpen' | 'isOpen'>;
}

type ClosedQuestion =
  | { readonly kind: 'ended'; readonly ended: EndedQuestion }
  /** Its workflow was terminated or deleted before it stored the end of this asking. */
  | { readonly kind: 'lost' };

interface FoundQuestion extends SampleKey {
  readonly asking: number;
  readonly state: ClosedQuestion;
}

/** Those of `keys` that have ended or whose workflow is closed: a lost report must not stall a run. */
export function createFindEnded({
  runFiles,
  questions,
}: FindEndedPorts): (input: {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
}) => Promise<{ readonly found: readonly FoundQuestion[] }> {
  return activity(async ({ run, keys }) => {
    const found: FoundQuestion[] = [];
    const open = await questions.listOpen(run);
    for (const { uuid, epoch } of keys) {
      const key = { uuid, epoch };
      if (open.has(key)) continue;
      // In this order, since a workflow stores the end before it closes: the end of a closed one can then be read.
      const asking = await runFiles.asking(run, key);
      const isOpen = await questions.isOpen(run, key);
      const record = await runFiles.end(run, { ...key, asking });
      if (record) {
        found.push({ ...key, asking, state: { kind: 'ended', ended: endedQuestion(record) } });
      } else if (!isOpen) {
        found.push({ ...key, asking, state: { kind: 'lost' } });
      }
    }
    return { found };
  });
}

/** Starts a lost question again, or says why that does not help. */
export function createRestartQuestion({
  questions,
}: {
  readonly questions: Pick<QuestionsPort, 'restart'>;
}): (input: { readonly run: RunId } & SampleKey) => Promise<{ readonly hindrance: string | null }> {
  return activity(async ({ run, uuid, epoch }) => ({
    hindrance: await questions.restart(run, { uuid, epoch }),
  }));
}

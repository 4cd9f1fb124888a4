import type { SampleKey } from '../../domain/ids.js';
import { reportingFailures } from '../failures.js';
import type { QuestionsPort, QuestionsToStart } from '../ports/run-files.js';

/** Starts the workflows of questions, and returns those that are open already and are left alone. */
export function createStartQuestions({
  questions,
}: {
  readonly questions: Pick<QuestionsPort, 'start'>;
}): (input: QuestionsToStart) => Promise<{ readonly open: readonly SampleKey[] }> {
  return async function startQuestions({ samples, ...common }) {
    return reportingFailures(async () => {
      const started = await Promise.all(
        samples.map((sample) => questions.start({ ...common, sample })),
      );
      const open = samples.filter((_, index) => !started[index]);
      return { open: open.map(({ uuid, epoch }) => ({ uuid, epoch })) };
    });
  };
}

import { sleep } from '@temporalio/activity';
import type { SampleKey } from '../../domain/ids.js';
import { activity } from '../failures.js';
import type { QuestionsPort, QuestionsToStart } from '../ports/run-files.js';

/** Starts the workflows of questions, and returns those that are open already and are left alone. */
export function createStartQuestions({
  questions,
}: {
  readonly questions: Pick<QuestionsPort, 'start'>;
}): (input: QuestionsToStart) => Promise<{ readonly open: readonly SampleKey[] }> {
  return activity(async ({ samples, apartMs = 0, ...common }) => {
    const started = await Promise.all(
      samples.map(async (sample, index) => {
        if (apartMs > 0) await sleep(index * apartMs);
        return questions.start({ ...common, sample });
      }),
    );
    const open = samples.filter((_, index) => !started[index]);
    return { open: open.map(({ uuid, epoch }) => ({ uuid, epoch })) };
  });
}

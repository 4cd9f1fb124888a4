import { endedQuestion } from '../domain/questions/end-record.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { endQuestion, type EndQuestionPorts, type QuestionEnding } from './end-question.js';
import { reportingFailures } from './failures.js';

/** Ends a question, once: an end that is written already stands. */
export function createFinishQuestion(
  ports: EndQuestionPorts,
): (ending: QuestionEnding) => Promise<EndedQuestion> {
  return async function finishQuestion(ending) {
    return reportingFailures(async () => {
      const stored = await ports.runFiles.end(ending.run, ending);
      return endedQuestion(stored ?? (await endQuestion(ports, ending)));
    });
  };
}

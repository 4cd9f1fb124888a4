import { str } from '../../formats/python/text.js';
import type { PythonValue } from '../../formats/python/value.js';
import { EvaluatorError, type Comparison, type Finding } from '../scorer-options.js';
import { scored, unscored } from '../verdict.js';
import { retryMessages, extractionMessages, judgeMessages } from './judge-messages.js';
import {
  structuredInstructions,
  textInstructions,
  type Judge,
  type JudgeReplyText,
} from './judge-request.js';
import type { JudgedTask } from './judged-task.js';
import {
  gradeStrictly,
  readJudgement,
  selectionStrictly,
  verdictStrictly,
  type Judgement,
} from './read-judgement.js';

/**
 * What a judge found about an answer, or what it has to be asked next. A reply that cannot be read is asked for again,
 * `tries` times in all; then the answer stays unscored.
 * @throws EvaluatorError in strict mode, where the reference raises over a reply
 */
export function judgePart(task: JudgedTask, answer: PythonValue, comparison: Comparison): Finding {
  const { judge, mode } = comparison;
  if (judge === null) return unscored('needs-judge');
  const text = str(answer);
  return mode === 'strict'
    ? judgeStrictly(task, text, judge, comparison)
    : judgeSoundly(task, text, judge, comparison);
}

function judgeSoundly(
  task: JudgedTask,
  answer: string,
  judge: Judge,
  { part }: Pick<Comparison, 'part'>,
): Finding {
  if (answer.trim() === '') return scored(false, 'the answer is empty');
  const { form } = task;
  const said = judge.said(part);
  const judgement = said.map((reply) => readJudgement(reply, form, judge.structured)).find(isRead);
  if (judgement) return verdictOf(task, judgement);
  if (said.length >= judge.tries) return unscored('judge-unreadable');
  const instructions = (judge.structured ? structuredInstructions : textInstructions)[form];
  const messages = judgeMessages(task, answer, instructions);
  const last = said.at(-1);
  return {
    kind: 'open',
    question: {
      part,
      number: said.length + 1,
      messages: last ? retryMessages(messages, last.text, instructions) : messages,
      structured: judge.structured ? form : null,
    },
  };
}

/** One try, and a second call where grades are to be taken from a report. */
function judgeStrictly(
  task: JudgedTask,
  answer: string,
  judge: Judge,
  { part }: Pick<Comparison, 'part'>,
): Finding {
  const { form, sampling } = task;
  const [first, second] = judge.said(part);
  const ask = (number: number, messages: ReturnType<typeof judgeMessages>): Finding => ({
    kind: 'open',
    question: { part, number, messages, structured: null, ...(sampling && { sampling }) },
  });
  if (!first) return ask(1, judgeMessages(task, answer, textInstructions[form]));
  if (form === 'grades' && !second) return ask(2, extractionMessages(first.text));
  const judgement = strictJudgement(form, first, second);
  if (isRead(judgement)) {
    const reasons = form === 'grades' ? first.text : judgement.rationale;
    return verdictOf(task, { ...judgement, rationale: reasons });
  }
  // The reference hands on numbers that its own scale does not have; no mean of ours takes them.
  if (judgement.kind === 'off-scale') return unscored('judge-unreadable');
  if (form === 'selection') throw new EvaluatorError('the judge’s reply holds no selection');
  return { kind: 'scored', score: 0, rawScore: 0, rationale: 'the judge’s reply holds no grade' };
}

function strictJudgement(
  form: JudgedTask['form'],
  first: JudgeReplyText,
  second: JudgeReplyText | undefined,
): Judgement {
  switch (form) {
    case 'verdict':
      return verdictStrictly(first.text);
    case 'selection':
      return selectionStrictly(first.text);
    case 'grades':
      return gradeStrictly(second?.text ?? '');
  }
}

const isRead = (judgement: Judgement): judgement is Extract<Judgement, { kind: 'read' }> =>
  judgement.kind === 'read';

/** Grades from 1 to 10 count as tenths; `rawScore` keeps them as they are. */
const verdictOf = (
  { form }: JudgedTask,
  { value, rationale }: Extract<Judgement, { kind: 'read' }>,
): Finding => ({
  kind: 'scored',
  score: form === 'grades' ? value / 10 : value,
  ...(form === 'grades' && { rawScore: value }),
  ...(rationale !== '' && { rationale }),
});

import { str } from '../../formats/python/text.js';
import type { PythonValue } from '../../formats/python/value.js';
import { lackOf, lackText, type ReplyLack } from '../../models/reply-lack.js';
import { fromScale } from '../scale.js';
import { EvaluatorError, type Comparison, type Finding } from '../scorer-options.js';
import { scored, unscored, type Verdict } from '../verdict.js';
import {
  extractionMessages,
  judgeMessages,
  retryMessages,
  type JudgedTask,
} from './judge-messages.js';
import {
  structuredInstructions,
  textInstructions,
  type Judge,
  type JudgeReplyText,
  type LongReplyForm,
  type ReplyForm,
} from './judge-request.js';
import {
  gradeStrictly,
  readJudgement,
  selectionStrictly,
  verdictStrictly,
  type Judgement,
} from './read-judgement.js';

/**
 * The verdict of a judge on an answer, or the next question for it. After an unreadable reply the judge is asked again, up
 * to `tries` calls. Then the answer is unscored.
 * @throws EvaluatorError in strict mode, if the reference would raise an exception over a reply
 */
export function judgePart(task: JudgedTask, answer: PythonValue, comparison: Comparison): Finding {
  const { judge, mode } = comparison;
  if (judge === null) return unscored('needs-judge');
  const text = str(answer);
  const { form } = task;
  if (isLong(form)) return judgeLong({ ...task, form }, text, judge, comparison);
  return mode === 'strict'
    ? judgeStrictly({ ...task, form }, text, judge, comparison)
    : judgeByDefault(task, text, judge, comparison);
}

function judgeByDefault(
  task: JudgedTask,
  answer: string,
  judge: Judge,
  { part }: Pick<Comparison, 'part'>,
): Finding {
  if (answer.trim() === '') return scored(false, 'the answer is empty');
  return askUntilRead(task, answer, judge, part);
}

/** The reference has no such functions: strict mode changes nothing. */
function judgeLong(
  task: JudgedTask & { readonly form: LongReplyForm },
  answer: string,
  judge: Judge,
  { part }: Pick<Comparison, 'part'>,
): Finding {
  if (!noAnswer.test(answer)) return askUntilRead(task, answer, judge, part);
  const rationale = 'the answer is empty';
  return judge.judgeEmpty === true
    ? verdictOf(task, { kind: 'read', value: task.form === 'match' ? 0 : 1, rationale })
    : unscored('no-answer', rationale);
}

/** Also the reference's mark of an answer that failed. */
const noAnswer = /^\s*($|\[error\]:)/i;

const isLong = (form: ReplyForm): form is LongReplyForm =>
  form === 'match' || form === 'one-to-five';

function askUntilRead(task: JudgedTask, answer: string, judge: Judge, part: string): Finding {
  const { form } = task;
  const replies = judge.repliesTo(part);
  const judgement = replies
    .map((reply) => readJudgement(reply, form, judge.structured))
    .find(isRead);
  if (judgement) return verdictOf(task, judgement);
  if (replies.length >= judge.tries) return unreadReply(replies.at(-1));
  const instructions = (judge.structured ? structuredInstructions : textInstructions)[form];
  const messages = judgeMessages(task, answer, instructions);
  const last = replies.at(-1);
  return {
    kind: 'open',
    question: {
      part,
      number: replies.length + 1,
      messages: last ? retryMessages(messages, last.text, instructions) : messages,
      structured: judge.structured ? form : null,
    },
  };
}

const lack = ({ text, ...end }: JudgeReplyText): ReplyLack | null => lackOf({ raw: text, ...end });

const isLacking = (reply: JudgeReplyText): boolean => lack(reply) !== null;

/** @param last - of the replies that could not be read; undefined for none */
function unreadReply(last: JudgeReplyText | undefined): Verdict {
  const why = last === undefined ? null : lack(last);
  switch (why) {
    case 'refused':
    case 'filtered':
    case 'empty':
      return unscored(`judge-${why}`);
    case 'error':
      return unscored('judge-unreadable', lackText.error);
    case null:
      return unscored('judge-unreadable');
  }
}

/** The forms that the reference has. */
type StrictReplyForm = Exclude<ReplyForm, LongReplyForm>;

/** One call without retries; for grades, a second call extracts the overall grade from the report. */
function judgeStrictly(
  task: JudgedTask & { readonly form: StrictReplyForm },
  answer: string,
  judge: Judge,
  { part }: Pick<Comparison, 'part'>,
): Finding {
  const { form, sampling } = task;
  const [first, second] = judge.repliesTo(part);
  const ask = (number: number, messages: ReturnType<typeof judgeMessages>): Finding => ({
    kind: 'open',
    question: { part, number, messages, structured: null, ...(sampling && { sampling }) },
  });
  if (!first) return ask(1, judgeMessages(task, answer, textInstructions[form]));
  if (isLacking(first)) return unreadReply(first);
  if (form === 'grades' && !second) return ask(2, extractionMessages(first.text));
  if (second && isLacking(second)) return unreadReply(second);
  const judgement = strictJudgement(form, first, second);
  if (isRead(judgement)) {
    const reasons = form === 'grades' ? first.text : judgement.rationale;
    return verdictOf(task, { ...judgement, rationale: reasons });
  }
  // The reference passes on a number outside its own scale. Such a score would distort the mean.
  if (judgement.kind === 'off-scale') return unscored('judge-unreadable');
  if (form === 'selection') throw new EvaluatorError('the judge’s reply holds no selection');
  return { kind: 'scored', score: 0, rawScore: 0, rationale: 'the judge’s reply holds no grade' };
}

function strictJudgement(
  form: StrictReplyForm,
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

/** The score from 0 to 1 of what was read. Grades from 1 to 10 count as tenths; of the grades from 1 to 5, 1 is 0 and 5 is 1. */
const scoreOf: Readonly<Record<ReplyForm, (value: number) => number>> = {
  verdict: (value) => value,
  selection: (value) => value,
  grades: (value) => value / 10,
  match: (value) => value,
  'one-to-five': (value) => fromScale(value, 'one-to-five'),
};

/** `rawScore` keeps a grade. */
const verdictOf = (
  { form }: JudgedTask,
  { value, rationale }: Extract<Judgement, { kind: 'read' }>,
): Finding => ({
  kind: 'scored',
  score: scoreOf[form](value),
  ...((form === 'grades' || form === 'one-to-five') && { rawScore: value }),
  ...(rationale !== '' && { rationale }),
});

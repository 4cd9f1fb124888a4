import { str, strip } from '../../formats/python/text.js';
import type { PythonValue } from '../../formats/python/value.js';
import { lackOf, lackText, type ReplyLack } from '../../models/reply-lack.js';
import { fromScale, longFormGrade, longFormMatch } from '../scale.js';
import {
  EvaluatorError,
  type Comparison,
  type Finding,
  isEnabled,
  membersOf,
  numberOption,
  required,
  type Options,
  type ScoringMode,
} from '../scorer-options.js';
import { scored, unscored, type Verdict } from '../verdict.js';
import type { Section } from '../delimited-sections.js';
import {
  extractionMessages,
  judgeMessages,
  retryMessages,
  type JudgedTask,
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
  if (mode === 'strict') return judgeStrictly({ ...task, form }, text, judge, comparison);
  return text.trim() === ''
    ? scored(false, 'the answer is empty')
    : askUntilRead(task, text, judge, comparison.part);
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

type MakeTask = (options: Options, mode: ScoringMode) => JudgedTask;

const examiner = 'You are an impartial examiner with expert knowledge of the field.';
const databaseExaminer =
  'You are an impartial examiner of long answers to questions about the content of databases.';
const mathematician =
  'You are an impartial examiner with expert knowledge of symbolic mathematics and of LaTeX.';

/** The evaluation functions with a judge (docs/reference/evaluation-functions.md). Each throws EvaluatorError for invalid options. */
export const judgedTasks: ReadonlyMap<string, MakeTask> = new Map<string, MakeTask>([
  [
    'eval_reference_answer_with_llm',
    (options) =>
      verdictTask(
        'The answer is right if, as an answer to the question, it means the same as the reference answer.',
        [question(options), reference(options)],
      ),
  ],
  [
    'eval_candidate_reference_answer_with_llm',
    (options, mode) => {
      const candidates = texts(options, 'candidate_reference_answers', mode);
      return verdictTask(
        `The answer is right if, as an answer to the question, it means the same as at least one of the ${candidates.length} reference answers. One is enough.`,
        [
          question(options),
          ...candidates.map((text, index) => ({ label: `reference answer ${index + 1}`, text })),
        ],
      );
    },
  ],
  [
    'eval_scoring_points_with_llm',
    (options, mode) => {
      const points = texts(options, 'scoring_points', mode);
      return verdictTask(
        `The answer is right if it mentions all of the ${points.length} points; one that is missing makes it wrong.${orderRemark(options)}`,
        [question(options), bullets('points', points)],
      );
    },
  ],
  [
    'eval_partial_scoring_points_with_llm',
    (options, mode) => {
      const points = texts(options, 'scoring_points', mode);
      const count = numberOption(options, 'count', 1);
      const most = mode === 'strict' ? points.length - 1 : points.length;
      if (count <= 0 || count > most)
        throw new EvaluatorError(`count must be between 1 and ${most}`);
      return verdictTask(
        `The answer is right if it mentions at least ${count} of the ${points.length} points, whichever they are; with fewer than ${count} it is wrong.`,
        [question(options), bullets(`points, ${count} required`, points)],
      );
    },
  ],
  [
    'eval_reference_answer_and_scoring_points_with_llm',
    (options, mode) => {
      const points = texts(options, 'scoring_points', mode);
      return verdictTask(
        `The answer is right if, as an answer to the question, it means the same as the reference answer and also mentions all of the ${points.length} points.${orderRemark(options)}`,
        [question(options), reference(options), bullets('points', points)],
      );
    },
  ],
  [
    'eval_complex_math_formula_with_llm',
    (options, mode) => {
      const formulas = formulasOf(options, mode);
      const several =
        formulas === null
          ? ''
          : ` It must hold all of the formulas, ${isEnabled(options, 'ignore_order') || !options.has('ignore_order') ? 'in any order' : 'in the order given'}.`;
      return {
        role: mathematician,
        rule: `The answer is right if its LaTeX is mathematically equivalent to the reference: another notation, another arrangement of terms or other names for bound variables change nothing.${several} Compare it component by component.`,
        sections: [
          question(options),
          formulas === null
            ? { label: 'reference formula', text: str(required(options, 'formulas')) }
            : bullets('reference formulas', formulas),
        ],
        form: 'verdict',
      };
    },
  ],
  [
    'eval_m3sciqa',
    (options, mode) => ({
      role: 'You are the leading expert of this field and understand its scientific papers.',
      rule: 'A model is tested on open questions. Decide whether, as an answer to the question, the candidate answer means the same as the reference answer: select 1 if it does, 0.5 if it is right in part, and 0 otherwise.',
      sections: [question(options), reference(options)],
      form: 'selection',
      ...(mode === 'strict' && { sampling: { temperature: 0.1, topP: 0.95 } }),
    }),
  ],
  [
    'eval_scidqa',
    (options, mode) => ({
      role: 'You are an expert at evaluating long answers.',
      rule: 'Compare the answer with the reference answer and grade it from 1 to 10, in whole numbers, in four respects: its relevance to the question; its accuracy, measured by the reference answer; its completeness, measured by the reference answer; and its conciseness. Give reasons for each grade from both sides: why it is no higher and why it is no lower. The average of the four grades is the overall quality.',
      sections: [
        { label: 'question', text: str(options.get('question') ?? noText) },
        { label: 'reference answer', text: goldOfDialogue(options) },
      ],
      form: 'grades',
      ...(mode === 'strict' && { sampling: { temperature: 0.1, topP: 0.9 } }),
    }),
  ],
  // Both rules follow the criteria of the paper's Fig. 7, in words of ours: an addition is no fault in the first one.
  [
    longFormMatch,
    (options) => ({
      role: databaseExaminer,
      rule: 'The reference answer is known to be right. The answer matches it if everything critical in the reference answer, its conclusion above all, is in the answer as well, in whatever words. What the answer says beyond that is no fault unless it contradicts the reference answer.',
      sections: [question(options), reference(options)],
      form: 'match',
    }),
  ],
  [
    longFormGrade,
    (options) => ({
      role: databaseExaminer,
      rule: `The reference answer is known to be right. Grade how far the answer says the same, with a whole number:
1: it has next to nothing of the reference answer.
2: it has some of its key points and lacks others; it may give details that the reference answer does not have.
3: it has most of its key points, with noticeable omissions or additions.
4: it has all of its key points, and more that the reference answer does not have.
5: it says what the reference answer says, and leaves out and adds nothing.`,
      sections: [question(options), reference(options)],
      form: 'one-to-five',
    }),
  ],
]);

const verdictTask = (rule: string, sections: readonly Section[]): JudgedTask => ({
  ...{ role: examiner, rule, sections },
  form: 'verdict',
});

const noText: PythonValue = { kind: 'str', value: '' };

const question = (options: Options): Section => ({
  label: 'question',
  text: str(required(options, 'question')),
});

const reference = (options: Options): Section => ({
  label: 'reference answer',
  text: str(required(options, 'reference_answer')),
});

const bullets = (label: string, items: readonly string[]): Section => ({
  label,
  text: items.map((item) => `- ${item}`).join('\n'),
});

/** In the reference, too, the option only adds this sentence: without the sentence, the prompt asks for no order. */
const orderRemark = (options: Options): string =>
  isEnabled(options, 'ignore_order') || !options.has('ignore_order')
    ? ' Their order does not matter.'
    : '';

/** The members of a list of texts. In strict mode a text is the list of its characters, as in the reference. */
function texts(options: Options, name: string, mode: ScoringMode): readonly string[] {
  const value = required(options, name);
  if (mode === 'default' && value.kind === 'str')
    throw new EvaluatorError(`${name} is a text and no list`);
  return membersOf(value, name).map((item) => {
    if (item.kind === 'str') return strip(item.value);
    throw new EvaluatorError(`${name} holds something that is no text`);
  });
}

/** Null for a single formula. */
function formulasOf(options: Options, mode: ScoringMode): readonly string[] | null {
  const value = required(options, 'formulas');
  return value.kind === 'list' ? texts(options, 'formulas', mode) : null;
}

/** Most gold answers of SciDQA begin with `A: `, as they come from dialogues. */
function goldOfDialogue(options: Options): string {
  const gold = strip(str(options.get('reference_answer') ?? noText));
  return strip(gold.startsWith('A: ') ? gold.slice(3) : gold);
}

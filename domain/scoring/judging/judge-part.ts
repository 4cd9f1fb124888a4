import { str, strip, type PythonValue } from '../../formats/python/value.js';
import { lackOf, lackText, type ReplyLack } from '../../models/chat-message.js';
import {
  scored,
  unscored,
  fromScale,
  longFormGrade,
  longFormMatch,
  type Verdict,
} from '../verdict.js';
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
import { toldBy } from '../../models/prompt-file.js';
import type { Section } from '../delimited-sections.js';
import {
  judgeTexts,
  extractionMessages,
  judgeMessages,
  retryMessages,
  type JudgedTask,
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
  const told = toldBy(judgeTexts, judge.prompts);
  const instructions = told(`judge.form.${form}${judge.structured ? '.structured' : ''}`);
  const again = told('judge.again', { form: instructions });
  const messages = judgeMessages(task, answer, instructions, judge.prompts);
  const last = replies.at(-1);
  return {
    kind: 'open',
    question: {
      part,
      number: replies.length + 1,
      messages: last ? retryMessages(messages, last.text, again) : messages,
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
  const { prompts } = judge;
  const instructions = toldBy(judgeTexts, prompts)(`judge.form.${form}`);
  if (!first) return ask(1, judgeMessages(task, answer, instructions, prompts));
  if (isLacking(first)) return unreadReply(first);
  if (form === 'grades' && !second) return ask(2, extractionMessages(first.text, prompts));
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

/** A task by the names of its texts. */
interface NamedTask extends Pick<JudgedTask, 'sections' | 'sampling'> {
  /** @defaultValue `judge.role` */
  readonly role?: `judge.role.${'databases' | 'm3sciqa' | 'mathematics' | 'scidqa'}`;
  /** Of the placeholders of its rule. */
  readonly values?: Readonly<Record<string, string>>;
  /** @defaultValue `verdict` */
  readonly form?: ReplyForm;
}

type MakeTask = (options: Options, mode: ScoringMode) => NamedTask;

/** What a judge is asked by an evaluation function; undefined for one that needs none. Throws EvaluatorError for invalid options. */
export function judgedTask(
  name: string,
  { options, mode, judge }: Comparison,
): JudgedTask | undefined {
  const task = judgedTasks.get(name as RuleName)?.(options, mode);
  const told = toldBy(judgeTexts, judge?.prompts);
  if (task === undefined) return undefined;
  const { role = 'judge.role', values, ...others } = task;
  return { form: 'verdict', ...others, role: told(role), rule: told(name as RuleName, values) };
}

type RuleName = Extract<keyof typeof judgeTexts, `eval_${string}`>;

/** The evaluation functions with a judge (docs/reference/evaluation-functions.md). Each throws EvaluatorError for invalid options. */
export const judgedTasks: ReadonlyMap<RuleName, MakeTask> = new Map<RuleName, MakeTask>([
  [
    'eval_reference_answer_with_llm',
    (options) => ({ sections: [question(options), reference(options)] }),
  ],
  [
    'eval_candidate_reference_answer_with_llm',
    (options, mode) => {
      const candidates = texts(options, 'candidate_reference_answers', mode);
      const labelled = candidates.map((text, at) => ({
        label: `reference answer ${at + 1}`,
        text,
      }));
      return {
        values: { count: String(candidates.length) },
        sections: [question(options), ...labelled],
      };
    },
  ],
  [
    'eval_scoring_points_with_llm',
    (options, mode) => {
      const points = texts(options, 'scoring_points', mode);
      return {
        values: { count: String(points.length), order: orderRemark(options) },
        sections: [question(options), bullets('points', points)],
      };
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
      return {
        values: { least: String(count), count: String(points.length) },
        sections: [question(options), bullets(`points, ${count} required`, points)],
      };
    },
  ],
  [
    'eval_reference_answer_and_scoring_points_with_llm',
    (options, mode) => {
      const points = texts(options, 'scoring_points', mode);
      return {
        values: { count: String(points.length), order: orderRemark(options) },
        sections: [question(options), reference(options), bullets('points', points)],
      };
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
        role: 'judge.role.mathematics',
        values: { several },
        sections: [
          question(options),
          formulas === null
            ? { label: 'reference formula', text: str(required(options, 'formulas')) }
            : bullets('reference formulas', formulas),
        ],
      };
    },
  ],
  [
    'eval_m3sciqa',
    (options, mode) => ({
      ...{ role: 'judge.role.m3sciqa', form: 'selection' },
      sections: [question(options), reference(options)],
      ...(mode === 'strict' && { sampling: { temperature: 0.1, topP: 0.95 } }),
    }),
  ],
  [
    'eval_scidqa',
    (options, mode) => ({
      ...{ role: 'judge.role.scidqa', form: 'grades' },
      sections: [
        { label: 'question', text: str(options.get('question') ?? noText) },
        { label: 'reference answer', text: goldOfDialogue(options) },
      ],
      ...(mode === 'strict' && { sampling: { temperature: 0.1, topP: 0.9 } }),
    }),
  ],
  [longFormMatch, (options) => longForm(options, 'match')],
  [longFormGrade, (options) => longForm(options, 'one-to-five')],
]);

const longForm = (options: Options, form: LongReplyForm): NamedTask => ({
  ...{ role: 'judge.role.databases', form },
  sections: [question(options), reference(options)],
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

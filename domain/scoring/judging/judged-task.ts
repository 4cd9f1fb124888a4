import { str, strip } from '../../formats/python/text.js';
import type { PythonValue } from '../../formats/python/value.js';
import {
  EvaluatorError,
  isEnabled,
  membersOf,
  numberOption,
  required,
  type Options,
  type ScoringMode,
} from '../scorer-options.js';
import type { Section } from '../delimited-sections.js';
import { longFormGrade, longFormMatch } from '../scale.js';
import type { JudgedTask } from './judge-messages.js';

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
    (options) => ({
      role: examiner,
      rule: 'The answer is right if, as an answer to the question, it means the same as the reference answer.',
      sections: [question(options), reference(options)],
      form: 'verdict',
    }),
  ],
  [
    'eval_candidate_reference_answer_with_llm',
    (options, mode) => {
      const candidates = texts(options, 'candidate_reference_answers', mode);
      return {
        role: examiner,
        rule: `The answer is right if, as an answer to the question, it means the same as at least one of the ${candidates.length} reference answers. One is enough.`,
        sections: [
          question(options),
          ...candidates.map((text, index) => ({ label: `reference answer ${index + 1}`, text })),
        ],
        form: 'verdict',
      };
    },
  ],
  [
    'eval_scoring_points_with_llm',
    (options, mode) => {
      const points = texts(options, 'scoring_points', mode);
      return {
        role: examiner,
        rule: `The answer is right if it mentions all of the ${points.length} points; one that is missing makes it wrong.${orderRemark(options)}`,
        sections: [question(options), bullets('points', points)],
        form: 'verdict',
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
        role: examiner,
        rule: `The answer is right if it mentions at least ${count} of the ${points.length} points, whichever they are; with fewer than ${count} it is wrong.`,
        sections: [question(options), bullets(`points, ${count} required`, points)],
        form: 'verdict',
      };
    },
  ],
  [
    'eval_reference_answer_and_scoring_points_with_llm',
    (options, mode) => {
      const points = texts(options, 'scoring_points', mode);
      return {
        role: examiner,
        rule: `The answer is right if, as an answer to the question, it means the same as the reference answer and also mentions all of the ${points.length} points.${orderRemark(options)}`,
        sections: [question(options), reference(options), bullets('points', points)],
        form: 'verdict',
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

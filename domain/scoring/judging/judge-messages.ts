import type { ChatMessage } from '../../models/chat-message.js';
import { delimited, delimitersExplained, type Section } from '../delimited-sections.js';
import type { JudgeQuestion, ReplyForm } from './judge-request.js';

/** What a judge is asked by an evaluation function, without the answer. */
export interface JudgedTask {
  readonly role: string;
  /** When the answer is right, or how it is graded. */
  readonly rule: string;
  /** The texts in the prompt beside the answer. */
  readonly sections: readonly Section[];
  readonly form: ReplyForm;
  /** The reference's sampling settings, in strict mode. Absent: those of the judge's configuration. */
  readonly sampling?: JudgeQuestion['sampling'];
}

/**
 * The messages that ask whether an answer meets the rule of a task. Its texts are delimited, so
 * that none of them can pass for an instruction.
 */
export function judgeMessages(
  { role, rule, sections, form }: JudgedTask,
  answer: string,
  instructions: string,
): readonly ChatMessage[] {
  const all = [...sections, { label: 'answer', text: answer }];
  const system = [
    role,
    `You are shown ${list(all.map(({ label }) => `the ${label}`))}.`,
    rule,
    'Only content counts. Wording, structure and formatting of the answer do not matter, nor does its length, unless the rule says so.',
    delimitersExplained,
    instructions,
  ].join('\n\n');
  const user = [delimited(all), closings[form]].join('\n\n');
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}

const closings: Readonly<Record<ReplyForm, string>> = {
  verdict:
    'Reason step by step about what the rule requires and what the answer says, then decide.',
  selection: 'Compare the answer with the reference answer and select. No other form is accepted.',
  grades: 'Grade the answer.',
  match:
    'Go through the critical information of the reference answer, look for each piece in the answer, then decide.',
  'one-to-five':
    'Go through the key points of the reference answer and look for each in the answer, note what the answer adds, then decide.',
};

/** Asks for the overall grade of a report. The reference uses a separate call for this. */
export const extractionMessages = (report: string): readonly ChatMessage[] => [
  {
    role: 'user',
    content: `What follows is an evaluation of an answer: a heading, four numbered lines of a score and an explanation each, and a last line with the overall quality score. Reply with the overall quality score: that number and nothing else.\n\n${report}`,
  },
];

/** Asks again after an unreadable reply. The messages differ from the first ones, so that no cached reply is used. */
export const retryMessages = (
  messages: readonly ChatMessage[],
  reply: string,
  instructions: string,
): readonly ChatMessage[] => [
  ...messages,
  { role: 'assistant', content: reply === '' ? '(empty)' : reply },
  {
    role: 'user',
    content: `Your reply is not in the form that was asked for, so it does not count. Judge the same answer once more.\n\n${instructions}`,
  },
];

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;

import type { JudgeQuestion } from '../../../domain/scoring/judging/judge-request.js';
import { contentText } from '../../../domain/models/chat-message.js';
import type { PromptTexts } from '../../../domain/models/prompt-file.js';
import type { Evaluator } from '../../../domain/scoring/dataset-item.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { judgeAnswer } from '../../../domain/scoring/score-answer.js';
import type { Verdict } from '../../../domain/scoring/verdict.js';

export interface JudgedAnswer {
  readonly verdict: Verdict;
  /** What the judge was asked, in order. */
  readonly questions: readonly JudgeQuestion[];
}

/** Scores an answer by a judge that replies as `replyTo` says. */
export function judged(
  evaluator: Evaluator,
  answer: string,
  replyTo: (question: JudgeQuestion) => string,
  {
    mode = 'default',
    structured = false,
    tries = 3,
    judgeEmpty = false,
    prompts,
  }: {
    readonly mode?: ScoringMode;
    readonly structured?: boolean;
    readonly tries?: number;
    readonly judgeEmpty?: boolean;
    readonly prompts?: PromptTexts;
  } = {},
): JudgedAnswer {
  const questions: JudgeQuestion[] = [];
  const replies: { readonly part: string; readonly text: string }[] = [];
  const repliesTo = (part: string) =>
    replies.filter((reply) => reply.part === part).map(({ text }) => ({ text, cutOff: false }));
  for (;;) {
    const finding = judgeAnswer({
      answer,
      evaluator,
      mode,
      judge: { structured, tries, judgeEmpty, prompts, repliesTo },
    });
    if (finding.kind !== 'open') return { verdict: finding, questions };
    questions.push(finding.question);
    replies.push({ part: finding.question.part, text: replyTo(finding.question) });
  }
}

/** The text of a question's last message. */
export const lastText = ({ messages }: JudgeQuestion): string =>
  contentText(messages.at(-1)?.content ?? '');

export const saysTrue = 'They agree.\n```txt\nTrue\n```';
export const saysFalse = 'They differ.\n```txt\nFalse\n```';

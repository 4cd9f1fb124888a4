import type { JudgeQuestion } from '../judging/judge-question.js';
import type { Verdict } from './verdict.js';

/** A verdict, or the one question that a judge has to answer before anything else is worth asking. */
export type Finding = Verdict | { readonly kind: 'open'; readonly question: JudgeQuestion };

import { truncateTokens } from './tokens.js';

const maxAnswerTokens = 30 * 1000;

/** An answer as it is scored: at most 30 000 tokens of cl100k_base (hybrid-agent.md §4.4). */
export const truncateAnswer = (answer: string): string => truncateTokens(answer, maxAnswerTokens);

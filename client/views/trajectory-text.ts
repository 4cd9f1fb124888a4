import type { Result, ToolStats } from '../../domain/agent/question-result.js';
import { preview, said } from '../../domain/formats/text.js';
import type { StoredPaper } from '../../domain/stores/store-manifest.js';
import { contentText, openingOf, type Message } from '../../domain/models/chat-message.js';

/** Lines of a message of the prompt that are shown. */
const shownLines = 3;

/**
 * A conversation as lines for the terminal, with how it ended.
 * @param papers - those that the question names. @defaultValue none
 * @param isWhole - whether all of the prompt is shown, and not only how its messages begin
 */
export function trajectoryText(
  messages: readonly Message[],
  result: Pick<Result, 'outcome' | 'tools'> | null,
  { isWhole, papers = [] }: { readonly isWhole: boolean; readonly papers?: readonly StoredPaper[] },
): string {
  const opening = openingOf(messages).length;
  return [
    ...papers.map(({ file, title, paperId }) => `── about ${file}, ${title} (${paperId})`),
    ...messages.map(({ role, content }, index) => {
      const text = contentText(content);
      return `── ${role}\n${index < opening && !isWhole ? beginning(text) : text}`;
    }),
    ...endText(result),
  ].join('\n\n');
}

function beginning(text: string): string {
  const lines = text.split('\n');
  const more = lines.length - shownLines;
  if (more <= 1) return text;
  return [...lines.slice(0, shownLines), `… ${more} more lines: --prompt shows them`].join('\n');
}

/** What is to be known of an answer: values that nothing shows, and whether it is whole. */
export const answerRemarks = ({ ungrounded = [], answerCutOff }: ToolStats): readonly string[] =>
  said([
    answerCutOff && 'the answer was cut off at the most tokens of a reply (--max-tokens)',
    ungrounded.length > 0 &&
      `no observation shows ${ungrounded.map((value) => preview(value, 60)).join(', ')}`,
  ]);

/** The same, and how it was looked for. */
export const questionRemarks = (tools: ToolStats): readonly string[] =>
  said([
    answerRemarks(tools),
    tools.hits?.outside
      ? `${tools.hits.outside} of ${tools.hits.all} hits are in other papers than the question names`
      : null,
    tools.repeatedQueries > 0 && `${tools.repeatedQueries} queries repeat earlier ones`,
    tools.firstFaultyTurn ? `turn ${tools.firstFaultyTurn} is the first faulty step` : null,
  ]);

/** An answer speaks for itself, but for what is remarked. */
function endText(result: Pick<Result, 'outcome' | 'tools'> | null): readonly string[] {
  if (result === null) return [];
  if (result.outcome.kind === 'answered')
    return answerRemarks(result.tools).map((text) => `── ${text}`);
  const { outcome } = result;
  const failure = outcome.kind === 'infra-error' ? ` (${outcome.failure})` : '';
  const message = 'message' in outcome ? `: ${outcome.message}` : '';
  return [`── ended without an answer: ${outcome.kind}${failure}${message}`];
}

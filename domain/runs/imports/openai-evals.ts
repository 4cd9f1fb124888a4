import { z } from 'zod';
import { readJsonLines } from '../../formats/json-lines.js';
import { goldEvaluator, type GoldComparison } from './gold-evaluator.js';
import {
  gather,
  withEvaluator,
  type ImportedQuestion,
  type ImportedQuestions,
} from './imported-question.js';

const messageSchema = z.object({
  role: z.string(),
  content: z.union([
    z.string(),
    z.array(
      z.object({
        type: z.literal('text'),
        text: z.string(),
      }),
    ),
  ]),
});
type Message = z.infer<typeof messageSchema>;

/** A line of a file of samples of OpenAI Evals. */
const sampleSchema = z.looseObject(
  {
    input: z.union([z.string().min(1), z.array(messageSchema).min(1)], {
      error: 'must be a text, or messages of text with their roles',
    }),
    ideal: z
      .union([z.string(), z.array(z.string()).min(1)], { error: 'must be a text, or some texts' })
      .optional(),
    uuid: z.string({ error: 'must be a text' }).optional(),
  },
  { error: 'is not a JSON object' },
);
type Sample = z.infer<typeof sampleSchema>;

/**
 * Reads samples of OpenAI Evals. A system message stands before the question; a conversation of several turns is written
 * out with its roles. Which of the ideals is met does not matter.
 */
export function readOpenAiEvals(text: string, comparison: GoldComparison): ImportedQuestions {
  const { lines, problems } = readJsonLines(text, sampleSchema);
  const read = gather(
    lines.map(({ line, value }) => questionOf(`line ${line}`, value, comparison)),
  );
  return { ...read, problems: [...problems, ...read.problems] };
}

function questionOf(
  place: string,
  { input, ideal, uuid, ...others }: Sample,
  comparison: GoldComparison,
): ImportedQuestion | string {
  const question = typeof input === 'string' ? input : conversationText(input);
  const imported = { place, uuid: uuid ?? null, question, others };
  if (ideal === undefined) return { ...imported, evaluator: null };
  const golds = typeof ideal === 'string' ? [ideal] : ideal;
  return withEvaluator(imported, goldEvaluator(golds, question, comparison));
}

function conversationText(messages: readonly Message[]): string {
  const asked = messages.filter(({ role }) => role !== 'system');
  const isOneQuestion = asked.length === 1 && asked[0]?.role === 'user';
  return messages
    .map(({ role, content }) => {
      const text =
        typeof content === 'string' ? content : content.map((part) => part.text).join('\n');
      return isOneQuestion || role === 'system' ? text : `${role}: ${text}`;
    })
    .join('\n\n');
}

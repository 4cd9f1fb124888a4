import { z } from 'zod';
import { truncateTokens } from '../models/tokens.js';
import type { AskedItem, ContextSource, AgentConfig } from './turn-plan.js';
import type { PromptStore } from './prompts/method-prompts.js';

/** What a method reads from the store before the first model call of a question, if it needs anything. Read once, then stored. */
export const questionContextSchema = z.object({
  /** Of the papers the question is about, by paper id. */
  titles: z.record(z.string(), z.string()),
  /** The text of the prompt's `[Context]` block; null where a turn retrieves it or the method has none. */
  context: z.string().nullable(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type QuestionContext = Readonly<z.infer<typeof questionContextSchema>>;

/** The parts of a paper that a context is built from. */
export interface PaperText {
  readonly title: string;
  readonly abstract: string;
  /** In reading order; empty where no section was found. */
  readonly sections: readonly { readonly title: string; readonly text: string }[];
  /** The texts of its pages. */
  readonly pages: readonly string[];
}

type PaperContext = Extract<ContextSource, { readonly cutoffTokens: number }>;

/** The context of a `trivial_*` method: the papers a question is about. Later papers are cut first. */
export function paperContext(source: PaperContext, papers: readonly PaperText[]): string {
  if (papers.length === 0) return 'No context provided.';
  const text = source.kind === 'full-text' ? fullTexts(source, papers) : abstracts(papers);
  return truncateTokens(text, source.cutoffTokens);
}

const abstracts = (papers: readonly PaperText[]): string =>
  'Titles and abstracts for anchor PDFs:\n' +
  papers.map(({ title, abstract }) => `[Title]: ${title}\n[Abstract]: ${abstract}`).join('\n\n');

const fullTexts = ({ cutoffTokens }: PaperContext, papers: readonly PaperText[]): string =>
  `Full text for anchor PDFs with ${cutoffTokens / 1000}k tokens cutoff:\n` +
  papers.map(fullText).join('\n\n----------\n\n');

const fullText = ({ sections, pages }: PaperText): string =>
  sections.length > 0
    ? sections.map(({ title, text }) => `${title}\n${text}`).join('\n')
    : pages.join('\n\n');

/** The store of a run whose method reads papers. Runs are refused at their start if they lack it. */
export function storeOf<Store>({ store }: { readonly store: Store | null }): Store {
  if (store === null) throw new Error('a method over papers has a store');
  return store;
}

/** The inputs of a question's messages, except its turns. */
export interface QuestionMaterial {
  readonly manifest: { readonly config: AgentConfig; readonly store: PromptStore | null };
  readonly item: AskedItem;
  /** The schema of the question's database, as DDL. Null for methods over papers. */
  readonly database: string | null;
  /** Null for methods that need no context (`needsContext`). */
  readonly questionContext: Pick<QuestionContext, 'titles' | 'context'> | null;
}

import { z } from 'zod';
import { truncateTokens } from '../models/tokens.js';
import type { AskedItem, ContextSource } from './method.js';
import type { ToolFacts } from './observations/tool-outcome.js';
import type { PromptStore } from './prompts/task-message.js';
import type { AgentConfig } from './turn-plan.js';
import type { Picture, ReplyRecord } from './turn-record.js';

/** What a question's messages hold of the store and no turn brought: read once, before the first turn, where a method needs it. */
export const briefingSchema = z.object({
  /** Of the papers the question is about, by paper id. */
  titles: z.record(z.string(), z.string()),
  /** Null where the context comes from a turn, or there is none. */
  context: z.string().nullable(),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type Briefing = Readonly<z.infer<typeof briefingSchema>>;

/** A paper as far as a context is made of it. */
export interface PaperText {
  readonly title: string;
  readonly abstract: string;
  /** In their order; empty where the paper was not divided. */
  readonly sections: readonly { readonly title: string; readonly text: string }[];
  /** The texts of its pages. */
  readonly pages: readonly string[];
}

type PaperContext = Extract<ContextSource, { readonly cutoffTokens: number }>;

/** What a trivial method is told of the papers a question is about (hybrid-agent.md §5, methods 2 and 3). Later papers are cut first. */
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

/** All that a question's messages are made of, beside its turns. */
export interface QuestionMaterial {
  readonly manifest: { readonly config: AgentConfig; readonly store: PromptStore };
  readonly item: AskedItem;
  /** Null where its method needs none. */
  readonly briefing: Pick<Briefing, 'titles' | 'context'> | null;
}

/** A turn that is over: what the model said and what it was told in return. */
export interface FinishedTurn {
  readonly reply: ReplyRecord;
  readonly observation: string;
  readonly image?: Picture | undefined;
  readonly facts?: ToolFacts | undefined;
}

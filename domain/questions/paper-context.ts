import type { ContextSource } from '../methods/method.js';
import { truncateTokens } from '../observations/tokens.js';

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

import { createHash } from 'node:crypto';
import { enrichmentKinds, instructions, type EnrichmentKind } from '../domain/enrichment/job.js';
import { readDelimited } from '../domain/scoring/delimited-sections.js';
import type { ChatRequest } from './chat-request.js';

/** Words of a text that its summary repeats. */
const firstWords = 12;

/**
 * The reply of the simulated model that is asked about a part of a paper; undefined if the request is none of these. It begins
 * with what it is about, repeats the first words of the text, and names the size of a picture, so that a person sees where it
 * comes from and a repeated request gets the same reply.
 */
export function simulatedEnrichment({ messages }: ChatRequest): string | undefined {
  const prompt = messages.map(({ content }) => content).join('\n\n');
  const kind = enrichmentKinds.find((each) => prompt.includes(instructions[each]));
  if (kind === undefined) return undefined;
  const seen = messages.flatMap(({ pictures = [] }) => pictures).map(pictureText);
  const sections = messages.flatMap(({ content }) => readDelimited(content)?.sections ?? []);
  if (kind === 'metadata') {
    const isTitled = sections.some(({ label }) => label === 'title');
    return catalogued(sections.at(-1)?.text ?? '', isTitled);
  }
  if (kind === 'scans') {
    return `Simulated text of a scan.\n\nThe page is ${seen.join(', ')}. Every page of a scan is read alike, with its own size and mark.`;
  }
  const read = sections.map(({ text }) => beginning(text, firstWords)).join(' / ');
  return `Simulated summary of ${singular[kind]}: ${[read, ...seen].filter((part) => part !== '').join('; ')}.`;
}

const singular: Readonly<Record<Exclude<EnrichmentKind, 'scans' | 'metadata'>, string>> = {
  pages: 'a page',
  sections: 'a section',
  tables: 'a table',
  images: 'a figure',
};

const beginning = (text: string, words: number): string =>
  text
    .replace(/<[^>]*>/g, ' ')
    .trim()
    .split(/\s+/)
    .slice(0, words)
    .join(' ');

/** As many long words as there may be tags. The first line is the title where none is given. */
function catalogued(text: string, isTitled: boolean): string {
  const words = [...new Set(text.toLowerCase().match(/\p{L}{7,}/gu))].slice(0, 5);
  const title = isTitled ? null : text.trim().split('\n')[0];
  return JSON.stringify({ tldr: `Simulated: ${beginning(text, 8)}`, tags: words, title });
}

/** The width and height of a PNG are in its first chunk. */
function pictureText(url: string): string {
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  const mark = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  if (bytes.length < 24) return `a picture ${mark}`;
  return `a picture of ${bytes.readUInt32BE(16)} x ${bytes.readUInt32BE(20)} dots ${mark}`;
}

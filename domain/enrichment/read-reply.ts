import { z } from 'zod';
import { preview } from '../formats/text.js';
import { jsonIn } from '../formats/json.js';
import { lackOf, lackText } from '../models/reply-lack.js';
import type { EnrichmentKind } from './items.js';
import { longestTldr, mostTags, nothing } from './prompts.js';

/** The main point of a paper and terms for it. */
export interface Catalogued {
  /** Of at most 80 characters. */
  readonly tldr: string;
  /** At most five. */
  readonly tags: readonly string[];
  /** As the model found it on the first page; null where it was given one, or found none. */
  readonly title: string | null;
}

/** What a reply says: a text, the entry of a catalogue, nothing, or something that cannot be used. */
export type ReadReply =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'catalogued' } & Catalogued)
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Reads the reply about an item. One that ended at the token limit is not used: nobody knows what is missing. */
export function readReply(kind: EnrichmentKind, reply: Parameters<typeof lackOf>[0]): ReadReply {
  const lack = lackOf(reply);
  if (lack !== null) return { kind: 'unusable', reason: lackText[lack] };
  if (reply.cutOff) return { kind: 'unusable', reason: 'the reply ended at the token limit' };
  const text = withoutFence(reply.raw);
  if (text === '' || text.replace(/\.$/, '').toUpperCase() === nothing) return { kind: 'nothing' };
  if (kind === 'metadata') return readCatalogued(text);
  return { kind: 'text', text: kind === 'scans' ? text : oneLine(text) };
}

const cataloguedSchema = z.object({
  tldr: z.string(),
  tags: z.array(z.string()),
  title: z.string().nullable().default(null),
});

function readCatalogued(text: string): ReadReply {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  const parsed = cataloguedSchema.safeParse(jsonIn(json));
  if (!parsed.success) {
    return { kind: 'unusable', reason: 'the reply has no JSON object with tldr and tags' };
  }
  const tags = parsed.data.tags.map(oneLine).filter((tag) => tag !== '');
  return {
    kind: 'catalogued',
    tldr: preview(parsed.data.tldr, longestTldr),
    tags: [...new Set(tags)].slice(0, mostTags),
    title: oneLine(parsed.data.title ?? '') || null,
  };
}

/** Without the code fence that models put around whole replies. */
const withoutFence = (raw: string): string =>
  /^```\w*\n(.*)\n```$/s.exec(raw.trim())?.[1]?.trim() ?? raw.trim();

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

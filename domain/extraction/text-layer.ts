import type { TextLine } from './page-content.js';

/** What the fonts of a page do not say about its glyphs. */
export interface GlyphCounts {
  /** Glyphs without any character. */
  readonly unknown: number;
  /** Glyphs whose character is only their code in the font. With a standard encoding it is right nevertheless. */
  readonly unmapped: number;
}

/**
 * Characters that stand for nothing: for private use, unassigned, control and replacement characters; and dingbats, which a
 * page of text does not consist of, but fonts with glyph names such as `a101` are taken for.
 */
const meaningless = /[\p{Co}\p{Cn}\p{Cc}\uFFFD\u2701-\u27BF]/gu;

/** Fewer may be the symbols of a short page, such as a picture with a label. */
const fewestGlyphs = 20;
const mostMeaningless = 0.3;
/** The same where most glyphs are unmapped, since then the others may be wrong as well. */
const mostMeaninglessUnmapped = 0.1;

/** Why the text of a page cannot be used; null if it can. */
export function whyUnusable(
  lines: readonly TextLine[],
  { unknown, unmapped }: GlyphCounts,
): string | null {
  const texts = lines.flatMap(({ runs }) => runs.map(({ text }) => text)).join('');
  const bad = unknown + (texts.match(meaningless)?.length ?? 0);
  const glyphs = unknown + texts.length;
  if (glyphs < fewestGlyphs) return null;
  const most = unmapped > glyphs / 2 ? mostMeaninglessUnmapped : mostMeaningless;
  return bad > most * glyphs ? 'its fonts map many glyphs to wrong characters or to none' : null;
}

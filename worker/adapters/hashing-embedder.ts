import type { EmbedderPort } from '../../activities/ports/embedder.js';
import { analyzeText } from '../../domain/stores/analyze-text.js';
import { textCollectionName } from '../../domain/stores/collection-name.js';

const dimensions = 384;

/**
 * Feature hashing of word stems and letter trigrams: needs no model and gives the same vector everywhere, but sees
 * spelling, not meaning. For tests and the demonstration; its name says what it is wherever it appears.
 */
export const hashingEmbedder: EmbedderPort = {
  name: `hashing/${dimensions}`,
  endpoint: null,
  collection: textCollectionName('hashing', String(dimensions)),
  embed: (texts) => Promise.resolve(texts.map(hashText)),
};

function hashText(text: string): readonly number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const add = (feature: string, weight: number): void => {
    const hash = fnv1a(feature);
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? -weight : weight);
  };
  const stems = analyzeText(text);
  for (const stem of stems) {
    add(`word ${stem}`, 1);
    for (const trigram of trigrams(`<${stem}>`)) add(`part ${trigram}`, 0.3);
  }
  // Something for texts of symbols or stop words only, so that no vector is zero.
  if (stems.length === 0) for (const trigram of trigrams(`<${text}>`)) add(`sign ${trigram}`, 1);
  const norm = Math.hypot(...vector);
  return norm === 0
    ? vector.map((_, index) => (index === 0 ? 1 : 0))
    : vector.map((value) => value / norm);
}

function trigrams(text: string): readonly string[] {
  const letters = Array.from(text);
  if (letters.length < 3) return [text];
  return letters.slice(2).map((_, index) => letters.slice(index, index + 3).join(''));
}

/** FNV-1a over UTF-16 units, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV are weak for short texts, and the dimension is taken from them.
  return (hash ^ (hash >>> 15)) >>> 0;
}

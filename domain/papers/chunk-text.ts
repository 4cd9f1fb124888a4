const separators = ['\n\n', '\n', ' ', ''];

/**
 * Cuts a text into passages of at most `limit` characters (code points), at the coarsest separator that allows it:
 * blank line, line, word, character. Passages are stripped; none is empty and none overlaps (hybrid-agent.md §6.4).
 */
export function chunkText(text: string, limit: number): readonly string[] {
  return split(text, separators, limit)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

function split(text: string, candidates: readonly string[], limit: number): readonly string[] {
  const at = candidates.findIndex((candidate) => text.includes(candidate));
  const finer = candidates.slice(at + 1);
  const chunks: string[] = [];
  let pending: string[] = [];
  const mergePending = () => {
    chunks.push(...merge(pending, limit));
    pending = [];
  };
  for (const piece of pieces(text, candidates[at] ?? '')) {
    if (length(piece) < limit || finer.length === 0) {
      pending.push(piece);
    } else {
      mergePending();
      chunks.push(...split(piece, finer, limit));
    }
  }
  mergePending();
  return chunks;
}

/** Splits so that each separator begins the piece after it. */
function pieces(text: string, separator: string): readonly string[] {
  if (separator === '') return Array.from(text);
  return text.split(separator).map((piece, index) => (index === 0 ? piece : separator + piece));
}

function merge(parts: readonly string[], limit: number): readonly string[] {
  const merged: string[] = [];
  let current = '';
  for (const part of parts) {
    if (current !== '' && length(current) + length(part) > limit) {
      merged.push(current);
      current = '';
    }
    current += part;
  }
  return current === '' ? merged : [...merged, current];
}

const length = (text: string): number => Array.from(text).length;

/** Turns a text into the numbers of its tokens, with those that begin and end it. */
export type Tokenizer = (text: string, maxTokens: number) => readonly number[];

const longestWord = 100;

/**
 * The tokenizer of BERT without case: words without accents, punctuation and Chinese characters by themselves, each word in
 * the longest known pieces from the left.
 * @param vocabulary - a token a line; the place of the line is its number
 */
export function createTokenizer(vocabulary: string): Tokenizer {
  const numbers = new Map(vocabulary.split(/\r?\n/).map((token, index) => [token, index]));
  const special = (token: string): number => {
    const found = numbers.get(token);
    if (found === undefined) throw new Error(`The vocabulary has no ${token}.`);
    return found;
  };
  const [unknown, begin, end] = [special('[UNK]'), special('[CLS]'), special('[SEP]')];

  function piecesOf(word: string): readonly number[] {
    const characters = Array.from(word);
    if (characters.length > longestWord) return [unknown];
    const pieces: number[] = [];
    for (let start = 0; start < characters.length;) {
      const found = longestPiece(characters, start);
      if (found === undefined) return [unknown];
      pieces.push(found.number);
      start = found.end;
    }
    return pieces;
  }

  function longestPiece(
    characters: readonly string[],
    start: number,
  ): { readonly number: number; readonly end: number } | undefined {
    for (let end = characters.length; end > start; end -= 1) {
      const piece = characters.slice(start, end).join('');
      const number = numbers.get(start === 0 ? piece : `##${piece}`);
      if (number !== undefined) return { number, end };
    }
    return undefined;
  }

  return (text, maxTokens) => {
    const tokens: number[] = [begin];
    for (const part of text.split(spelledTokens)) {
      const spelled = isSpelledToken(part) ? numbers.get(part) : undefined;
      if (spelled !== undefined) tokens.push(spelled);
      for (const word of spelled === undefined ? wordsOf(part) : []) {
        if (tokens.length >= maxTokens - 1) break;
        tokens.push(...piecesOf(word));
      }
    }
    return [...tokens.slice(0, maxTokens - 1), end];
  };
}

/** A text that spells a token of its own is read as that token. */
const spelledTokens = /(\[(?:CLS|MASK|PAD|SEP|UNK)\])/;
const isSpelledToken = (part: string): boolean => spelledTokens.test(part);

/** Characters that say nothing: of control, of format, unassigned, and the mark of a lost one. */
const silent = /[\p{C}\uFFFD]/gu;
const chinese = /[\u4E00-\u9FFF\u3400-\u4DBF\uF900-\uFAFF\u{20000}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu;
/** All of ASCII that is neither letter nor digit counts as punctuation. */
const words = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;

function wordsOf(text: string): readonly string[] {
  const plain = text
    .replace(/[\t\n\r]/g, ' ')
    .replace(silent, '')
    .replace(chinese, ' $& ')
    // At the end of a word, JavaScript has another sigma.
    .replaceAll('Σ', 'σ')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');
  return plain.match(words) ?? [];
}

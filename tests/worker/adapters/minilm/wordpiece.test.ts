import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTokenizer } from '../../../../worker/adapters/minilm/wordpiece.js';

const vocabulary = readFileSync(
  new URL('../../../support/minilm/tiny-vocab.txt', import.meta.url),
  'utf8',
);
const tokens = vocabulary.split('\n');
const tokenize = createTokenizer(vocabulary);
const pieces = (text: string, max = 256): string =>
  tokenize(text, max)
    .map((number) => tokens[number])
    .join(' ');

it.each([
  ['whole words', 'paper on cat', '[CLS] paper on cat [SEP]'],
  ['a word in pieces', 'Catalogue', '[CLS] cat ##al ##og ##ue [SEP]'],
  ['a word that it does not know', 'paper zebra', '[CLS] paper [UNK] [SEP]'],
  ['a word whose end it does not know', 'catnip', '[CLS] [UNK] [SEP]'],
  ['punctuation by itself', '(Papers, reasoning)!', '[CLS] ( papers , reason ##ing ) ! [SEP]'],
  ['accents away', 'Café CAFÉ', '[CLS] cafe cafe [SEP]'],
  ['a capital sigma at the end of a word', 'ΣΣ', '[CLS] σ ##σ [SEP]'],
  ['Chinese characters by themselves', '论文paper', '[CLS] 论 文 paper [SEP]'],
  ['white space and control characters', 'paper\t\u0000cat\n\u200Bon', '[CLS] paper cat on [SEP]'],
  ['a token that is spelled', 'paper [MASK] [mask]', '[CLS] paper [MASK] [UNK] [UNK] [UNK] [SEP]'],
  ['nothing', '', '[CLS] [SEP]'],
  ['a word without end', 'a'.repeat(101), '[CLS] [UNK] [SEP]'],
])('reads %s', (_, text, expected) => {
  expect(pieces(text)).toBe(expected);
});

it('reads a long text only so far', () => {
  expect(pieces('paper '.repeat(50), 5)).toBe('[CLS] paper paper paper [SEP]');
});

it('refuses a vocabulary of another kind', () => {
  expect(() => createTokenizer('a\nb\n')).toThrow('has no [UNK]');
});

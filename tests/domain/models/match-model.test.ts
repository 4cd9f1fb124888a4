import { describe, expect, it } from 'vitest';
import { matchModel } from '../../../domain/models/match-model.js';

const table = {
  'gpt-4o': 'four-o',
  'gpt-4o-mini': 'mini',
  'gpt-4o-2024-05-13': 'first edition',
  'o1*': 'reasoner',
  'o1-mini*': 'small reasoner',
  'acme/special': 'by maker',
  special: 'by any maker',
};

describe('matchModel', () => {
  it.each([
    ['gpt-4o', 'four-o'],
    ['GPT-4o', 'four-o'],
    ['gpt-4o-2024-08-06', 'four-o'],
    ['gpt-4o-latest', 'four-o'],
    ['gpt-4o-preview-04-17', 'four-o'],
    ['gpt-4o@20240806', 'four-o'],
    ['gpt-4o-0613', 'four-o'],
    ['openai/gpt-4o', 'four-o'],
    ['gpt-4o-2024-05-13', 'first edition'],
    ['gpt-4o-mini-2024-07-18', 'mini'],
    ['gpt-4o-audio-preview', undefined],
    ['gpt-4o-5', undefined],
    ['gpt-4o:free', undefined],
    ['gpt-4', undefined],
    ['o1-pro', 'reasoner'],
    ['o1-mini-2024-09-12', 'small reasoner'],
    ['acme/special', 'by maker'],
    ['other/special', 'by any maker'],
  ])('takes %s for %s', (name, expected) => expect(matchModel(table, name)).toBe(expected));
});

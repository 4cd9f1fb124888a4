// cspell:ignore mehtods runa runb runc rund
import { describe, expect, it } from 'vitest';
import { didYouMean, similarNames } from '../../../domain/formats/did-you-mean.js';

describe('didYouMean', () => {
  it.each<[string, string, readonly string[], string]>([
    ['a missing letter', 'model', ['models', 'methods'], ' (did you mean models?)'],
    ['exchanged letters', 'mehtods', ['models', 'methods'], ' (did you mean methods?)'],
    ['another case', 'Papers', ['papers'], ' (did you mean papers?)'],
    ['two that are as near', 'pat', ['path', 'part'], ' (did you mean part or path?)'],
    ['one that is nearer by far', 'my_homes', ['my_home', 'my_probe'], ' (did you mean my_home?)'],
    ['a beginning', 'run-of', ['run-of-last-week', 'other'], ' (did you mean run-of-last-week?)'],
    ['nothing that is near', 'colour', ['path', 'store'], ''],
    ['a short word', 'x', ['ab', 'cd'], ''],
    ['no names at all', 'path', [], ''],
  ])('knows %s', (_, word, names, text) => {
    expect(didYouMean(word, names)).toBe(text);
  });

  it('never suggests what was typed, nor more than three names', () => {
    expect(similarNames('run', ['run', 'runa', 'runb', 'runc', 'rund'])).toEqual([
      'runa',
      'runb',
      'runc',
    ]);
  });
});

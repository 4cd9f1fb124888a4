import { describe, expect, it } from 'vitest';
import { chooseQuestions } from '../../../client/runs/choose-samples.js';

const line = (uuid: string): string => JSON.stringify({ uuid, question: `What is ${uuid}?` });
const uuids = Array.from({ length: 30 }, (_, index) => `q${index}`);
const text = uuids.map((uuid) => `${line(uuid)}\n`).join('');
const chosenIn = (chosen: string): readonly string[] =>
  chosen
    .split('\n')
    .filter((each) => each.trim() !== '')
    .map((each) => (JSON.parse(each) as { uuid: string }).uuid);
const sample = (from: string, count: number, seed = 1): readonly string[] =>
  chosenIn(chooseQuestions(from, { kind: 'sample', count, seed }));

it('leaves a dataset as it is where all of it is wanted', () => {
  expect(chooseQuestions(text, { kind: 'all' })).toBe(text);
});

describe('the first questions', () => {
  it('are counted without blank lines, which stay so that a flaw keeps its line number', () => {
    const gaps = `\n${line('a')}\n\n${line('b')}\n${line('c')}\n`;
    expect(chooseQuestions(gaps, { kind: 'first', count: 2 })).toBe(
      `\n${line('a')}\n\n${line('b')}`,
    );
  });

  it('are all where there are fewer', () => {
    expect(chosenIn(chooseQuestions(text, { kind: 'first', count: 99 }))).toEqual(uuids);
  });
});

describe('a sample', () => {
  it('is in the order of the dataset, and as large as asked for', () => {
    const chosen = sample(text, 10);
    expect(chosen).toHaveLength(10);
    expect(chosen).toEqual(uuids.filter((uuid) => chosen.includes(uuid)));
  });

  it('does not depend on the order of the file', () => {
    const reversed = text.trim().split('\n').reverse().join('\n');
    expect([...sample(reversed, 10)].sort()).toEqual([...sample(text, 10)].sort());
  });

  it('holds the smaller sample of its seed, and differs from that of another', () => {
    expect(sample(text, 20)).toEqual(expect.arrayContaining([...sample(text, 10)]));
    expect(sample(text, 10, 2)).not.toEqual(sample(text, 10, 1));
  });

  it('leaves a flawed dataset to whoever names its flaws', () => {
    const flawed = `${text}{"uuid":`;
    expect(chooseQuestions(flawed, { kind: 'sample', count: 2, seed: 1 })).toBe(flawed);
  });
});

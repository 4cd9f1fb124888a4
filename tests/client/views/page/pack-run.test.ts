import { describe, expect, it } from 'vitest';
import { QuestionPacks } from '../../../../client/views/page/pack-run.js';
import { pageQuestion, pageTurn } from '../../../../client/views/page/page-question.js';
import type { StoredPaper } from '../../../../domain/stores/store-manifest.js';
import { exampleObservation, exampleReply } from '../../../support/runs/example-records.js';
import { reportedRun } from '../../../support/runs/reported-run.js';
import { runAnswer } from '../../../support/runs/run-answer.js';

/** Questions of half a megabyte, so that each fills a pack. */
const questions = ['a', 'b', 'c'].flatMap((uuid) => {
  const { run, answers } = reportedRun([runAnswer({ uuid, verdict: 1 })], {
    question: () => uuid.repeat(500_000),
  });
  return answers.map((answer) => pageQuestion(run, answer, [], new Map()));
});

describe('the conversations of a page', () => {
  it('are packed in the given order while there is room, and the others are counted', () => {
    const roomy = new QuestionPacks();
    for (const question of questions) roomy.add(question);
    const all = roomy.finish();
    expect(all.leftOut).toBe(0);
    const [, first] = all.data;

    const narrow = new QuestionPacks({
      questions: 2 * (first?.content.length ?? 0) + 20,
      pictures: 0,
    });
    for (const question of questions) narrow.add(question);
    const some = narrow.finish();
    expect(some.leftOut).toBe(1);
    expect(some.data.map(({ id }) => id)).toEqual(['pack-of', 'pack-0', 'pack-1']);
  });

  it('store equal pictures once, and none of an unknown format or beyond the limit', () => {
    const packs = new QuestionPacks({ questions: 1e6, pictures: 60 });
    const png = { mimeType: 'image/png', base64: 'iVBORw0KGgo=' };
    expect([packs.place(png), packs.place(png)]).toEqual([0, 0]);
    expect(packs.place({ mimeType: 'image/png', base64: 'A'.repeat(60) })).toBeNull();
    expect(packs.place({ mimeType: 'text/html', base64: '"></script>' })).toBeNull();
    const { data, picturesLeftOut } = packs.finish();
    expect(picturesLeftOut).toBe(2);
    expect(data.at(-1)).toEqual({
      id: 'picture-0',
      content: 'data:image/png;base64,iVBORw0KGgo=',
    });
  });
});

it('names the papers that a question and its observations name by their ids', () => {
  const id = (digit: string): string => `${digit.repeat(8)}-1111-4111-8111-${digit.repeat(12)}`;
  const paper = (digit: string): readonly [string, StoredPaper] => [
    id(digit),
    { file: `${digit}.pdf`, title: digit, paperId: id(digit), sha256: '', pages: 1 },
  ];
  const { run, answers } = reportedRun([runAnswer({ uuid: 'a', verdict: 1 })]);
  const [answer] = answers.map((each) => ({
    ...each,
    item: { ...each.item, anchor_pdf: [id('1')] },
  }));
  const observation = exampleObservation(1, `{"pdf_id": "${id('2')}"} ${id('4')}`);
  const turn = pageTurn({ reply: exampleReply(1, null), observation }, () => null);
  if (answer === undefined) throw new Error('The run has a question.');
  const stored = new Map(['1', '2', '3'].map(paper));
  expect(pageQuestion(run, answer, [turn], stored).paperNames).toEqual({
    [id('1')]: { file: '1.pdf', title: '1' },
    [id('2')]: { file: '2.pdf', title: '2' },
  });
});

import { describe, expect, it } from 'vitest';
import { runPlots } from '../../../../../client/views/page/plots/run-plots.js';
import type { ReportedRun } from '../../../../../client/runs/reported-run.js';
import { reportedRun } from '../../../../support/runs/reported-run.js';
import { runAnswer } from '../../../../support/runs/run-answer.js';

const hostile = '"></text><script>alert(1)</script>\u202E';

const plotsOf = async (reported: ReportedRun, calls: Parameters<typeof runPlots>[0]['calls']) =>
  (await runPlots({ reported, calls }, 3)).map(({ text }) => text);

const titles = (plots: readonly string[]): readonly (string | undefined)[] =>
  plots.map((plot) => /<h3>(.*?)<\/h3>/.exec(plot)?.[1]);

const samples = Array.from({ length: 12 }, (_, at) =>
  runAnswer({
    uuid: `q${at}`,
    verdict: at % 2,
    item: { tags: [at % 3 === 0 ? hostile : 'text'] },
  }),
);

describe('the plots of a run', () => {
  const whole = plotsOf(
    {
      ...reportedRun(samples, { result: ({ uuid }) => ({ costUsd: Number(uuid.slice(1)) / 100 }) }),
      tools: {
        sqlErrors: { binder: 3 },
        searchErrors: {},
        imageErrors: {},
        calculationErrors: {},
        parseErrors: { [hostile]: 1 },
        emptyResults: 0,
        repeatedQueries: 2,
        rowsCut: 0,
        sqlMs: null,
        searchMs: null,
        firstNonEmptyTurn: null,
        questionsWithoutResult: 0,
        hits: { all: 0, outside: 0 },
        ungroundedAnswers: 1,
        answersCutOff: 0,
      },
    },
    [{ startMs: 0, endMs: 1500 }],
  );

  it('are six, each as text and drawing', async () => {
    expect(titles(await whole)).toEqual([
      'Score by tag',
      'Turns',
      'Cost against score',
      'Latency',
      'Tool errors',
      'Calls in flight',
    ]);
    for (const plot of await whole) {
      expect(plot).toMatch(/<div role="img" aria-label="[^"]{20,}"><svg aria-hidden="true"/);
    }
  });

  it('contain no address, style or script, whatever the names of the groups', async () => {
    for (const plot of await whole) {
      expect(plot).not.toMatch(/<script|<image| href=| style=|url\(/);
      expect(plot).not.toContain('\u202E');
    }
    expect((await whole)[0]).toContain('&lt;script&gt;');
  });

  it('use the colours of the page', async () => {
    for (const plot of await whole) expect(plot).not.toMatch(/(fill|stroke)="#/);
  });

  it('leave out plots without data', async () => {
    const bare = [runAnswer({ uuid: 'a', verdict: null })];
    expect(await plotsOf(reportedRun(bare), [])).toEqual([]);
  });

  it('use tokens if no price is known', async () => {
    const plots = await plotsOf(reportedRun(samples, { result: () => ({ costUsd: null }) }), []);
    expect(titles(plots)).toContain('Tokens against score');
  });
});

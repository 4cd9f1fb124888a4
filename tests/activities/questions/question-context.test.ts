import { describe, expect, it } from 'vitest';
import { createBriefQuestion } from '../../../activities/questions/question-context.js';
import type { SearchRequest } from '../../../activities/ports/tools.js';
import type { MethodName } from '../../../domain/agent/methods.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';
import { runActivity } from '../../support/run-activity.js';

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const unasked = (): Promise<never> => Promise.reject(new Error('nobody was to ask this'));

/** Briefs one question about paper `p-1` over ports that know that paper alone. */
async function brief(method: MethodName) {
  const { runFiles, ref } = questionInFolder({ anchor_pdf: ['p-1'] }, (manifest) => ({
    ...manifest,
    config: { ...manifest.config, method },
  }));
  const searches: SearchRequest[] = [];
  let asked = 0;
  const briefQuestion = createBriefQuestion({
    runFiles,
    clock,
    paperTexts: {
      titles: ({ papers }) => {
        asked += 1;
        return Promise.resolve(new Map(papers.map((paper) => [paper, `Title of ${paper}`])));
      },
      texts: ({ papers }) =>
        Promise.resolve(
          papers.map((title) => ({ title, abstract: 'short', sections: [], pages: ['page'] })),
        ),
    },
    search: {
      tryFilter: unasked,
      search: (request) => {
        searches.push(request);
        return Promise.resolve({ kind: 'hits', hits: [] });
      },
    },
    tables: { query: unasked, texts: unasked },
    pictures: { ofPage: unasked },
    graph: { query: unasked },
  });
  await runActivity(briefQuestion, ref);
  await runActivity(briefQuestion, ref);
  expect(asked).toBe(1);
  return { briefing: await runFiles.briefing(ref.run, ref), searches };
}

describe('briefQuestion', () => {
  it('keeps the titles of the papers a question is about', async () => {
    const { briefing } = await brief('two_stage_sym_rag');
    expect(briefing).toMatchObject({ titles: { 'p-1': 'Title of p-1' }, context: null });
  });

  it('puts a context together from the papers', async () => {
    expect((await brief('trivial_title_with_abstract')).briefing?.context).toBe(
      'Titles and abstracts for anchor PDFs:\n[Title]: p-1\n[Abstract]: short',
    );
    expect((await brief('trivial_full_text_with_cutoff')).briefing?.context).toMatch(/\npage$/);
  });

  it('searches for the question in its papers', async () => {
    const { briefing, searches } = await brief('classic_rag');
    expect(searches).toMatchObject([{ query: 'How many turns?', limit: 4 }]);
    expect(searches[0]?.filter).toContain(`and (pdf_id == 'p-1')`);
    expect(briefing?.context).toMatch(/^\[Warning\]: No relevant context/);
  });
});

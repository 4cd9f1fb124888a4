import { describe, expect, it } from 'vitest';
import { noDatabases } from '../../support/fakes/no-databases.js';
import { createReadContext } from '../../../activities/questions/question-context.js';
import type { SearchRequest } from '../../../activities/ports/tools.js';
import type { MethodName } from '../../../domain/agent/methods.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';
import { runActivity } from '../../support/run-activity.js';

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const unasked = (): Promise<never> => Promise.reject(new Error('nobody was to ask this'));

/** Reads the context of one question about paper `p-1`, over ports that know only this paper. */
async function contextFor(method: MethodName) {
  const { runFiles, ref } = questionInFolder({ anchor_pdf: ['p-1'] }, (manifest) => ({
    ...manifest,
    config: { ...manifest.config, method },
  }));
  const searches: SearchRequest[] = [];
  let asked = 0;
  const readContext = createReadContext({
    runFiles,
    clock,
    databases: noDatabases,
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
    tables: { queries: unasked, query: unasked, texts: unasked },
    pictures: { ofPage: unasked },
    graph: { query: unasked },
  });
  await runActivity(readContext, ref);
  await runActivity(readContext, ref);
  expect(asked).toBe(1);
  return { stored: await runFiles.questionContext(ref.run, ref), searches };
}

describe('readContext', () => {
  it('keeps the titles of the papers a question is about', async () => {
    const { stored } = await contextFor('two_stage_sym_rag');
    expect(stored).toMatchObject({ titles: { 'p-1': 'Title of p-1' }, context: null });
  });

  it('puts a context together from the papers', async () => {
    expect((await contextFor('trivial_title_with_abstract')).stored?.context).toBe(
      'Titles and abstracts for anchor PDFs:\n[Title]: p-1\n[Abstract]: short',
    );
    expect((await contextFor('trivial_full_text_with_cutoff')).stored?.context).toMatch(/\npage$/);
  });

  it('searches for the question in its papers', async () => {
    const { stored, searches } = await contextFor('classic_rag');
    expect(searches).toMatchObject([{ query: 'How many turns?', limit: 4 }]);
    expect(searches[0]?.filter).toContain(`and (pdf_id == 'p-1')`);
    expect(stored?.context).toMatch(/^\[Warning\]: No relevant context/);
  });
});

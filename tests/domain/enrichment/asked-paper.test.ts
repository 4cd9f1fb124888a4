import { describe, expect, it } from 'vitest';
import {
  enrichmentForecast,
  enrichedRows,
  openQuestions,
  askedPaper,
} from '../../../domain/enrichment/asked-paper.js';
import {
  enrichmentIdOf,
  possibleKinds,
  questionAbout,
  type EnrichmentKind,
  type EnrichmentJob,
  type EnrichmentRecord,
} from '../../../domain/enrichment/job.js';
import { newEnrichmentTally } from '../../../domain/enrichment/totals.js';
import type { PaperRows } from '../../../domain/stores/paper-tables.js';
import {
  jobOf,
  recordOf,
  scannedRows,
  textModel,
} from '../../support/enrichment/enriched-paper.js';

const rows = scannedRows();

const openIn = (
  read: PaperRows,
  records: readonly EnrichmentRecord[] = [],
  job: EnrichmentJob = jobOf(),
) => openQuestions(job, askedPaper(read, true, records), records);

const kindsIn = (...args: Parameters<typeof openIn>): readonly EnrichmentKind[] =>
  openIn(...args).map(({ question }) => question.item.kind);

/** A reply to every question that is open. */
function answering(
  replies: Partial<Record<EnrichmentKind, string>>,
  job = jobOf(),
): readonly EnrichmentRecord[] {
  const records: EnrichmentRecord[] = [];
  for (let open = openIn(rows, [], job); open.length > 0; open = openIn(rows, records, job)) {
    records.push(
      ...open.map(({ question }) =>
        recordOf(question, replies[question.item.kind] ?? `About ${question.item.kind}.`),
      ),
    );
  }
  return records;
}

const catalogued =
  '{"tldr": "Ovens lose heat.", "tags": ["ovens", "heat", "bread", "bakeries", "energy"]}';
const scanned =
  'The text of a scanned page, which has more than fifty characters.\n\nIt ends here.';
const all = { metadata: catalogued, scans: scanned };

describe('what is asked about a paper', () => {
  it('are its scanned pages, pages, sections, tables, figures and the paper as a whole', () => {
    expect(kindsIn(rows)).toEqual(['scans', 'pages', 'sections', 'tables', 'images', 'metadata']);
  });

  it('is nothing about texts of at most 50 characters', () => {
    const [page] = rows.pages;
    if (page === undefined) throw new Error('the paper has a page');
    const short = { ...rows, pages: [{ ...page, page_content: 'x'.repeat(50) }], sections: [] };
    expect(kindsIn(short)).not.toContain('pages');
    const longer = { ...rows, pages: [{ ...page, page_content: 'x'.repeat(51) }] };
    expect(kindsIn(longer)).toContain('pages');
  });

  it('is nothing about pictures where there is no PDF', () => {
    const open = openQuestions(jobOf(), askedPaper(rows, false, []), []);
    expect(open.map(({ question }) => [question.item.kind, question.isShown])).toEqual([
      ['pages', false],
      ['sections', false],
      ['tables', false],
      ['metadata', false],
    ]);
  });

  it('goes to the model that sees pictures where there is one to be seen', () => {
    const asked = openIn(rows).map(({ question: { item, model, isShown } }) => [
      item.kind,
      model.name,
      isShown,
    ]);
    expect(asked).toEqual([
      ['scans', 'vision-model', true],
      ['pages', 'text-model', false],
      ['sections', 'text-model', false],
      ['tables', 'vision-model', true],
      ['images', 'vision-model', true],
      ['metadata', 'text-model', false],
    ]);
    const job = jobOf({ vision: null });
    expect(possibleKinds(job)).toEqual(['pages', 'sections', 'tables', 'metadata']);
    expect(kindsIn(rows, [], job)).toEqual(['pages', 'sections', 'tables', 'metadata']);
    expect(kindsIn(rows, [], jobOf({ kinds: ['tables'] }))).toEqual(['tables']);
  });

  it('leaves out what has a reply, whatever that says, and what a scan says is asked about then', () => {
    const [scan] = openIn(rows);
    if (scan === undefined) throw new Error('a scan is open');
    const records = [recordOf(scan.question, scanned)];
    expect(kindsIn(rows, records).filter((kind) => kind === 'pages')).toHaveLength(2);
    expect(kindsIn(rows, answering(all))).toEqual([]);
    expect(kindsIn(rows, answering({ ...all, pages: 'NONE', metadata: 'no JSON' }))).toEqual([]);
  });

  it('waits for the text of the first page', () => {
    const first = { ...rows, pages: rows.pages.map((page) => ({ ...page, page_content: '' })) };
    const untitled = {
      ...first,
      metadata: rows.metadata.map((row) => ({ ...row, abstract: null })),
    };
    expect(kindsIn(untitled)).toEqual(['scans', 'scans', 'sections', 'tables', 'images']);
    const scans = openIn(untitled).slice(0, 2);
    const records = scans.map(({ question }) => recordOf(question, scanned));
    expect(kindsIn(untitled, records)).toContain('metadata');
  });

  it('is asked again of other models, with other prompts and about changed texts only', () => {
    const records = answering(all);
    expect(kindsIn(rows, records, jobOf({ model: { ...textModel, name: 'other' } }))).toEqual([
      'pages',
      'pages',
      'sections',
      'metadata',
    ]);
    expect(
      kindsIn(rows, records, jobOf({ model: { ...textModel, baseUrl: 'http://b/v1' } })),
    ).toEqual([]);
    const changed = rows.sections.map((row) => ({
      ...row,
      section_content: `${row.section_content} So.`,
    }));
    expect(kindsIn({ ...rows, sections: changed }, records)).toEqual(['sections']);
  });

  it('is a part of a text that no model can read whole', () => {
    const pages = rows.pages.map((page) => ({ ...page, page_content: 'oven '.repeat(50_000) }));
    const long = { ...rows, pages };
    const [open] = openIn(long, [], jobOf({ kinds: ['pages'] }));
    expect(open?.question.item.texts[0]?.text.length).toBe(59_999);
  });
});

describe('the rows of an enriched paper', () => {
  it('are those that were read where no model has said anything', () => {
    expect(enrichedRows(askedPaper(rows, true, []))).toEqual({ rows, enrichment: null });
    const nothing = answering({
      ...{ scans: 'NONE', pages: 'NONE', sections: 'None.', tables: 'NONE', images: 'NONE' },
      metadata: 'I cannot say.',
    });
    expect(enrichedRows(askedPaper(rows, true, nothing))).toEqual({ rows, enrichment: null });
  });

  it('have what the models said in the columns of the tables', () => {
    const { rows: enriched } = enrichedRows(askedPaper(rows, true, answering(all)));
    expect(enriched.metadata).toMatchObject([
      { tldr: 'Ovens lose heat.', tags: ['ovens', 'heat', 'bread', 'bakeries', 'energy'] },
    ]);
    expect(enriched.pages.map(({ page_summary }) => page_summary)).toEqual([
      'About pages.',
      'About pages.',
    ]);
    expect(enriched.sections.map(({ section_summary }) => section_summary)).toEqual([
      'About sections.',
    ]);
    expect(enriched.tables.map(({ table_summary }) => table_summary)).toEqual(['About tables.']);
    expect(enriched.images.map(({ image_summary }) => image_summary)).toEqual(['About images.']);
  });

  it.each([
    ['A Study of Ovens', 'A Study of Ovens'],
    ['A study\nof ovens', 'A study of ovens'],
    ['A Study of Kilns', 'ovens.pdf'],
    ['…', 'ovens.pdf'],
    [null, 'ovens.pdf'],
  ])('have the title %j of a model as %j, where none was found', (title, expected) => {
    const untitled = {
      ...rows,
      metadata: rows.metadata.map((row) => ({ ...row, title: row.pdf_path })),
    };
    const job = jobOf({ kinds: ['metadata'] });
    const [open] = openIn(untitled, [], job);
    expect(open?.question.item.texts.map(({ label }) => label)).toEqual(['first page']);
    const reply = JSON.stringify({ tldr: 'Ovens lose heat.', tags: [], title });
    const records = open ? [recordOf(open.question, reply)] : [];
    const { rows: enriched } = enrichedRows(askedPaper(untitled, true, records));
    expect(enriched.metadata[0]).toMatchObject({
      title: expected,
      paper_id: rows.metadata[0]?.paper_id,
    });
  });

  it('keep a title that was found', () => {
    const said = answering({ ...all, metadata: '{"tldr": "x", "tags": [], "title": "Ovens"}' });
    const { rows: enriched } = enrichedRows(askedPaper(rows, true, said));
    expect(enriched.metadata[0]?.title).toBe('A Study of Ovens');
  });

  it('have chunks of whole sentences of a long scanned page', () => {
    const sentences = Array.from({ length: 30 }, (_, index) => `Oven ${index} loses little heat.`);
    const records = answering({ scans: sentences.join(' ') });
    const chunks = enrichedRows(askedPaper(rows, true, records)).rows.chunks.slice(
      rows.chunks.length,
    );
    expect(chunks.length).toBeGreaterThan(1);
    for (const { text_content } of chunks) {
      expect(text_content?.length).toBeLessThanOrEqual(512);
      expect(text_content).toMatch(/^Oven \d.*heat\.$/);
    }
  });

  it('have the text of a scanned page, with chunks behind those of the page before', () => {
    const { rows: enriched, enrichment } = enrichedRows(askedPaper(rows, true, answering(all)));
    expect(enrichment?.readByModel).toEqual([2]);
    const second = enriched.pages[1];
    expect(second?.page_content).toBe(scanned);
    const chunks = enriched.chunks.slice(rows.chunks.length);
    expect(chunks).toMatchObject([
      { text_content: scanned, ordinal: 0, ref_page_id: second?.page_id },
    ]);
    expect(enriched.chunks.slice(0, rows.chunks.length)).toEqual(rows.chunks);
  });

  it('are told apart by what was said, not by when or by the order of the records', () => {
    const records = answering(all);
    const digest = (said: readonly EnrichmentRecord[]): string | undefined =>
      enrichedRows(askedPaper(rows, true, said)).enrichment?.digest;
    expect(digest(records.toReversed())).toBe(digest(records));
    const later = records.map((record) => ({ ...record, endedAt: '2027-01-01T00:00:00.000Z' }));
    expect(digest(later)).toBe(digest(records));
    expect(digest(answering({ ...all, pages: 'Something else.' }))).not.toBe(digest(records));
  });

  it('have the later of two replies about one text', () => {
    const other = jobOf({ model: { ...textModel, name: 'other' }, kinds: ['sections'] });
    const first = answering({}, jobOf({ kinds: ['sections'] }));
    const second = answering({ sections: 'It says more.' }, other);
    const later = second.map((record) => ({ ...record, endedAt: '2026-02-01T00:00:00.000Z' }));
    for (const records of [
      [...first, ...later],
      [...later, ...first],
    ]) {
      const { rows: enriched } = enrichedRows(askedPaper(rows, true, records));
      expect(enriched.sections[0]?.section_summary).toBe('It says more.');
    }
  });
});

describe('a job', () => {
  it('has an id that its models, kinds and papers decide', () => {
    const id = enrichmentIdOf(jobOf());
    expect(enrichmentIdOf(jobOf())).toBe(id);
    expect(enrichmentIdOf(jobOf({ kinds: ['pages'] }))).not.toBe(id);
    expect(enrichmentIdOf(jobOf({ vision: null }))).not.toBe(id);
  });

  it('lets a model write more about a scanned page than about others', () => {
    const scan = openIn(rows)[0]?.question;
    expect(scan?.model.maxTokens).toBe(4096);
    const item = openIn(rows)[1]?.question.item;
    expect(item && questionAbout(item, jobOf())?.model.maxTokens).toBe(textModel.maxTokens);
  });

  it('forecasts its calls and the most that they may cost', () => {
    const asked = askedPaper(rows, true, []);
    const forecast = enrichmentForecast(jobOf(), [{ asked, records: [] }]);
    expect(forecast).toMatchObject({
      papers: 1,
      calls: 6,
      kinds: { scans: 1, pages: 1, sections: 1, tables: 1, images: 1, metadata: 1 },
      isEstimate: false,
    });
    expect(forecast.promptTokens).toBeGreaterThan(3 * 1105);
    expect(forecast.mostUsd).toBeGreaterThan((3 * textModel.maxTokens * 2 + 4096 * 4) / 1e6);
    const large = jobOf({ papers: Array.from({ length: 300 }, () => jobOf().papers).flat() });
    expect(enrichmentForecast(large, [{ asked, records: [] }])).toMatchObject({
      calls: 1800,
      kinds: { pages: 300 },
      isEstimate: true,
    });
    const unpriced = jobOf({ model: { ...textModel, price: null } });
    expect(enrichmentForecast(unpriced, [{ asked, records: [] }]).mostUsd).toBeNull();
    expect(enrichmentForecast(jobOf(), []).calls).toBe(0);
  });

  it('counts what became of its items, and what they cost', () => {
    const job = jobOf();
    const tally = newEnrichmentTally(job);
    const records = answering({ ...all, sections: 'NONE', metadata: 'no JSON' });
    tally.add(askedPaper(rows, true, records), records);
    tally.add(askedPaper(rows, true, []), []);
    tally.addLost();
    expect(tally.totals()).toEqual({
      kinds: {
        scans: { items: 2, answered: 1, nothing: 0, unusable: 0 },
        pages: { items: 3, answered: 2, nothing: 0, unusable: 0 },
        sections: { items: 2, answered: 0, nothing: 1, unusable: 0 },
        tables: { items: 2, answered: 1, nothing: 0, unusable: 0 },
        images: { items: 2, answered: 1, nothing: 0, unusable: 0 },
        metadata: { items: 2, answered: 0, nothing: 0, unusable: 1 },
      },
      unusable: { 'the reply has no JSON object with tldr and tags': 1 },
      lost: 1,
      spent: { usd: 0.0007, tokens: 770 },
      unpriced: 0,
    });
  });
});

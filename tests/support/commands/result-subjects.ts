import { agreementSection } from '../../../client/commands/scores/agreement.js';
import { changedQuestions, comparisonSections } from '../../../client/views/sections/comparison.js';
import { diskSection } from '../../../client/commands/disk.js';
import { evaluationSections, evaluationWords } from '../../../client/views/sections/evaluation.js';
import { enrichmentSection } from '../../../client/commands/store/enrich.js';
import {
  differenceSection,
  rulesSection,
  separationSection,
} from '../../../client/views/sections/ledger.js';
import { reviewSection } from '../../../client/commands/review.js';
import { reportSections } from '../../../client/views/sections/run.js';
import { cellText, type Section } from '../../../client/views/sections/section.js';
import { storeCheckSection, databaseSection } from '../../../client/views/sections/store.js';
import { datasetSections } from '../../../client/views/building-text.js';
import { runForecast } from '../../../client/views/estimates/run-estimate.js';
import { statusResult } from '../../../client/views/progress/status-text.js';
import { reportTables } from '../../../client/views/database-qa/report-tables.js';
import { reportOnRuns } from '../../../client/runs/database-qa/database-report.js';
import type { DiskUse } from '../../../client/runs/removal/disk-use.js';
import { RunFolder } from '../../../client/runs/run-folder.js';
import { takeSnapshot } from '../../../client/runs/status/run-snapshot.js';
import { noCap } from '../../../domain/budget/amount.js';
import { compareCells } from '../../../domain/evaluations/evaluation.js';
import {
  datasetNameSchema,
  evaluationNameSchema,
  questionIdSchema,
  runIdSchema,
  storeNameSchema,
} from '../../../domain/ids.js';
import { compareRuns } from '../../../domain/runs/compare-runs.js';
import { calibration, judgeAgreement } from '../../../domain/scoring/judging/judge-agreement.js';
import { noProgress } from '../../../domain/scoring/open-calls.js';
import { reviewIdOf, type ReviewedPanel } from '../../../domain/scoring/review/panel.js';
import { readReviewLabels, reviewReport } from '../../../domain/scoring/review/review-report.js';
import { headlinesOf } from '../../../domain/scoring/score-ledger.js';
import { comparedRun } from '../runs/compared-run.js';
import { threeModes } from '../runs/database-runs.js';
import { exampleManifest } from '../runs/example-manifest.js';
import { exampleEnd, sampleKey } from '../runs/example-records.js';
import { decisionsOf } from '../runs/panels.js';
import { reportedRun } from '../runs/reported-run.js';
import { reviewConfig } from '../runs/reviewed.js';
import { runAnswer } from '../runs/run-answer.js';
import { ruled } from '../runs/ruled.js';
import { runInFolder } from '../runs/run-in-folder.js';

/** Twelve questions in two epochs, of which some are wrong and one was never scored. */
const answers = (wrong: number) =>
  Array.from({ length: 24 }, (_, at) =>
    runAnswer({
      uuid: `q<${at % 12}>|`,
      epoch: at < 12 ? 1 : 2,
      verdict: at === 23 ? 'judge-unreadable' : at % 12 < wrong ? 0 : 1,
      item: { tags: [at % 2 === 0 ? '*even*' : 'odd_one'] },
    }),
  );

const runs = [1, 5, 11].map((wrong, at) => comparedRun(`run-${at}`, answers(wrong)));
const [baseline, ...others] = runs as [(typeof runs)[0], ...typeof runs];

const headline = headlinesOf(answers(3))[0];

/** Every kind of result that a command prints, with an example. */
export const resultSubjects: Readonly<Record<string, () => Promise<readonly Section[]>>> = {
  'the scores of a run': () => Promise.resolve(reportSections([reportedRun(answers(5))])),
  'the scores of a run with rulings': () => {
    const [first, second, ...rest] = answers(5);
    if (!first || !second) throw new Error('no answers');
    const decided = [ruled(first, 'exclude'), ruled(second, 'wrong'), ...rest];
    return Promise.resolve(reportSections([reportedRun(decided)]));
  },
  'a comparison': async () => {
    const comparison = compareRuns(baseline, others, ['tags']);
    return Promise.resolve([...comparisonSections(comparison), changedQuestions(comparison)]);
  },
  'an evaluation': async () => {
    const cells = runs.map((compared, at) => ({
      cell: {
        run: runIdSchema.parse(compared.run),
        ...{ dataset: { label: 'd' }, method: `m${at}`, model: { label: 'M' } },
      },
      compared,
    }));
    const comparison = compareCells(cells);
    const evaluation = { name: evaluationNameSchema.parse('e'), budget: noCap };
    const words = evaluationWords(evaluation, comparison, { usd: 1, tokens: 2 });
    return Promise.resolve(evaluationSections(comparison, [words]));
  },
  'answers over databases': async () => {
    const { home } = threeModes();
    const folders = ['none', 'seq', 'iter'].map(
      (run) => new RunFolder(home, runIdSchema.parse(run)),
    );
    return reportTables((await reportOnRuns(folders, {})).tables);
  },
  'several runs in one report': () =>
    Promise.resolve(
      reportSections([
        reportedRun(answers(1), { run: 'one' }),
        reportedRun(answers(11), { run: 'other' }),
      ]),
    ),
  'the agreement of judges': () => {
    const rater = (name: string, ratings: string) => ({
      name,
      missing: 1,
      ratings: new Map(Array.from(ratings, (rating, at) => [`q${at}`, Number(rating)])),
    });
    const judges = [rater('j<1>', '110100'), rater('j2', '100101'), rater('j3', '110111')];
    return Promise.resolve([
      agreementSection({
        scale: 'unit',
        judges: judges.map(({ name }, at) => ({ name, rated: 6, missing: 1, mean: at / 3 })),
        agreement: judgeAgreement(judges),
        calibration: judges.map((judge) => calibration(judge, rater('labels', '111000'))),
      }),
    ]);
  },
  'a review': () => {
    const config = reviewConfig('a,b,c|d,e,f');
    const votes = ['PPP|PPP', 'PPI|PPI', 'III|III', 'PIP|IIP'];
    const panels: readonly ReviewedPanel[] = votes.map((sides, at) => {
      const [reviewers = [], metaReviewers = []] = sides.split('|').map((side) =>
        decisionsOf(side).map((decision, place) => ({
          ...{ model: `model-${place}`, decision, rationale: '' },
        })),
      );
      return { uuid: `q${at}`, epoch: 1, subTask: 'IP', reviewers, metaReviewers };
    });
    const lines = panels.map(({ uuid }, at) => ({
      ...{ uuid, subTask: 'IP', label: at < 3 ? 'perfect' : 'imperfect', annotator: 'Ann' },
    }));
    const { labels } = readReviewLabels(
      lines.map((each) => JSON.stringify(each)).join('\n'),
      panels,
    );
    const model = { configured: 'a-model', returned: 'model-1' };
    const report = reviewReport(panels, { model, config }, labels);
    return Promise.resolve([
      reviewSection(report, { review: reviewIdOf(config), totals: null }, runIdSchema.parse('a')),
    ]);
  },
  'scores by rule': () =>
    Promise.resolve([
      rulesSection({
        rules: [
          { rule: 'bird', headline },
          { rule: 'spider', headline },
          { rule: 'multiset', headline },
        ],
        differences: [
          { rules: ['bird', 'spider'], answers: 24, differ: 13 },
          { rules: ['bird', 'multiset'], answers: 24, differ: 17 },
          { rules: ['spider', 'multiset'], answers: 24, differ: 19 },
        ],
        ...{ compared: 24, dependOnRule: 21 },
      }),
    ]),
  'two versions of scores': () => {
    const version = (at: number) => ({
      ...{ version: at, scorer: 'default' as const, code: {}, judging: null, judge: null },
      ...{ scoredAt: null, turnwise: '0.0.0' },
    });
    const scored = (score: number) => ({ kind: 'scored' as const, score });
    return Promise.resolve([
      differenceSection({
        from: version(1),
        to: version(2),
        differences: {
          same: 14,
          changed: Array.from({ length: 9 }, (_, at) => ({
            ...{ uuid: questionIdSchema.parse(`q${at}`), epoch: 1 + (at % 2), scale: 'unit' },
            ...{ before: scored(at / 10), after: at === 3 ? null : scored(1) },
          })),
          means: [{ scale: 'unit', before: 0.25, after: 0.875 }],
        },
      }),
    ]);
  },
  'matches by luck': () =>
    Promise.resolve([
      separationSection({
        ...{ matches: 31, lucky: 7 },
        items: Array.from({ length: 7 }, (_, at) => ({
          ...{ uuid: questionIdSchema.parse(`q${at}`), epoch: 1 },
          faults: [{ check: 'luck' as const, reason: `copy ${at} tells them apart` }],
          separation: { kind: 'luck' as const, reason: `copy ${at} tells them apart`, inserts: [] },
        })),
      }),
    ]),
  'the check of a store': () => {
    const checked = (count: number) => ({
      ...{ database: null, papers: 12, rows: 85, vectors: 170 },
      findings: Array.from({ length: count }, (_, at) => ({
        ...{ kind: 'vectors-missing' as const, where: `c_${at}`, count: 40 + at, papers: at },
        example: `<${at}>.pdf`,
      })),
    });
    const store = storeNameSchema.parse('mine');
    const lost = { paperId: 'p', title: 'Owls | 1', file: 'a.pdf', lost: 'pdf' as const };
    const result = { found: checked(4), left: checked(2), lost: [lost] };
    return Promise.resolve([storeCheckSection(store, result)]);
  },
  'a database': () => {
    const columns = ['id', 'na_me', 'paid'].map((name) => ({
      name,
      type: 'BIGINT',
      nullable: true,
      description: '',
      note: `n ${name}`,
    }));
    const table = {
      rows: 17,
      columns,
      description: 'Of *all* lamps',
      note: 'from 4 lines',
      primaryKey: [],
      foreignKeys: [],
    };
    return Promise.resolve([
      databaseSection({
        name: 'shop',
        tables: [
          { name: 'lamps', ...table },
          { name: 'owls', ...table },
        ],
        leftOut: ['view v'],
      }),
    ]);
  },
  'what takes space': () => {
    const unneeded = { objects: 2, bytes: 1500, remove: () => Promise.resolve() };
    const uses: readonly DiskUse[] = [
      {
        ...{ name: 'database <shop>| (00)', objects: 12_345, bytes: 2048 },
        ...{ usedBy: ['run *a*', 'run b', 'run c', 'store d'], unneeded: null },
      },
      { name: 'drafts', objects: 3, bytes: 3000, usedBy: [], unneeded },
    ];
    return Promise.resolve([diskSection(uses)]);
  },
  'an enrichment': () =>
    Promise.resolve([
      enrichmentSection({
        progress: { ...noProgress, calls: 1204 },
        totals: {
          kinds: {
            pages: { items: 1900, answered: 5, nothing: 31, unusable: 17 },
            images: { items: 23, answered: 0, nothing: 0, unusable: 0 },
          },
          unusable: { 'the *reply* ended | at the token limit': 17 },
          ...{ lost: 3, spent: { usd: 0.25, tokens: 12_345 }, unpriced: 0 },
        },
      }),
    ]),
  'where a run is': async () => {
    const { home, manifest, runFiles } = runInFolder(
      ['a', 'b', 'c'].map((uuid) => ({ uuid, question: `What is *${uuid}*?` })),
      (example) => ({ ...example, status: 'cancelled' }),
    );
    const { run } = manifest;
    const { result, score } = exampleEnd(sampleKey('a'));
    const outcome = {
      ...{ kind: 'infra-error' as const, failure: 'ModelUnavailable' as const },
      message: 'no route',
    };
    await runFiles.publish(run, [{ result: { ...result, outcome }, score }]);
    const folder = new RunFolder(home, run);
    return statusResult(await takeSnapshot({ run, folder, ask: Promise.resolve(null) })).sections;
  },
  'a forecast': () => {
    const each = {
      calls: 1234,
      promptTokens: 56_000,
      completionTokens: 789,
      usd: 1.25,
      ms: 99_000,
    };
    const plan = { manifest: exampleManifest(), items: [], kind: 'new' };
    return Promise.resolve(
      runForecast(plan as never, {
        estimate: { low: each, likely: { ...each, usd: 2.5 }, high: { ...each, calls: 4321 } },
        basis: { kind: 'earlier', runs: 3, questions: 40, ofSame: false },
        ...{ left: 17, samples: 40, concurrency: 8, method: 'hybrid_react', model: 'a-model' },
        budget: { usd: 1.5, tokens: null },
        cache: { share: 0.4, savedUsd: 0.5 },
      }),
    );
  },
  'a dataset that is built': () =>
    Promise.resolve(
      datasetSections({
        ...{
          dataset: datasetNameSchema.parse('lamps'),
          paused: true,
          condition: 'paused',
          items: 40,
          calls: 83,
        },
        states: { drafting: 9, waiting: 8, parked: 7, done: 6, rejected: 5 } as never,
        ...{ parked: { budget: 7 }, spent: { usd: 1.25, tokens: 4321 } },
        agreement: [{ about: 'question', items: 12, agreed: 11, kappa: 0.75, interval: null }],
        nearDuplicates: [{ a: 'i-1', b: 'i-2', similarity: 0.83 }] as never,
        figures: {
          ...{
            size: 6,
            conclusive: 4,
            interpretive: 2,
            withoutCategory: 0,
            databases: 2,
            tables: 3,
          },
          referenceWords: { conclusive: 23, interpretive: 41 },
          columns: { perTable: 5, perDatabase: 15 },
          records: { perTable: 170, perDatabase: 510 },
        },
      }),
    ),
};

/** What sections say, a text each: the parts of what stands in one cell apart. */
export const factsIn = (sections: readonly Section[]): readonly string[] =>
  sections.flatMap(({ words, notes, tables }) => [
    ...[...words, ...notes],
    ...tables.flatMap(({ heads, rows, legend = [], published }) => [
      ...[...heads, ...legend],
      ...[...rows, ...(published?.rows ?? [])]
        .flat()
        .flatMap((cell) =>
          cell !== null && typeof cell === 'object' ? [cell.text, cell.under] : [cellText(cell)],
        ),
    ]),
  ]);

/** Facts that a medium lacks, however it breaks lines. */
export function factsNotIn(text: string, sections: readonly Section[]): readonly string[] {
  const plain = (part: string): string => part.replaceAll(/\s+/g, ' ').toLowerCase();
  const whole = plain(text);
  return factsIn(sections).filter((fact) => !whole.includes(plain(fact)));
}

import { decimals, grouped } from '../../../../domain/formats/text.js';
import { rangeOf, scaleLabels, type Scale } from '../../../../domain/scoring/verdict.js';
import { colours, type Plot, type PlottedRun } from './draw.js';

const groupsShown = 20;

const titles: Readonly<Record<string, string>> = {
  tags: 'Score by tag',
  'evaluator.eval_func': 'Score by evaluator',
};

/** The scores by tag, or by evaluator if tags do not divide the questions; null if neither does. */
export function scoreByGroup(
  { reported: { ledger } }: PlottedRun,
  scale: Scale = 'unit',
): Plot | null {
  const field = ledger.groups
    .map(({ field: name, scores }) => ({
      name,
      scores: scores.filter((each) => each.scale === scale),
    }))
    .find(
      ({ name, scores }) =>
        name in titles && scores.filter(({ score }) => score !== null).length > 1,
    );
  if (field === undefined) return null;
  const scored = field.scores
    .flatMap(({ group, score, scored: count }) => (score ? [{ group, score, count }] : []))
    .sort((a, b) => b.count - a.count)
    .slice(0, groupsShown)
    .sort((a, b) => b.score.mean - a.score.mean);
  const [best, worst] = [scored[0], scored.at(-1)];
  const values = scored.map(({ group, score, count }) => ({
    group: `${group} (${grouped(count)})`,
    score: score.mean,
    low: score.interval.low,
    high: score.interval.high,
  }));
  const y = { field: 'group', type: 'nominal', sort: null, title: null } as const;
  const { least, most } = rangeOf[scale];
  const axis = { domain: [least, most] };
  return {
    text: {
      title: `${titles[field.name] ?? field.name}${scaleLabels[scale]}`,
      words: `Means with their 95 % intervals and the number of scored questions. ${
        best && worst && best.score.mean > worst.score.mean
          ? `The highest is ${best.group} with ${decimals(best.score.mean)}, the lowest ${worst.group} with ${decimals(worst.score.mean)}.`
          : ''
      }${scored.length < field.scores.length ? ` The ${scored.length} largest of ${field.scores.length} groups.` : ''}`,
      // The ledger has these figures.
      heads: [],
      rows: [],
    },
    drawing: {
      width: 280,
      height: { step: 20 },
      data: { values },
      layer: [
        {
          mark: { type: 'rule', color: colours.accent, strokeWidth: 1.5 },
          encoding: {
            y,
            x: { field: 'low', type: 'quantitative', scale: axis, title: 'score' },
            x2: { field: 'high' },
          },
        },
        {
          mark: { type: 'point', filled: true, size: 50, color: colours.accent, opacity: 1 },
          encoding: { y, x: { field: 'score', type: 'quantitative', scale: axis } },
        },
      ],
    },
  };
}

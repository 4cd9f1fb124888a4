import type { RuleSpread } from '../../domain/scoring/execution-match/rule-scores.js';
import { alignColumns } from './terminal.js';

/** A table with a line for each rule, how often two rules differ, and how far the means are apart. */
export function rulesText({ rules, differences, compared, dependOnRule }: RuleSpread): string {
  const means = rules.flatMap(({ headline }) => headline.score?.mean ?? []);
  const others = rules.slice(1).map(({ rule }) => rule);
  return [
    alignColumns([
      ['rule', 'score', '95 % between', 'scored', 'of'],
      ...rules.map(({ rule, headline: { score, scored, scorable } }) => [
        rule,
        score ? decimals(score.mean) : '–',
        score ? `${decimals(score.interval.low)} – ${decimals(score.interval.high)}` : '',
        String(scored),
        String(scorable),
      ]),
    ]),
    ...(others.length > 0 && means.length > 0
      ? [
          `the rule moves the score by ${decimals(Math.max(...means) - Math.min(...means))}; it decides ${dependOnRule} of ${compared} answers`,
          '',
          'answers on which two rules differ:',
          alignColumns([
            ['', ...others],
            ...rules.slice(0, -1).map(({ rule }) => [
              rule,
              ...others.map((other) => {
                const pair = differences.find(({ rules: [a, b] }) => a === rule && b === other);
                return pair ? String(pair.differ) : '';
              }),
            ]),
          ]),
        ]
      : []),
  ].join('\n');
}

const decimals = (value: number): string => value.toFixed(3);

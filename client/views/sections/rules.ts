import { decimals } from '../../../domain/formats/text.js';
import type { RuleSpread } from '../../../domain/scoring/execution-match/rule-scores.js';
import { meanCells, meanHeads } from './ledger.js';
import type { Section } from './section.js';

/** The score under each rule, how often two rules differ, and how far the means are apart. */
export function rulesSection({ rules, differences, compared, dependOnRule }: RuleSpread): Section {
  const means = rules.flatMap(({ headline }) => headline.score?.mean ?? []);
  const others = rules.slice(1).map(({ rule }) => rule);
  const differ = (one: string, other: string): number | '' =>
    differences.find(({ rules: [a, b] }) => a === one && b === other)?.differ ?? '';
  const areSpread = others.length > 0 && means.length > 0;
  return {
    id: 'rules',
    title: 'Scores by rule',
    words: areSpread
      ? [
          `the rule moves the score by ${decimals(Math.max(...means) - Math.min(...means))}; it decides ${dependOnRule} of ${compared} answers`,
        ]
      : [],
    notes: [],
    tables: [
      {
        caption: 'By rule',
        heads: ['rule', ...meanHeads],
        names: 1,
        rows: rules.map(({ rule, headline }) => [rule, ...meanCells(headline)]),
      },
      ...(areSpread
        ? [
            {
              caption: 'Answers on which two rules differ',
              heads: ['answers that differ', ...others],
              names: 1,
              rows: rules
                .slice(0, -1)
                .map(({ rule }) => [rule, ...others.map((other) => differ(rule, other))]),
            },
          ]
        : []),
    ],
  };
}

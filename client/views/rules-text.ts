import { decimals, joined } from '../../domain/formats/text.js';
import type { RuleSpread } from '../../domain/scoring/execution-match/rule-scores.js';
import { meanCells, meanHeads } from './sections/ledger.js';
import { table } from './terminal.js';

/** A table with a line for each rule, how often two rules differ, and how far the means are apart. */
export function rulesText({ rules, differences, compared, dependOnRule }: RuleSpread): string {
  const means = rules.flatMap(({ headline }) => headline.score?.mean ?? []);
  const others = rules.slice(1).map(({ rule }) => rule);
  const differ = (one: string, other: string): number | '' =>
    differences.find(({ rules: [a, b] }) => a === one && b === other)?.differ ?? '';
  return joined(
    '\n',
    table(
      ['rule', ...meanHeads],
      rules.map(({ rule, headline }) => [rule, ...meanCells(headline)]),
    ),
    others.length > 0 &&
      means.length > 0 && [
        `the rule moves the score by ${decimals(Math.max(...means) - Math.min(...means))}; it decides ${dependOnRule} of ${compared} answers`,
        '',
        'answers on which two rules differ:',
        table(
          ['', ...others],
          rules
            .slice(0, -1)
            .map(({ rule }) => [rule, ...others.map((other) => differ(rule, other))]),
        ),
      ],
  );
}

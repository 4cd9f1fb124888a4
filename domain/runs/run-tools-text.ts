import type { LatencySummary, RunTools } from './run-tools.js';

/** For a terminal: a line each for statements, searches, and what went wrong. */
export function runToolsText(tools: RunTools): readonly string[] {
  const latency = (name: string, ms: LatencySummary | null): string[] =>
    ms === null ? [] : [`${name}: ${ms.calls}, median ${ms.p50} ms, 95 % within ${ms.p95} ms`];
  const errors = (name: string, counts: RunTools['sqlErrors']): string[] => {
    const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
    return kinds.length === 0 ? [] : [`${name}: ${kinds.join(', ')}`];
  };
  const first =
    tools.firstNonEmptyTurn === null ? [] : [`first result in turn ${tools.firstNonEmptyTurn}`];
  return [
    ...latency('SQL', tools.sqlMs),
    ...latency('searches', tools.searchMs),
    [
      `${tools.emptyResults} empty results`,
      `${tools.rowsCut} cut`,
      `${tools.repeatedQueries} repeated queries`,
      ...first,
      `${tools.questionsWithoutResult} questions without any result`,
    ].join(', '),
    ...errors('SQL errors', tools.sqlErrors),
    ...errors('search errors', tools.searchErrors),
    ...errors('image errors', tools.imageErrors),
    ...errors('calculation errors', tools.calculationErrors),
    ...errors('unreadable replies', tools.parseErrors),
  ];
}

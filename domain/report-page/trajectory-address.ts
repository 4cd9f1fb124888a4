import type { SampleKey } from '../ids.js';

/** Where a page shows a question, once: the part of its address behind `#`. */
export const trajectoryAddress = (run: string, { uuid, epoch }: SampleKey): string =>
  `q/${run}/${uuid}/${epoch}`;

/** Where a page shows it as it went in two runs, side by side. */
export const comparisonAddress = (
  baseline: string,
  candidate: string,
  { uuid, epoch }: SampleKey,
): string => `c/${baseline}/${candidate}/${uuid}/${epoch}`;

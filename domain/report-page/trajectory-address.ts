import type { SampleKey } from '../ids.js';

/** Where a page shows a question, once: the part of its address behind `#`. */
export const trajectoryAddress = (run: string, { uuid, epoch }: SampleKey): string =>
  `q/${run}/${uuid}/${epoch}`;

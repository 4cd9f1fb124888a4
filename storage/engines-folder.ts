import envPaths from 'env-paths';

/** The folder of installed engines. It lies outside of the project, so that all its clones share it. @param chosen - TURNWISE_CACHE */
export const enginesFolder = (chosen: string | undefined): string =>
  chosen === undefined || chosen === '' ? envPaths('turnwise', { suffix: '' }).cache : chosen;

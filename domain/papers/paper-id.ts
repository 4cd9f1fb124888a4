import { v5 as uuid5 } from 'uuid';

/** Venue and year of papers whose venue is not known. */
export const uncategorized = 'uncategorized';

/**
 * The id of a paper (hybrid-agent.md §6.2), the same wherever the paper is ingested.
 * @param venue - conference and year in lower case, e.g. `acl2023`
 * @throws RangeError if the venue is not letters and digits only
 */
export function paperId(title: string, venue: string = uncategorized): string {
  if (!/^[a-z\d]+$/.test(venue)) throw new RangeError(`not a conference and year: '${venue}'`);
  return uuid5(`${normalizeTitle(title)}-${venue}`, uuid5.DNS);
}

/** What of a title enters the paper's id. Empty for titles without a Latin letter or digit: those need another name. */
export const normalizeTitle = (title: string): string =>
  title.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

export const pageId = (paper: string, page: number): string =>
  uuid5(`${paper}_page_${page}`, uuid5.DNS);

/** @param number - from 1 within the page */
export const pageItemId = (
  paper: string,
  page: number,
  kind: 'chunk' | 'table' | 'image' | 'equation',
  number: number,
): string => uuid5(`${paper}_page_${page}_${kind}_${number}`, uuid5.DNS);

/** @param index - from 0 within the paper */
export const sectionId = (paper: string, index: number): string =>
  uuid5(`${paper}_section_${index}`, uuid5.DNS);

import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { searchAttributes } from '../domain/ids.js';

/** A value for one of turnwise's search attributes, all of which are keywords. */
export const searchAttribute = (
  name: keyof typeof searchAttributes,
  value: string,
): SearchAttributePair => ({
  key: defineSearchAttributeKey(searchAttributes[name], 'KEYWORD'),
  value,
});
import { homeOf, type HomeId } from '../domain/home.js';

/** The home of the workflow that asks. */
export const homeHere = (): HomeId => homeOf(workflowInfo().workflowId);

import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import { homeOf, type HomeId } from '../domain/home.js';
import { searchAttributes } from '../domain/ids.js';

/** A value for one of turnwise's search attributes, all of which are keywords. */
export const searchAttribute = (
  name: keyof typeof searchAttributes,
  value: string,
): SearchAttributePair => ({
  key: defineSearchAttributeKey(searchAttributes[name], 'KEYWORD'),
  value,
});

/** The home of the workflow that asks. */
export const homeHere = (): HomeId => homeOf(workflowInfo().workflowId);

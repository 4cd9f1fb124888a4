import { workflowInfo } from '@temporalio/workflow';
import { homeOf, type HomeId } from '../domain/home.js';

/** The home of the workflow that asks. */
export const homeHere = (): HomeId => homeOf(workflowInfo().workflowId);

import type { AnyValue } from '../actions/any-value.js';
import { boundingBoxOf, pageNumberOf, paperIdOf } from '../actions/argument-checks.js';
import { failed, type Observed } from './tool-outcome.js';

// The wording of these messages is the reference's (hybrid-agent.md §2.6): models were studied with it.

/** A part of a page; an empty box is the whole page. */
export interface AskedPicture {
  readonly paperId: string;
  /** From 1. */
  readonly page: number;
  /** `[x, y, width, height]` in points from the top left. */
  readonly box: readonly number[];
}

export type PictureCheck =
  | { readonly kind: 'picture'; readonly asked: AskedPicture }
  | { readonly kind: 'refused'; readonly observed: Observed };

/** What ViewImage asks for, checked in the reference's order. */
export function checkPicture(action: {
  readonly paper_id: AnyValue;
  readonly page_number: AnyValue;
  readonly bounding_box: AnyValue;
}): PictureCheck {
  const paperId = paperIdOf(action.paper_id);
  if (paperId === null) return refused('paper', 'paper id must be a string.');
  const page = pageNumberOf(action.page_number);
  if (page === null) return refused('page', 'page number must be a positive integer.');
  const box = boundingBoxOf(action.bounding_box);
  if (box === null) return refused('box', 'bounding box must be a list of 0 or 4 floats.');
  return { kind: 'picture', asked: { paperId, page, box } };
}

/** The words beside the picture. */
export const pictureObservation: Observed = {
  content: 'The extracted image is shown below.',
  outcome: { kind: 'found', shown: 1, cut: false },
};

export const noPaperObservation = ({ paperId }: AskedPicture): Observed =>
  failed('paper', `[Error]: paper id ${paperId} does not exist.`);

export const noPageObservation = ({ paperId, page }: AskedPicture): Observed =>
  failed('page', `[Error]: page ${page} of paper id ${paperId} does not exist.`);

export const pictureErrorObservation = (message: string): Observed =>
  failed('drawing', `[Error]: ${message}`);

export const pictureTimeoutObservation = (timeoutMs: number): Observed =>
  failed('timeout', `[TimeoutError]: The page is not drawn after ${timeoutMs / 1000} seconds.`);

const refused = (failure: string, message: string): PictureCheck => ({
  kind: 'refused',
  observed: failed(failure, `[Error]: ${message}`),
});

import { evaluateExpression } from '../../formats/python/expression.js';
import { str } from '../../formats/python/value.js';
import { truncateTokens } from '../../models/tokens.js';
import { boundingBoxOf, pageNumberOf, paperIdOf } from '../actions/action-spec.js';
import type { AnyValue } from '../actions/action.js';
import { renderRows, type ObservationStyle } from './observation.js';
import type { TableResult } from './table-result.js';
import { failed, refused, type Observed, type Refused } from './tool-outcome.js';

/** Python's limit on the digits of an int in `str`. */
const longestInt = 4300;

/** The observation of CalculateExpr: Python's `str` of the value, or the error. */
export function calculationObservation(expression: string): Observed {
  const evaluation = evaluateExpression(expression);
  if (evaluation.kind === 'error') return failed('expression', `[Error]: ${evaluation.message}`);
  const text = str(evaluation.value);
  if (text.match(/\d+/g)?.some((digits) => digits.length > longestInt)) {
    const message = `Exceeds the limit (${longestInt} digits) for integer string conversion`;
    return failed('expression', `[Error]: ${message}`);
  }
  const content = `The calculated result is: ${text}`;
  return { content, outcome: { kind: 'found', shown: 1, cut: false } };
}

/** The observation of QueryGraph: the program's answer, cut like any other answer. */
export const graphObservation = (answer: string): Observed => ({
  content: truncateAnswer(answer),
  outcome: answer.trim() === '' ? { kind: 'empty' } : { kind: 'found', shown: 1, cut: false },
});

// The SQL and image messages below have the wording of the reference system, so that results can be compared.

export const sqlObservation = (result: TableResult, style: ObservationStyle): Observed =>
  result.rows.length === 0
    ? {
        content: '[Warning]: The SQL execution result is empty, please check the SQL first.',
        outcome: { kind: 'empty' },
      }
    : renderRows(result, style);

export const sqlErrorObservation = (failure: string, message: string): Observed =>
  failed(failure, `[Error]: Runtime error during SQL execution and output formatting: ${message}`);

export const sqlTimeoutObservation = (timeoutMs: number): Observed =>
  failed(
    'timeout',
    `[TimeoutError]: The SQL execution is TIMEOUT given maximum ${timeoutMs / 1000} seconds.`,
  );

/** A part of a page to render. */
export interface PictureRequest {
  readonly paperId: string;
  /** From 1. */
  readonly page: number;
  /** `[x, y, width, height]` in PDF points from the top left; empty for the whole page. */
  readonly box: readonly number[];
}

export type PictureCheck = { readonly kind: 'picture'; readonly asked: PictureRequest } | Refused;

/** Checks the parameters of a ViewImage action, in the order of the reference system. */
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

/** The text that accompanies the picture. */
export const pictureObservation: Observed = {
  content: 'The extracted image is shown below.',
  outcome: { kind: 'found', shown: 1, cut: false },
};

export const noPaperObservation = ({ paperId }: PictureRequest): Observed =>
  failed('paper', `[Error]: paper id ${paperId} does not exist.`);

export const noPageObservation = ({ paperId, page }: PictureRequest): Observed =>
  failed('page', `[Error]: page ${page} of paper id ${paperId} does not exist.`);

export const pictureErrorObservation = (message: string): Observed =>
  failed('drawing', `[Error]: ${message}`);

export const pictureTimeoutObservation = (timeoutMs: number): Observed =>
  failed('timeout', `[TimeoutError]: The page is not drawn after ${timeoutMs / 1000} seconds.`);

const maxAnswerTokens = 30_000;

/** Cuts an answer to 30,000 tokens of cl100k_base, the limit for scoring. */
export const truncateAnswer = (answer: string): string => truncateTokens(answer, maxAnswerTokens);

import { z } from 'zod';

/** What the body of an error says, whatever its API. */
export interface ErrorBody {
  /** Codes and types, as the provider spells them. */
  readonly codes: readonly string[];
  /** The provider's message. */
  readonly words: string;
}

const word = z.union([z.string(), z.number()]).nullish().catch(null);

/** Of the details of Google's errors. */
const detailSchema = z.object({ reason: word });

const fieldsSchema = z.object({
  code: word,
  type: word,
  /** Google's name of the code. */
  status: word,
  details: z.array(detailSchema).nullish().catch(null),
});

/**
 * The fields of an error are under `error`, or at the top level with older vLLM and TGI.
 * @param body - JSON of any shape; undefined if there was none
 */
export function readErrorBody(body: unknown): ErrorBody {
  // Google's compatible endpoint sends an array.
  const whole: unknown = Array.isArray(body) ? body[0] : body;
  const error: unknown =
    typeof whole === 'object' && whole !== null && 'error' in whole ? whole.error : whole;
  const { code, type, status, details } = fieldsSchema.safeParse(error).data ?? {};
  return {
    // Google's name of a code says more than its number.
    codes: [status, code, type, ...(details ?? []).map(({ reason }) => reason)]
      .filter((one) => one !== null && one !== undefined)
      .map(String),
    words: wordsOf(error),
  };
}

/** The message, at any place in the error. */
function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return '';
  if ('message' in error) return wordsOf(error.message);
  return 'error' in error ? wordsOf(error.error) : '';
}

import {
  checkPicture,
  noPageObservation,
  noPaperObservation,
  pictureErrorObservation,
  pictureObservation,
  pictureTimeoutObservation,
} from '../../domain/observations/picture-observation.js';
import type { Action } from '../../domain/actions/action.js';
import type { Observed } from '../../domain/observations/tool-outcome.js';
import type { Picture } from '../../domain/questions/turn-record.js';
import type { ToolUse } from './tool-use.js';

/** ViewImage. */
export async function viewPage(
  { pictures, store, timeoutMs, signal, timed }: ToolUse,
  action: Extract<Action, { readonly kind: 'ViewImage' }>,
): Promise<Observed & { readonly image?: Picture }> {
  const check = checkPicture(action);
  if (check.kind === 'refused') return check.observed;
  const { asked } = check;
  const request = { store: store.name, ...asked, timeoutMs };
  const outcome = await timed(pictures.ofPage(request, signal));
  switch (outcome.kind) {
    case 'picture':
      return { ...pictureObservation, image: outcome.picture };
    case 'no-paper':
      return noPaperObservation(asked);
    case 'no-page':
      return noPageObservation(asked);
    case 'picture-error':
      return pictureErrorObservation(outcome.message);
    case 'picture-timeout':
      return pictureTimeoutObservation(timeoutMs);
  }
}

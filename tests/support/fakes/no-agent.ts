import type { OwnCodePort } from '../../../activities/ports/own-code.js';

/** Of runs whose agent is one of ours. */
export const noAgent: Pick<OwnCodePort, 'callAgent'> = {
  callAgent: () => Promise.reject(new Error('no agent of the user was to be asked')),
};

import type { Environment } from '../../../domain/settings.js';
import { serveStatus, type StatusServer } from '../../runs/status/serve-status.js';

/** Answers `status` of other commands. The texts are loaded at the first request. */
export const answerStatus = (environment: Environment, temporalAddress: string): StatusServer =>
  serveStatus(environment, temporalAddress, async (snapshot, isJson) =>
    (await import('../../views/progress/status-text.js')).statusOutput(snapshot, isJson),
  );

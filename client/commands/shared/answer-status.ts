import type { Environment } from '../../../domain/settings.js';
import { serveStatus, type StatusServer } from '../../runs/status/serve-status.js';

/** Answers `status` of other commands. The texts are loaded at the first request. */
export const answerStatus = (environment: Environment, temporalAddress: string): StatusServer =>
  serveStatus(environment, temporalAddress, async (snapshot, format, width) => {
    const [{ resultLines }, { statusResult }] = await Promise.all([
      import('../../views/print-sections.js'),
      import('../../views/progress/status-text.js'),
    ]);
    return resultLines(format, statusResult(snapshot), width);
  });

import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { RunFilesPort } from '../../../activities/ports/run-files.js';
import type { FailureType } from '../../../domain/failure-type.js';

export interface RefusingRunFiles extends RunFilesPort {
  /** From now on, replies are refused that many times. */
  readonly refuse: (times: number, type?: FailureType) => void;
  readonly refused: () => number;
  /** From now on, ends of questions are refused that many times. */
  readonly refuseEnds: (times: number) => void;
  /** From now on, manifests are refused that many times. */
  readonly refuseManifests: (times: number) => void;
  readonly manifestsRefused: () => number;
  /** From now on, lines of results are refused that many times. */
  readonly refuseLines: (times: number) => void;
}

/** Run files on a disk that is full at times. */
export function refusingRunFiles(runFiles: RunFilesPort): RefusingRunFiles {
  let refusals: readonly FailureType[] = [];
  let refused = 0;
  let endsToRefuse = 0;
  let linesToRefuse = 0;
  let manifestsToRefuse = 0;
  let manifestsRefused = 0;
  return {
    ...runFiles,
    refuse: (times, type = 'RunFilesUnavailable') => {
      refusals = Array.from({ length: times }, () => type);
    },
    refused: () => refused,
    refuseEnds: (times) => {
      endsToRefuse = times;
    },
    refuseLines: (times) => {
      linesToRefuse = times;
    },
    refuseManifests: (times) => {
      manifestsToRefuse = times;
      manifestsRefused = 0;
    },
    manifestsRefused: () => manifestsRefused,
    saveManifest: (manifest) => {
      if (manifestsToRefuse === 0) return runFiles.saveManifest(manifest);
      manifestsToRefuse -= 1;
      manifestsRefused += 1;
      return Promise.reject(new PortFailure('RunFilesUnavailable', 'no space left'));
    },
    publish: (run, records) => {
      if (linesToRefuse === 0) return runFiles.publish(run, records);
      linesToRefuse -= 1;
      return Promise.reject(new PortFailure('RunFilesUnavailable', 'no space left'));
    },
    saveEnd: (...end) => {
      if (endsToRefuse === 0) return runFiles.saveEnd(...end);
      endsToRefuse -= 1;
      return Promise.reject(new PortFailure('RunFilesUnavailable', 'no space left'));
    },
    saveReply: (run, key, record) => {
      const [type, ...rest] = refusals;
      if (type === undefined) return runFiles.saveReply(run, key, record);
      refusals = rest;
      refused += 1;
      return Promise.reject(new PortFailure(type, 'no space left'));
    },
  };
}

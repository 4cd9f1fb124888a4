import { describe, expect, it } from 'vitest';
import { contextShortfall } from '../../../domain/questions/context-shortfall.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { questionMaterial } from '../../support/question-material.js';

const shortfall = (config: Partial<RunConfig>): ReturnType<typeof contextShortfall> => {
  const { manifest, item } = questionMaterial(config);
  return contextShortfall(manifest, item);
};

describe('a context', () => {
  it('nobody has told the length of has room', () => {
    expect(shortfall({})).toBeNull();
  });

  it('is too short where it does not hold schemas and reply', () => {
    const opening = shortfall({ contextTokens: 1200 })?.opening ?? 0;
    expect(opening).toBeGreaterThan(2000);
    const room = opening + questionMaterial().manifest.config.model.maxTokens;
    expect(shortfall({ contextTokens: room })).toBeNull();
    expect(shortfall({ contextTokens: room - 1 })).toEqual({ opening, room: opening - 1 });
    expect(shortfall({ contextTokens: room - 1, strict: true })).toBeNull();
  });

  it('may be short for a method that sends little', () => {
    expect(shortfall({ contextTokens: 2500, method: 'trivial_question_only' })).toBeNull();
  });
});

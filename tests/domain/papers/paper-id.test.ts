import { describe, expect, it } from 'vitest';
import { normalizeTitle, paperId, pageItemId } from '../../../domain/papers/paper-id.js';

describe('ids of papers', () => {
  // Test vectors of hybrid-agent.md §6.2.
  it.each([
    [
      'NewsBench: A Systematic Evaluation Framework for Assessing Editorial Capabilities of Large Language Models in Chinese Journalism',
      'acl2024',
      'a3a0b636-d0ab-5dab-a2c3-49f666755896',
    ],
    [
      'YNU-HPCC at WASSA-2023 Shared Task 1: Large-scale Language Model with LoRA Fine-Tuning for Empathy Detection and Emotion Classification',
      'acl2023',
      'b498ac0f-d8db-56e7-8809-1ef9c7e25e02',
    ],
  ])('gives %s of %s the published id', (title, venue, id) => {
    expect(paperId(title, venue)).toBe(id);
  });

  it('gives a passage the published id', () => {
    expect(pageItemId('fa4750b4-6bb2-519b-9b06-e06dae6f9023', 18, 'chunk', 2)).toBe(
      '3cf69c43-ba35-5207-9546-ee571efebf1e',
    );
  });

  it('does not depend on how the title is set', () => {
    expect(paperId('A  Study, of\nOvens!')).toBe(paperId('a study of ovens'));
  });

  it('leaves nothing of a title without Latin letters and digits', () => {
    expect(normalizeTitle('Ω — 研究')).toBe('');
  });

  it('refuses a venue that is not letters and digits', () => {
    expect(() => paperId('A title', 'ACL 2023')).toThrow(RangeError);
  });
});

import { describe, expect, it } from 'vitest';
import { divide } from '../../../domain/limits/divide.js';

const all = Infinity;

describe('divide', () => {
  it.each<[string, number, readonly number[], readonly number[]]>([
    ['equally between those who want all', 600, [all, all], [300, 300]],
    ['what the modest leave to the others', 600, [100, all, all], [100, 250, 250]],
    ['what nobody wants equally too', 600, [100, 50], [325, 275]],
    ['equally where all want more than there is', 90, [60, 80, all], [30, 30, 30]],
    ['all to the only one', 600, [0], [600]],
    ['nothing', 0, [all, 5], [0, 0]],
  ])('gives %s', (_, total, demands, shares) => {
    expect(divide(total, demands)).toEqual(shares);
  });
});

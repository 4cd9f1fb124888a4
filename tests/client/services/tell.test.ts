import { expect, it, vi } from 'vitest';
import { beQuiet, isQuiet, tell } from '../../../client/services/tell.js';

it('tells what goes on until it is asked to be quiet', () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  tell('starting');
  beQuiet();
  tell('probing');
  expect(printed.mock.calls).toEqual([['starting']]);
  expect(isQuiet()).toBe(true);
});

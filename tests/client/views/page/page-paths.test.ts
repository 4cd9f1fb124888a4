import { describe, expect, it } from 'vitest';
import { matchPath, pagePaths, pathTo } from '../../../../client/views/page/page-paths.js';

describe('paths of pages', () => {
  it.each(['q1', 'HumanEval/0', 'a b?c#d', '100 %', 'ü'])('carry the question %j', (uuid) => {
    const parameters = { run: 'a-run', uuid, epoch: '2' };
    const path = pathTo(pagePaths.question, parameters);
    expect(new URL(path, 'http://127.0.0.1').pathname).toBe(path);
    expect(matchPath(pagePaths.question, path)).toEqual(parameters);
  });

  it.each(['/runs', '/runs/a/b', '/other/a', '/runs/%E0%A4%A'])('do not fit %s', (address) => {
    expect(matchPath(pagePaths.run, address)).toBeNull();
  });
});

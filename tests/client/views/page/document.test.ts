import { describe, expect, it } from 'vitest';
import { pageDocument } from '../../../../client/views/page/document.js';
import { markup } from '../../../../client/views/page/markup.js';

const page = (changes: Partial<Parameters<typeof pageDocument>[0]> = {}): string =>
  pageDocument({
    title: 'A <run>',
    style: 'p { color: red }',
    scripts: ['first()', 'second()'],
    body: markup`<p>${'body'}</p>`,
    data: [{ id: 'pack-0', content: 'H4sI' }],
    digest: (text) => `of(${text})`,
    ...changes,
  });

describe('a page', () => {
  it('allows only its own scripts and style, and no requests', () => {
    expect(page()).toContain(
      `content="default-src 'none'; script-src 'sha256-of(first())' 'sha256-of(second())'; style-src 'sha256-of(p { color: red })'; img-src data:; base-uri 'none'; form-action 'none'"`,
    );
  });

  it('states its policy right after its encoding', () => {
    expect(page()).toMatch(
      /<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy"/,
    );
  });

  it('refuses a script that would end its element', () => {
    expect(() => page({ scripts: ['"</script>"'] })).toThrow('contains markup');
  });

  it('hashes a script as a browser reads it', () => {
    expect(page({ scripts: ['a\r\nb'] })).toContain("'sha256-of(a\nb)'");
  });
});

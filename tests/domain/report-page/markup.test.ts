import { describe, expect, it } from 'vitest';
import { visibleText as inBrowser } from '../../../client/report-page/browser/element.js';
import { markup, trustedMarkup } from '../../../domain/report-page/markup.js';
import { visibleText } from '../../../domain/report-page/visible-text.js';

describe('markup', () => {
  it('escapes every text, in elements and in attributes', () => {
    const hostile = `"><img src=x onerror=alert(1)></script>'&`;
    expect(markup`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;/script&gt;&#39;&amp;">&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;/script&gt;&#39;&amp;</p>',
    );
  });

  it('joins lists, keeps markup as it is and leaves null out', () => {
    const parts = [markup`<b>${1}</b>`, '<', null, [trustedMarkup('<i></i>')]];
    expect(markup`<p>${parts}</p>`.text).toBe('<p><b>1</b>&lt;<i></i></p>');
  });
});

describe.each([
  ['on a page', visibleText],
  ["in a page's script", inBrowser],
])('text %s', (_where, visible) => {
  it.each([
    ['user\u202Egnp.exe', 'user[U+202E]gnp.exe'],
    ['a\u2066b\u2069c\u200Fd', 'a[U+2066]b[U+2069]c[U+200F]d'],
    ['bell\u0007, nul\u0000', 'bell[U+0007], nul[U+0000]'],
  ])('shows what would reorder or hide a part of %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('stays as it is in any language, with its lines and tabs', () => {
    const text = 'שלום\tعالم\r\n日本語 é 🙂';
    expect(visible(text)).toBe(text);
  });
});

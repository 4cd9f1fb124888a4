import { describe, expect, it } from 'vitest';
import { visibleText as inBrowser } from '../../../../client/views/page/browser/element.js';
import {
  goldText,
  markup,
  trustedMarkup,
  visibleText,
} from '../../../../client/views/page/markup.js';

describe('markup', () => {
  it('escapes every text, in elements and in attributes', () => {
    const hostile = `"><img src=x onerror=alert(1)></script>'&`;
    expect(markup`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;/script&gt;&#39;&amp;">&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;/script&gt;&#39;&amp;</p>',
    );
  });

  it('joins lists, keeps markup unchanged and omits null', () => {
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

  it('stays unchanged in any language, with its lines and tabs', () => {
    const text = 'שלום\tعالم\r\n日本語 é 🙂';
    expect(visible(text)).toBe(text);
  });
});

it.each([
  ['is written as answers are', 'eval_bool_exact_match', { gold: true }, 'True'],
  [
    'has a line for each text',
    'eval_reference_answer_and_scoring_points_with_llm',
    { question: 'Why?', reference_answer: 'so', scoring_points: ['a', 'b'] },
    "so\n['a', 'b']",
  ],
  ['is all the options of an unknown function', 'eval_of_nothing', { wanted: 1 }, '{"wanted":1}'],
])('%s', (_, eval_func, eval_kwargs, text) => {
  expect(goldText({ eval_func, eval_kwargs })).toBe(text);
});

it('is empty without an evaluator', () => {
  expect(goldText(undefined)).toBe('');
});

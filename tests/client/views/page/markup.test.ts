import { describe, expect, it } from 'vitest';
import { goldText, markup, trustedMarkup } from '../../../../client/views/page/markup.js';

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

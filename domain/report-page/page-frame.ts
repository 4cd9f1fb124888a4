import { markup, type Markup } from './markup.js';

export interface FramedPage {
  /** What page this is, above its title. */
  readonly kind: string;
  readonly title: string;
  /** To sections of the content. */
  readonly links: readonly { readonly id: string; readonly name: string }[];
  readonly content: Markup;
  /** On the questions, above their table. */
  readonly remarks: readonly string[];
  readonly questions: Markup;
}

/** The overview, and the place where the page's script shows a single question instead of it. */
export const pageFrame = ({
  kind,
  title,
  links,
  content,
  remarks,
  questions,
}: FramedPage): Markup => markup`<div id="overview">
<a class="skip" href="#questions">to the questions</a>
<header class="top"><p class="kind">${kind}</p>
<h1>${title}</h1>
<nav aria-label="Sections"><ul>${[...links, { id: 'questions', name: 'Questions' }].map(({ id, name }) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav></header>
<main>
${content}<section aria-labelledby="questions"><h2 id="questions">Questions</h2>
${remarks.map((remark) => markup`<p class="note">${remark}</p>\n`)}<noscript><p class="note">Sorting, filtering and the conversation of each question need JavaScript.</p></noscript>
${questions}
</section>
</main>
</div>
<main id="trajectory" hidden tabindex="-1"></main>`;

import { describe, expect, it } from 'vitest';
import {
  expandMacros,
  sourceText,
} from '../../../../domain/extraction/latex-source/source-text.js';
import { plainText } from '../../../../domain/extraction/latex-source/plain-text.js';
import {
  readLatexSource,
  tabularHtml,
} from '../../../../domain/extraction/latex-source/read-latex.js';

const unknown = { cite: () => '', ref: () => '' };
const text = (latex: string): string => plainText(latex, unknown);
const read = (body: string, preamble = '') =>
  readLatexSource(
    new Map([
      [
        'paper.tex',
        `\\documentclass{article}\n${preamble}\n\\begin{document}\n${body}\n\\end{document}\n`,
      ],
    ]),
  );
/** Level, title and texts of the sections. */
const outlineOf = (body: string) =>
  read(body).sections?.list.map(({ level, title, passages }) => [
    level,
    title,
    passages.map((passage) => passage.text),
  ]);

describe('the text of LaTeX', () => {
  it.each([
    [
      'accents',
      String.raw`Caf\'e, M\"uller, Erd\H{o}s, na\"{\i}ve, \v{C}apek, \c c, Fran\c{c}ois`,
      'Café, Müller, Erdős, naïve, Čapek, ç, François',
    ],
    ['letters of their own', String.raw`Stra\ss e, \AA rhus, {\O}re`, 'Straße, Århus, Øre'],
    ['dashes and quotes', "pages 1--2 --- ``so'' it's", 'pages 1–2 — “so” it’s'.replace('’', "'")],
    [
      'ties and escaped signs',
      String.raw`Fig.~2, 5\,\% of \$3 \& more\_or\#less`,
      'Fig. 2, 5 % of $3 & more_or#less',
    ],
    [
      'groups of styles',
      String.raw`\textbf{bold \emph{and} {\it slanted}} text`,
      'bold and slanted text',
    ],
    [
      'commands without print',
      String.raw`Bread\footnote{Of rye.} rises\label{x}\vspace{2cm} \index{rise}well.`,
      'Bread rises well.',
    ],
    [
      'formulas, as they are',
      String.raw`for $x \in \{1, 2\}$ and \(y\)`,
      String.raw`for $x \in \{1, 2\}$ and $y$`,
    ],
    [
      'addresses behind a link',
      String.raw`see \href{https://x.org}{our page} and \url{https://y.org}`,
      'see our page and https://y.org',
    ],
    [
      'what stands in colour',
      String.raw`\textcolor{red}{warm} \color{blue}{\fontseries{b}\selectfont bread}`,
      'warm bread',
    ],
  ])('has %s', (_, latex, expected) => {
    expect(text(latex)).toBe(expected);
  });
});

describe('macros', () => {
  it.each([
    [
      'without arguments',
      String.raw`\newcommand{\R}{\mathbb{R}}$\R^n$`,
      String.raw`$\mathbb{R}^n$`,
    ],
    ['with arguments', String.raw`\newcommand{\pair}[2]{(#1, #2)}\pair{a}{b}`, '(a, b)'],
    [
      'with a default',
      String.raw`\newcommand{\hot}[2][very]{#1 #2}\hot{bread} \hot[not]{bread}`,
      'very bread not bread',
    ],
    ['by \\def', String.raw`\def\oven#1{the #1 oven}\oven{old}`, 'the old oven'],
    ['that use each other', String.raw`\newcommand\a{\b!}\newcommand\b{warm}\a`, 'warm!'],
    [
      'of operators',
      String.raw`\DeclareMathOperator{\argmax}{arg\,max}$\argmax$`,
      String.raw`$\operatorname{arg\,max}$`,
    ],
    ['with longer names after them', String.raw`\newcommand{\x}{y}\xi \x`, String.raw`\xi y`],
  ])('are expanded: %s', (_, source, expected) => {
    expect(expandMacros(source).trim()).toBe(expected);
  });

  it('that grow without end are left', () => {
    const bomb = String.raw`\newcommand\x{\x\x\x\x}` + String.raw`\x `.repeat(100);
    expect(expandMacros(bomb).length).toBeLessThan(50_000);
  });
});

describe('the files of a source', () => {
  it('are put together, without comments', () => {
    const files = new Map([
      ['figures/plot.tex', '\\documentclass{standalone}\\begin{document}plot\\end{document}'],
      [
        'main.tex',
        '\\documentclass{article}\n\\begin{document}\nOne 5\\% % not this\n\\input{parts/two}\n% \\input{parts/no}\n\\bibliography{all}\n\\end{document} after',
      ],
      ['parts/two.tex', 'Two\n\\include{parts/three.tex}'],
      ['parts/three.tex', 'Three \\iffalse hidden \\fi'],
      ['parts/no.tex', 'No'],
      ['main.bbl', '\\begin{thebibliography}{1}\\bibitem{a} A. Roe.\\end{thebibliography}'],
    ]);
    const source = sourceText(files);
    expect(source.replace(/\s+/g, ' ')).toBe(
      '\\documentclass{article} \\begin{document} One 5\\% Two Three \\begin{thebibliography}{1}\\bibitem{a} A. Roe.\\end{thebibliography} \\end{document}',
    );
  });

  it('that take themselves in come to an end', () => {
    const files = new Map([['a.tex', '\\begin{document}x \\input{a}\\end{document}']]);
    expect(sourceText(files)).toContain('x');
  });

  it('must hold a document', () => {
    expect(() => sourceText(new Map([['a.tex', 'only text']]))).toThrow(
      'has no file with \\begin{document}',
    );
  });
});

describe('a paper in LaTeX', () => {
  it('says title, authors, places, abstract and keywords', () => {
    const parts = read(
      String.raw`\maketitle\begin{abstract}We bake \emph{bread}.\end{abstract}\keywords{ovens, bread; heat.}\section{Ovens}Warm.`,
      String.raw`\title{Warm Ovens\thanks{Paid by nobody.}\\ in Cold Rooms}\author{Ada Baker\thanks{x}\\ Kitchen College \and Bo M\"uller}\affil{Kitchen College}`,
    );
    expect(parts).toMatchObject({
      title: 'Warm Ovens in Cold Rooms',
      authors: ['Ada Baker', 'Bo Müller'],
      affiliations: ['Kitchen College'],
      abstract: 'We bake bread.',
      keywords: ['ovens', 'bread', 'heat'],
    });
    expect(parts.sections?.opening.map((passage) => passage.text)).toEqual(['We bake bread.']);
  });

  it('leaves the authors of the PDF where a name is not understood', () => {
    expect(
      read('x', String.raw`\author{The Department of Bread, who else}`).authors,
    ).toBeUndefined();
  });

  it('has sections of all levels, starred ones and those of the appendix', () => {
    expect(
      outlineOf(String.raw`
\section{Ovens}\label{sec:ovens} First.

Second.
\subsection*{Old \emph{ovens}} Third.
\appendix
\section[Short]{Proofs, as Section~\ref{sec:ovens} says}
\begin{itemize}\item One \item Two\end{itemize}`),
    ).toEqual([
      [1, 'Ovens', ['First.', 'Second.']],
      [2, 'Old ovens', ['Third.']],
      [1, 'Proofs, as Section 1 says', ['One', 'Two']],
    ]);
  });

  it('keeps listings as they are, and takes nothing in them for LaTeX', () => {
    expect(
      outlineOf(
        '\\section{Code} See \\verb|\\section{x} % y|.\n\\begin{verbatim}\n\\section{No} % kept\n\\end{verbatim}\n',
      ),
    ).toEqual([[1, 'Code', ['See \\section{x} % y.', '\\section{No} % kept']]]);
  });

  it('has figures and tables with their captions, which are no text', () => {
    const parts = read(String.raw`\section{Ovens} Before.
\begin{figure*}[t]\includegraphics[width=\linewidth]{a.pdf}\caption[Short]{The \textbf{kitchen} of \cite{no}us.}\label{fig:a}\end{figure*}
\begin{figure}\begin{subfigure}{0.5\linewidth}\caption{left}\end{subfigure}\caption{Both sides.}\end{figure}
\begin{table}\caption{Warmth.}\begin{tabular}{lr}\toprule Oven & Warmth\\ \midrule Old & 180\\ \bottomrule\end{tabular}\end{table}
See Figure~\ref{fig:a}.`);
    expect(parts.figures?.map(({ caption }) => caption)).toEqual([
      'The kitchen of us.',
      'Both sides.',
    ]);
    expect(parts.tables).toEqual([
      {
        page: null,
        box: null,
        caption: 'Warmth.',
        number: null,
        html: '<table><tr><th>Oven</th><th>Warmth</th></tr><tr><td>Old</td><td>180</td></tr></table>',
      },
    ]);
    expect(parts.sections?.list[0]?.passages.map((passage) => passage.text)).toEqual([
      'Before.',
      'See Figure 1.',
    ]);
  });

  it('has displayed formulas, one for each numbered row', () => {
    const parts =
      read(String.raw`\section{Heat} As \begin{equation}\label{e} E = mc^2 \end{equation} says. \[ a+b \] $$ c $$
\begin{align} x &= 1 \\ y &= 2 \nonumber \\ &+ 3 \end{align}
\begin{align*} p &= q \\ r &= s \end{align*}`);
    expect(parts.equations?.map(({ latex }) => latex)).toEqual([
      'E = mc^2',
      'a+b',
      'c',
      'x &= 1',
      String.raw`y &= 2 \\ &+ 3`,
      String.raw`p &= q \\ r &= s`,
    ]);
    expect(parts.sections?.list[0]?.passages[0]?.text).toMatch(
      /^As \$E = mc\^2\$ says\. \$a\+b\$ \$c\$/,
    );
  });

  it('has references with what citations print', () => {
    const parts = read(String.raw`\section{Ovens} As \citet{cook} and \citep{cook,doe} say.
\begin{thebibliography}{2}
\bibitem[Cook(1999)]{cook} C. Cook. \newblock Bread and warmth. \newblock \emph{Journal}, 1999.
\bibitem[Doe et~al.(2001)Doe, Roe]{doe} D. Doe and R. Roe. On kitchens. 2001.
\end{thebibliography}`);
    expect(parts.references?.map(({ text: entry, year, title }) => [entry, year, title])).toEqual([
      ['C. Cook. Bread and warmth. Journal, 1999.', 1999, 'Bread and warmth'],
      ['D. Doe and R. Roe. On kitchens. 2001.', 2001, 'On kitchens'],
    ]);
    expect(parts.sections?.list.map(({ title, passages }) => [title, passages[0]?.text])).toEqual([
      ['Ovens', 'As Cook (1999) and (Cook, 1999; Doe et al., 2001) say.'],
      ['References', 'C. Cook. Bread and warmth. Journal, 1999.'],
    ]);
  });

  it('cites by number where entries have no names', () => {
    const { sections } = read(
      String.raw`\section{Ovens} See~\cite{b, a}.\begin{thebibliography}{2}\bibitem{a} A. Roe. 1999. \bibitem{b} B. Roe. 2000.\end{thebibliography}`,
    );
    expect(sections?.list[0]?.passages[0]?.text).toBe('See [2, 1].');
  });
});

describe('a tabular', () => {
  it.each([
    [
      'has cells over columns and rows',
      String.raw`\begin{tabular}{|l|c|c|}\hline \multirow{2}{*}{Oven} & \multicolumn{2}{c|}{Warmth}\\ \cline{2-3} & low & high\\ \hline A \& B & 1 & 2\\[2pt] \hline\end{tabular}`,
      '<table><tr><th rowspan="2">Oven</th><th colspan="2">Warmth</th></tr><tr><th>low</th><th>high</th></tr><tr><td>A &amp; B</td><td>1</td><td>2</td></tr></table>',
    ],
    [
      'has no header without a rule',
      String.raw`\begin{tabularx}{\linewidth}{lX} a & b \\ c & \begin{tabular}{l}d\\e\end{tabular} \end{tabularx}`,
      '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d e</td></tr></table>',
    ],
    [
      'has empty cells at their places',
      String.raw`\begin{tabular}{lll}a & & c\\ & b\\ \end{tabular}`,
      '<table><tr><td>a</td><td></td><td>c</td></tr><tr><td></td><td>b</td><td></td></tr></table>',
    ],
  ])('%s', (_, source, html) => {
    expect(tabularHtml(source, text)).toBe(html);
  });
});

import { describe, expect, it } from 'vitest';
import {
  authorsOfLatex,
  readLatexSource,
  latexTruth,
} from '../../../bench/extraction/latex-truth.js';
import { latexText } from '../../../bench/extraction/latex-text.js';
import { gap } from '../../../bench/extraction/truth.js';

describe('the text of LaTeX', () => {
  it.each([
    ['commands that print their argument', '\\emph{wet \\textbf{meadows}}', 'wet meadows'],
    ['accents', 'Gr{\\"u}n, H\\"ohle, \\v{C}ech, Universit\\\'e', 'Grün, Höhle, Čech, Université'],
    ['letters of their own', 'Stra\\ss e, S\\o ren', 'Straße, Søren'],
    ['dashes, quotes and ties', "``a''--b~c", '"a"–b c'],
    ['what prints nothing', 'owls\\label{sec:owls}\\footnote{Or \\emph{others}.}', 'owls'],
    ['formulas and citations', 'the $x_i$ of \\citet[p.~3]{key}', `the ${gap} of ${gap}`],
    ['unknown commands', '\\novel{word}', `${gap}word`],
    ['verbatim text', '\\verb|a_b|', 'a_b'],
    ['escaped signs', '50\\,\\% \\& more', '50 % & more'],
    ['links', '\\href{https://example.org}{here}', 'here'],
  ])('has %s', (_, source, text) => {
    expect(latexText(source)).toBe(text);
  });
});

describe('a LaTeX source', () => {
  const bodyOf = (source: string): string => readLatexSource(source).body.trim();

  it('loses comments, code chunks, verbatim text and what is switched off', () => {
    const source = [
      '% no \\section{One}',
      'before % gone',
      '<<plot, fig.cap="Sales">>=',
      'cat("\\\\section{Two}")',
      '@',
      '\\begin{verbatim}',
      '\\section{Three}',
      '\\end{verbatim}',
      '\\iffalse \\section{Four} \\fi',
      '100\\% after',
    ].join('\n');
    expect(bodyOf(source).split(/\s+/)).toEqual(['before', '100\\%', 'after']);
    expect(readLatexSource(source)).toMatchObject({
      chunkOptions: ['plot, fig.cap="Sales"'],
      code: 'cat("\\\\section{Two}")\n',
    });
  });

  it('has its macros expanded as TeX does', () => {
    const macros =
      '\\newcommand{\\R}{\\textsf{R}}\\newcommand{\\pkg}[2][the]{#1 \\textbf{#2}}\\def\\x#1{<#1>}\\newcommand{\\s}{S\\xspace}';
    expect(bodyOf(`${macros}\\R code`)).toBe('\\textsf{R}code');
    expect(bodyOf(`${macros}\\R{} code`)).toBe('\\textsf{R}{} code');
    expect(bodyOf(`${macros}\\pkg{zoo}, \\pkg[a]{cat}`)).toBe('the \\textbf{zoo}, a \\textbf{cat}');
    expect(bodyOf(`${macros}\\x{\\x y}`)).toBe('<<y>>');
    expect(bodyOf(`${macros}\\s code, \\s, end`)).toBe('S\\xspace code, S\\xspace, end');
  });

  it('ends with its last end, since an example may show a document', () => {
    expect(bodyOf('\\begin{document}a \\end{document} b\\end{document} c')).toBe(
      'a \\end{document} b',
    );
  });

  it('leaves macros alone that contain themselves', () => {
    expect(bodyOf('\\newcommand{\\a}{\\a}\\a')).toBe('\\a');
  });
});

describe('the authors of LaTeX', () => {
  it.each([
    ['Ada Field\\\\Moor College \\And Bo van Marsh\\\\Fen', ['Ada Field', 'Bo van Marsh']],
    ['Ada Field$^1$, Bo Marsh$^2$ \\\\ and Cy Dell$^1$', ['Ada Field', 'Bo Marsh', 'Cy Dell']],
    ['Ada Field \\\\ Fen University \\\\[3ex] Bo Marsh \\\\ Moor', ['Ada Field', 'Bo Marsh']],
    ['A. B. Field\\thanks{Fen} and Bo Marsh', ['A. B. Field', 'Bo Marsh']],
  ])('%s', (source, names) => {
    expect(authorsOfLatex(source)).toEqual(names);
  });

  it.each(['The Lantern Team', 'Ada Field and others', 'lantern', ''])(
    'are unknown for "%s"',
    (source) => {
      expect(authorsOfLatex(source)).toBeNull();
    },
  );
});

describe('the truth of LaTeX', () => {
  const paper = String.raw`\documentclass[twocolumn]{article}
\newcommand{\pkg}[1]{\textbf{#1}}
\title{Counting Fireflies\\with \pkg{lantern}}
\author{Ada Field \and Bo Marsh}
\begin{document}
\maketitle
\begin{abstract}We count.\end{abstract}
\section{Introduction}\label{sec:intro}
Fireflies \citep{field2001, marsh2002} glow.
\subsection*{The \emph{wet} meadow}
\begin{figure}
  \caption[Short]{A lamp of $n$ volts.}
\end{figure}
\begin{table}\caption{Counts.}\end{table}
\begin{equation} a = b \end{equation}
\paragraph{Moths.} See \citet{field2001}. \[ c \]
\bibliography{lantern}
\end{document}
\section{Not printed}`;

  it('has what the paper prints', () => {
    expect(latexTruth(paper)).toEqual({
      titles: ['Counting Fireflies with lantern'],
      authors: ['Ada Field', 'Bo Marsh'],
      abstract: 'We count.',
      sections: [
        { level: 1, title: 'Introduction' },
        { level: 2, title: 'The wet meadow' },
        { level: 4, title: 'Moths.' },
      ],
      possibleSections: [],
      captions: [
        { kind: 'figure', text: `A lamp of ${gap} volts.`, cells: [] },
        { kind: 'table', text: 'Counts.', cells: [] },
      ],
      references: [{ parts: [] }, { parts: [] }],
      paragraphs: [`Fireflies ${gap} glow.`, `See ${gap}. ${gap}`],
      displayEquations: 2,
      columns: 2,
    });
  });

  it('takes captions of chunks that are plain text', () => {
    const chunks =
      '<<fig.cap="Sales of \\\\pkg{zoo}", echo=F>>=\n@\n<<fig.cap=paste("a")>>=\n@\n<<eval=FALSE, fig.cap="b">>=\n@\n';
    expect(latexTruth(chunks).captions).toEqual([
      { kind: 'figure', text: 'Sales of zoo', cells: [] },
    ]);
  });

  it('has the entries of a list of references', () => {
    const list =
      '\\begin{thebibliography}{9}\\bibitem{a} Field, A. (2001).\n\\bibitem[Marsh(2002)]{b} Marsh, B.\\end{thebibliography}';
    expect(latexTruth(list).references).toEqual([
      { parts: ['Field, A. (2001).'] },
      { parts: ['Marsh, B.'] },
    ]);
  });

  it('does not count sections and references that lie elsewhere', () => {
    expect(latexTruth('\\section{A}\\input{rest}').sections).toBeNull();
    expect(latexTruth('\\nocite{*}\\bibliography{all}').references).toBeNull();
    expect(latexTruth('no list \\cite{a}').references).toBeNull();
  });

  it('knows headings that a program may print', () => {
    const { sections, possibleSections } = latexTruth(
      '<<results=tex>>=\ncat("\\\\section{Owls}")\n@\n\\section{Moths}',
    );
    expect(sections).toEqual([{ level: 1, title: 'Moths' }]);
    expect(possibleSections).toEqual(['Owls']);
  });
});

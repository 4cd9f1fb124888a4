// Names of commands are no words. cspell:disable

/** Combining characters of the accents `\"a`, `\v{c}` … */
export const accents: Readonly<Record<string, string>> = {
  '"': '\u0308',
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '~': '\u0303',
  '=': '\u0304',
  '.': '\u0307',
  c: '\u0327',
  v: '\u030C',
  u: '\u0306',
  H: '\u030B',
  k: '\u0328',
  r: '\u030A',
  b: '\u0331',
  d: '\u0323',
};

/** Commands that print these signs. */
export const symbols: Readonly<Record<string, string>> = {
  ss: 'ß',
  o: 'ø',
  O: 'Ø',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  aa: 'å',
  AA: 'Å',
  l: 'ł',
  L: 'Ł',
  i: 'i',
  j: 'j',
  LaTeX: 'LaTeX',
  TeX: 'TeX',
  BibTeX: 'BibTeX',
  ldots: '…',
  dots: '…',
  textbackslash: '\\',
  textasciitilde: '~',
  textasciicircum: '^',
  textunderscore: '_',
  textgreater: '>',
  textless: '<',
  textquotesingle: "'",
  textendash: '–',
  textemdash: '—',
  copyright: '©',
  quad: ' ',
  qquad: ' ',
  par: '\n\n',
  newline: '\n',
  linebreak: '\n',
  item: '\n',
  and: '\n',
};

/** Commands that print nothing, with the number of arguments in braces that they swallow. */
export const silent = counted([
  `protect relax xspace noindent indent centering raggedright maketitle appendix ensuremath leavevmode ignorespaces break null strut
  em it bf tt sc sf rm sl itshape bfseries ttfamily sffamily scshape upshape normalfont mdseries slshape rmfamily selectfont
  tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge singlespacing doublespacing onehalfspacing sloppy
  hline toprule midrule bottomrule newpage clearpage pagebreak smallskip medskip bigskip hfill vfill allowbreak nolinebreak
  nopagebreak footnotemark tableofcontents listoffigures listoftables`,
  `label index vspace hspace vskip hskip footnote thanks footnotetext includegraphics pagestyle thispagestyle bibliographystyle
  bibliography marginpar email phantom SweaveOpts setkeys usepackage nocite VignetteIndexEntry tikzset lstset hypersetup setstretch
  fontseries fontfamily fontshape fontencoding color lstinputlisting markboth inst pdfbookmark captionsetup graphicspath
  usetikzlibrary`,
  'setcounter addtocounter setlength addtolength addcontentsline newcounter rule fontsize',
]);

/** Commands that print something else than their arguments, with the number of arguments. */
export const replacing = counted([
  '',
  `ref eqref pageref autoref vref cref Cref nameref Sexpr fref Fref tabref figref input include verbatiminput`,
]);

/** Commands that print their argument. */
export const transparent: ReadonlySet<string> = new Set(
  `textbf textit texttt textsf textsc textrm textup textsl textmd textnormal emph underline uppercase MakeUppercase textsuperscript
  textsubscript text code pkg proglang class fct url href textcolor CRANpkg dfn strong file command option env acro samp verb
  nolinkurl title centerline subsection section subsubsection paragraph caption mbox fbox hbox makebox parbox`.split(
    /\s+/,
  ),
);

/** Names by their number of arguments: those of index 0 have none. */
function counted(names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    names.flatMap((list, count) => list.split(/\s+/).map((name) => [name, count])),
  );
}

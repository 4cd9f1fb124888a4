/**
 * LaTeX commands that begin like an escape every reader must decode: `\n`, `\r`, `\t`. A line break or tab followed
 * by just these letters is so rare that the command is meant. Left out: `\ne`, `\ni`, `\to`, which are.
 */
export const escapeLikeCommands: ReadonlySet<string> = new Set(
  [
    'nabla natural nearrow neg neq newline nexists ngeq nleq nmid not notin nparallel nsubseteq nu nwarrow',
    'rangle rbrace rceil renewcommand rfloor rho right rightarrow rightharpoonup rm rtimes',
    'tan tanh tau text textbf textcolor textit textrm textsc textstyle texttt tfrac theta therefore tilde times top triangle twoheadrightarrow',
  ].flatMap((line) => line.split(' ')),
);

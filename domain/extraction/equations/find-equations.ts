import {
  baselineOf,
  isMonospaced,
  sharedHeight,
  sharedWidth,
  printed,
  textOf,
  type BodyPrint,
} from '../lines.js';
import {
  bottomOf,
  rightOf,
  unionOf,
  type Box,
  type PageContent,
  type PdfContent,
  type TextLine,
  type TextRun,
} from '../page-content.js';
import type { PaperEquation } from '../paper.js';

/**
 * The displayed formulas of a paper. Their lines are not taken out of the text: sentences run through them.
 * @param consumed - lines of figures, captions, notes and the like
 */
export function findEquations(
  content: PdfContent,
  body: BodyPrint,
  consumed: ReadonlySet<TextLine>,
): readonly PaperEquation[] {
  return content.pages.flatMap((page, index) =>
    (page.unusable === null ? blocksOf(page, body, consumed) : []).map((block) => {
      const { lines, number } = withoutNumber(block, page);
      const box = unionOf(lines.map((line) => line.box));
      const runs = lines.flatMap((line) => line.runs);
      const rules = page.rules.filter((rule) => sharedHeight(rule, box) >= 0);
      return { page: index + 1, box, text: textOf(lines), latex: latexOf(runs, rules), number };
    }),
  );
}

/** Of the characters. Running text with a formula in it has less, a formula with a condition in words has more. */
const leastMath = 0.5;
/** `if`, `otherwise` and the like. */
const mostWords = 2;
/** A formula says something of something. */
const relation = /[=<>≤≥≠≈≡∼≃∝∈∉⊂⊆→←⇒⇔:↦]/u;

/** Groups of lines of mathematics that no text stands beside. */
function blocksOf(
  page: PageContent,
  body: BodyPrint,
  consumed: ReadonlySet<TextLine>,
): readonly (readonly TextLine[])[] {
  const lines = page.lines.filter((line) => line.upright && !consumed.has(line));
  const formulas = new Set(lines.filter(isFormula));
  const text = lines.filter(
    (line) => !formulas.has(line) && wordsOf(charactersOf(line)).length > 1,
  );
  const apart = [...formulas].filter((line) => !text.some((other) => isBeside(line, other, body)));
  const blocks: TextLine[][] = [];
  for (const line of apart.sort((a, b) => a.box[1] - b.box[1])) {
    const near = blocks.filter((block) => {
      const box = unionOf(block.map((other) => other.box));
      const gap = line.box[1] - bottomOf(box);
      return gap < body.leading * 0.6 && sharedWidth(box, line.box) > -body.fontSize * 6;
    });
    for (const block of near) blocks.splice(blocks.indexOf(block), 1);
    blocks.push([...near.flat(), line]);
  }
  return blocks.filter((block) => {
    const whole = block.map((line) => line.text).join(' ');
    const box = unionOf(block.map((line) => line.box));
    return (
      relation.test(whole) && box[2] > body.fontSize * 3 && block.some(({ runs }) => hasMath(runs))
    );
  });
}

/** The text without the signs of raised and lowered marks. */
const charactersOf = ({ runs }: TextLine): string =>
  runs.map(({ text, spaced }) => (spaced ? ` ${text}` : text)).join('');

function isFormula(line: TextLine): boolean {
  const [runs, text] = [line.runs, charactersOf(line)];
  // An index may be a name in letters of the text.
  const largest = Math.max(...runs.map(({ fontSize }) => fontSize));
  const large = runs.filter(({ fontSize }) => fontSize > largest * 0.8);
  if (runs.some(({ font }) => isMonospaced(font)) || isNumber({ text })) return false;
  return (
    wordsOf(text).length <= mostWords &&
    Math.max(mathShare(runs), mathShare(large)) >= leastMath &&
    /[^\d\s.,()[\]–-]/.test(text)
  );
}

/** Whether text of some words stands in the row of a piece of mathematics, which then belongs to that text. */
function isBeside(line: TextLine, text: TextLine, body: BodyPrint): boolean {
  return (
    sharedHeight(line.box, text.box) > Math.min(line.box[3], text.box[3]) * 0.3 &&
    Math.abs(baselineOf(line) - baselineOf(text)) < body.fontSize &&
    sharedWidth(line.box, text.box) > -body.fontSize * 4
  );
}

const equationNumber = /^[([]((?:[A-Z]\.?)?\d+(?:[.-]\d+)*[a-z]?)[)\]]$/;
const isNumber = ({ text }: Pick<TextLine, 'text'>): boolean => equationNumber.test(text);

interface Numbered {
  readonly lines: readonly TextLine[];
  readonly number: string | null;
}

/** The number stands right of its formula, in a line of its own or at the end of one. */
function withoutNumber(block: readonly TextLine[], page: PageContent): Numbered {
  const box = unionOf(block.map((line) => line.box));
  const own = page.lines.find(
    (line) => isNumber(line) && isRightOf(line.box, box) && sharedHeight(line.box, box) > 0,
  );
  if (own !== undefined)
    return { lines: block, number: equationNumber.exec(own.text)?.[1] ?? null };
  const ending = block.map(cutNumber);
  const number = ending.find((line) => line.number !== null)?.number ?? null;
  return { lines: ending.flatMap(({ lines }) => lines), number };
}

const isRightOf = (number: Box, box: Box): boolean => number[0] >= rightOf(box) - 2;

function cutNumber(line: TextLine): Numbered {
  const last = line.runs.at(-1);
  const before = line.runs.slice(0, -1);
  const number = last === undefined ? null : (equationNumber.exec(last.text)?.[1] ?? null);
  const gap =
    last === undefined ? 0 : last.box[0] - Math.max(...before.map(({ box }) => rightOf(box)));
  if (number === null || before.length === 0 || gap < line.fontSize) {
    return { lines: [line], number: null };
  }
  return {
    lines: [
      { ...line, runs: before, text: printed(before), box: unionOf(before.map(({ box }) => box)) },
    ],
    number,
  };
}

/** A run, or a fraction that has been put together. */
interface Item {
  readonly box: Box;
  readonly baseline: number;
  readonly fontSize: number;
  readonly latex: string;
  /** Of a large operator, whose limits stand above and below it. */
  readonly takesLimits: boolean;
}

/**
 * The LaTeX of a displayed formula, as near as its print allows: rows, fractions, scripts and limits by their places.
 * @param rules - of the page
 */
export function latexOf(runs: readonly TextRun[], rules: readonly Box[]): string {
  const items = withFractions(runs.map(itemOf), rules);
  return rowsOf(items).map(latexOfRow).join(' \\\\ ');
}

function itemOf({ text, font, box, baseline, fontSize }: TextRun): Item {
  const meant = meantBy(text, font);
  return {
    box,
    baseline,
    fontSize,
    latex: latexOfText(meant),
    takesLimits: /^[∑∏]$|^(lim|max|min|sup|inf)$/.test(meant),
  };
}

/** In ems: numerator and denominator are nearer to the bar. */
const fractionReach = 2.5;

function withFractions(items: readonly Item[], rules: readonly Box[]): readonly Item[] {
  const bars = rules.filter(([, , width, height]) => width > height).sort((a, b) => a[2] - b[2]);
  let rest = items;
  for (const bar of bars) {
    const at = bar[1] + bar[3] / 2;
    const over = rest.filter(({ box }) => isWithin(box, bar));
    const above = over.filter(
      ({ box, fontSize }) =>
        bottomOf(box) <= at + 2 && at - bottomOf(box) < fontSize * fractionReach,
    );
    const below = over.filter(
      ({ box, fontSize }) => box[1] >= at - 2 && box[1] - at < fontSize * fractionReach,
    );
    if (above.length === 0 || below.length === 0) continue;
    const parts = [...above, ...below];
    const fontSize = Math.max(...parts.map((part) => part.fontSize));
    const fraction: Item = {
      box: unionOf([bar, ...parts.map(({ box }) => box)]),
      // The bar stands at the height of a minus sign.
      baseline: at + fontSize * 0.25,
      fontSize,
      latex: `\\frac{${rowsOf(above).map(latexOfRow).join(' ')}}{${rowsOf(below).map(latexOfRow).join(' ')}}`,
      takesLimits: false,
    };
    rest = [...rest.filter((item) => !parts.includes(item)), fraction];
  }
  return rest;
}

const isWithin = ([x, , width]: Box, bar: Box): boolean =>
  x + width / 2 > bar[0] - 1 && x + width / 2 < rightOf(bar) + 1 && width <= bar[2] + 4;

/** Rows of a formula of several lines. Items of full size decide; the others belong to the nearest row. */
function rowsOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const size = Math.max(...items.map(({ fontSize }) => fontSize));
  const full = items
    .filter(({ fontSize, takesLimits }) => fontSize > size * 0.85 && !takesLimits)
    .sort((a, b) => a.baseline - b.baseline);
  const baselines: number[] = [];
  for (const { baseline } of full) {
    if (baseline - (baselines.at(-1) ?? -Infinity) > size * 0.9) baselines.push(baseline);
  }
  if (baselines.length === 0) return [items];
  const distance = ({ box }: Item, baseline: number): number =>
    Math.abs(box[1] + box[3] / 2 - (baseline - size * 0.25));
  return baselines.map((baseline) =>
    items.filter((item) =>
      baselines.every((other) => distance(item, baseline) <= distance(item, other)),
    ),
  );
}

type Script = '^' | '_';

function latexOfRow(row: readonly Item[]): string {
  const items = [...row].sort((a, b) => a.box[0] - b.box[0]);
  const size = Math.max(...items.map(({ fontSize }) => fontSize));
  const base = items.find(({ fontSize }) => fontSize === size)?.baseline ?? 0;
  const limits = limitsOf(items, size);
  const inLimits = new Set([...limits.values()].flat());
  let latex = '';
  let open: Script | null = null;
  for (const item of items.filter((one) => !inLimits.has(one))) {
    const script = scriptOf(item, base, size);
    if (script !== open && open !== null) latex += '}';
    if (script !== open && script !== null) latex += `${script}{`;
    const last = latex.at(-1) ?? '';
    latex +=
      /[\s{^_(]$/.test(last) || last === '' || script !== null ? item.latex : ` ${item.latex}`;
    open = script;
    const own = limits.get(item) ?? [];
    const [under, above] = [
      own.filter(({ box }) => box[1] > item.box[1] + item.box[3] / 2),
      own.filter(({ box }) => box[1] <= item.box[1] + item.box[3] / 2),
    ];
    if (under.length > 0) latex += `_{${latexOfRow(under)}}`;
    if (above.length > 0) latex += `^{${latexOfRow(above)}}`;
  }
  return (open === null ? latex : `${latex}}`).replace(/\s+/g, ' ').trim();
}

/** The small items right above and below a large operator. */
function limitsOf(items: readonly Item[], size: number): ReadonlyMap<Item, readonly Item[]> {
  const operators = items.filter(({ takesLimits }) => takesLimits);
  return new Map(
    operators.map((operator) => [
      operator,
      items.filter(
        (item) =>
          item.fontSize < size * 0.85 &&
          sharedWidth(item.box, operator.box) > -size * 0.5 &&
          (item.box[1] >= bottomOf(operator.box) - 2 || bottomOf(item.box) <= operator.box[1] + 2),
      ),
    ]),
  );
}

/** Small items, raised or lowered. In ems. */
const [leastRaise, leastDrop] = [0.2, 0.08];

function scriptOf(
  { fontSize, baseline, takesLimits }: Item,
  base: number,
  size: number,
): Script | null {
  if (fontSize > size * 0.85 || takesLimits) return null;
  if (baseline < base - size * leastRaise) return '^';
  return baseline > base + size * leastDrop ? '_' : null;
}

/** Characters of formulas as LaTeX, and what belongs to a font of mathematics. */

const greek =
  'α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega';
const operators =
  '× times · cdot ⋅ cdot ∗ ast ± pm ∓ mp ÷ div ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∼ sim ≃ simeq ≅ cong ∝ propto ≪ ll ≫ gg ∈ in ∉ notin ∋ ni ⊂ subset ⊆ subseteq ⊃ supset ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ∞ infty ∂ partial ∇ nabla ∀ forall ∃ exists ¬ neg ∧ wedge ∨ vee ⊕ oplus ⊗ otimes → to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto … ldots ⋯ cdots ⋮ vdots ⋱ ddots ∑ sum ∏ prod ∫ int ∮ oint √ surd ∣ mid ∥ parallel ⟨ langle ⟩ rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ℓ ell ℜ Re ℑ Im ℝ mathbb{R} ℕ mathbb{N} ℤ mathbb{Z} ℚ mathbb{Q} ℂ mathbb{C} ′ prime ⊤ top ⊥ perp ∘ circ • bullet';

const commands: ReadonlyMap<string, string> = new Map(
  Array.from(`${greek} ${operators}`.matchAll(/(\S) (\S+)/gu), ([, character = '', name = '']) => [
    character,
    `\\${name}`,
  ]),
);
const plain: ReadonlyMap<string, string> = new Map([
  ['−', '-'],
  ['{', '\\{'],
  ['}', '\\}'],
  ['%', '\\%'],
  ['&', '\\&'],
  ['#', '\\#'],
  ['_', '\\_'],
  ['$', '\\$'],
  ['^', '\\hat{}'],
  ['~', '\\sim'],
  ['\\', '\\setminus'],
]);

/** The large operators of TeX's extension fonts, whose glyphs many PDFs call by their place in the font. */
const extension: ReadonlyMap<string, string> = new Map([
  ...['P', 'X'].map((place) => [place, '∑'] as const),
  ...['Q', 'Y'].map((place) => [place, '∏'] as const),
  ...['R', 'Z'].map((place) => [place, '∫'] as const),
]);
const extensionFont = /cmex|lmex|mathextension|lmmathextension/i;

/** The characters of a run as they are meant. */
const meantBy = (text: string, font: string): string =>
  extensionFont.test(font)
    ? Array.from(text, (character) => extension.get(character) ?? character).join('')
    : text;

const functionNames =
  /^(arg|cos|cosh|cot|det|dim|exp|gcd|inf|ker|lim|liminf|limsup|ln|log|max|min|sin|sinh|sup|tan|tanh)$/;

/** A text without scripts as LaTeX. Words are upright; letters alone are variables. */
function latexOfText(text: string): string {
  const parts = text.normalize('NFKC').match(/\p{Script=Latin}{2,}|./gsu) ?? [];
  return parts
    .map((part) => {
      if (functionNames.test(part)) return `\\${part} `;
      if (/^\p{Script=Latin}{2,}$/u.test(part)) return `\\mathrm{${part}}`;
      const command = commands.get(part);
      if (command !== undefined) return `${command} `;
      return plain.get(part) ?? part;
    })
    .join('')
    .trim();
}

const mathFont =
  /cmmi|cmsy|cmex|cmbsy|cmmib|msam|msbm|math|lmmi|lmsy|lmex|eufm|eusm|rsfs|symbol|mtmi|mtsy|mtex|txmi|txsy|txex|pxmi|pxsy|pxex|zplmr7m|stix.*(?:general|symbols|integrals)/i;
const mathCharacter =
  /[=<>+−×·⋅±∓≤≥≠≈≡∼≃∝∈∉⊂⊆∪∩∞∂∇∀∃→←⇒⇔∑∏∫√∣∥⟨⟩ℓ\p{Script=Greek}\u{1D400}-\u{1D7FF}]/u;

/** Whether a run is in a font of mathematics, or holds a character that is. */
export const isOfMath = ({ text, font }: Pick<TextRun, 'text' | 'font'>): boolean =>
  mathFont.test(font) || mathCharacter.test(text);

/** How many of the characters belong to a formula, from 0 to 1. */
function mathShare(runs: readonly { readonly text: string; readonly font: string }[]): number {
  let [math, all] = [0, 0];
  for (const { text, font } of runs) {
    for (const character of text) {
      all += 1;
      if (mathFont.test(font) || mathCharacter.test(character) || /[\d()[\],.|/]/.test(character)) {
        math += 1;
      }
    }
  }
  return all === 0 ? 0 : math / all;
}

/** Whether any character can only be of a formula. Code has equals signs, too. */
const hasMath = (runs: readonly { readonly text: string; readonly font: string }[]): boolean =>
  runs.some(
    ({ text, font }) => mathFont.test(font) || mathCharacter.test(text.replace(/[=<>+]/g, '')),
  );

/** Words that no formula has, in a text beside mathematics. */
const wordsOf = (text: string): readonly string[] =>
  (text.match(/\p{Script=Latin}{3,}/gu) ?? []).filter((word) => !functionNames.test(word));

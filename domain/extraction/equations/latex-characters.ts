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
export const meantBy = (text: string, font: string): string =>
  extensionFont.test(font)
    ? Array.from(text, (character) => extension.get(character) ?? character).join('')
    : text;

const functionNames =
  /^(arg|cos|cosh|cot|det|dim|exp|gcd|inf|ker|lim|liminf|limsup|ln|log|max|min|sin|sinh|sup|tan|tanh)$/;

/** A text without scripts as LaTeX. Words are upright; letters alone are variables. */
export function latexOfText(text: string): string {
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

/** How many of the characters belong to a formula, from 0 to 1. */
export function mathShare(
  runs: readonly { readonly text: string; readonly font: string }[],
): number {
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
export const hasMath = (
  runs: readonly { readonly text: string; readonly font: string }[],
): boolean =>
  runs.some(
    ({ text, font }) => mathFont.test(font) || mathCharacter.test(text.replace(/[=<>+]/g, '')),
  );

/** Words that no formula has, in a text beside mathematics. */
export const wordsOf = (text: string): readonly string[] =>
  (text.match(/\p{Script=Latin}{3,}/gu) ?? []).filter((word) => !functionNames.test(word));

declare module 'snowball-stemmers' {
  /** `english` is Porter2. */
  export function newStemmer(language: 'english'): { readonly stem: (word: string) => string };
}

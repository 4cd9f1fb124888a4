declare module 'jstat' {
  interface Distribution {
    /** The quantile of probability `p`. */
    readonly inv: (p: number, ...parameters: readonly number[]) => number;
  }
  const jstat: {
    readonly jStat: { readonly normal: Distribution; readonly studentt: Distribution };
  };
  export default jstat;
}

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/**
 * Whole numbers from 0 to 2³² − 1, the same ones for the same state. xoshiro128** of D. Blackman and S. Vigna, "Scrambled
 * linear pseudorandom number generators", ACM TOMS 47 (2021). The state must not be all zeros.
 */
export function xoshiro128(state: readonly [number, number, number, number]): () => number {
  let [a, b, c, d] = state;
  return () => {
    const next = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return next;
  };
}

/** Numbers from 0 up to and without 1, fast enough for millions of draws: the same ones for the same seed. */
export function seededGenerator(seed: number): () => number {
  const draw = xoshiro128([seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 0x243f6a88]);
  // Its first numbers show how few bits a small seed has.
  for (let skipped = 0; skipped < 32; skipped += 1) draw();
  return () => draw() / 2 ** 32;
}

/** `strict` does what the reference does, byte for byte and with its weaknesses; `tolerant` is meant well. */
export type Strictness = 'strict' | 'tolerant';

/** Stands behind what could not be priced. */
export const priceRemedy = '(`prices:` in turnwise.yaml says what the model costs)';

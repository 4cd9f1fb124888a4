export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** NaN where there are none. */
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** Mean of the squared distances from the mean, with n − 1 for n; 0 for a single value. */
export function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return sum(values.map((value) => (value - centre) ** 2)) / (values.length - 1);
}

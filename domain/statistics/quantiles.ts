import jstat from 'jstat';

const { jStat } = jstat;

/** How much of the distribution a two-sided interval covers, everywhere in turnwise. */
export const confidence = 0.95;

/** The probability below the upper end of a two-sided interval of `confidence`. */
export const upperTail = (1 + confidence) / 2;

/** Of the standard normal distribution. */
export const normalQuantile = (p: number): number => jStat.normal.inv(p, 0, 1);

/** Of Student's t distribution. */
export const studentQuantile = (p: number, degreesOfFreedom: number): number =>
  jStat.studentt.inv(p, degreesOfFreedom);

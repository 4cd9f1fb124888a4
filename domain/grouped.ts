/**
 * A count with commas between thousands: `12,345`; rounded where it is no whole number. Not by `toLocaleString`: what that
 * knows of languages takes longer to load than a large run to read.
 */
export const grouped = (count: number): string =>
  String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

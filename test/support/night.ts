/** Whether `npm run test:night` is running. */
export const isNight = process.env['FARHAND_NIGHT'] === '1'

/** Cases that the code treats alike: all at night, every n-th by day. */
export const some = <T>(cases: readonly T[], everyNth: number): T[] =>
  cases.filter((_, index) => isNight || index % everyNth === 0)

/** Number of random cases: tenfold at night. */
export const runs = (count: number): number => (isNight ? count * 10 : count)

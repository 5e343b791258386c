/** Whether `npm run test:night` is running. */
export const isNight = process.env['FARHAND_NIGHT'] === '1'

/** Number of random cases: tenfold at night. */
export const runs = (count: number): number => (isNight ? count * 10 : count)

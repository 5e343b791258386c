/** Whether this is `npm run test:night`, which has hours. */
export const isNight = process.env['FARHAND_NIGHT'] === '1'

/** Number of random cases: ten times as many at night. */
export const runs = (count: number): number => (isNight ? count * 10 : count)

export type Values = readonly (number | null)[]

/** One area of steps; slots of which nothing is known stay empty, and every known one is at least a hair high. */
export function pathOf(values: Values, height: number): string {
  const top = (value: number) => Math.round((1 - Math.max(value, 0.02)) * height * 10) / 10
  return values
    .map((value, slot) => (value === null ? '' : `M${slot} ${height}V${top(value)}H${slot + 1}V${height}Z`))
    .join('')
}

/** Agents report about once in a slot: one that was connected and reported nothing in between had the value before. */
export function filled(values: Values, online: Values): Values {
  let before: number | null = null
  return values.map((value, slot) => {
    before = value ?? ((online[slot] ?? 0) > 0 ? before : null)
    return before
  })
}

export const lastKnown = (values: Values) => values.findLast((value) => value !== null) ?? undefined

/** The mean of what is known. */
export function shareOf(values: Values): number | undefined {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length
}

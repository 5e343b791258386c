export type Values = readonly (number | null)[]

/** SVG path of a step plot; unknown slots stay empty, and known ones have a minimum height. */
export function pathOf(values: Values, height: number): string {
  const top = (value: number) => Math.round((1 - Math.max(value, 0.02)) * height * 10) / 10
  return values
    .map((value, slot) => (value === null ? '' : `M${slot} ${height}V${top(value)}H${slot + 1}V${height}Z`))
    .join('')
}

/**
 * Fills gaps in slots in which the agent was connected: agents report about once per slot, so the last value still
 * applies.
 */
export function filled(values: Values, online: Values): Values {
  let before: number | null = null
  return values.map((value, slot) => {
    before = value ?? ((online[slot] ?? 0) > 0 ? before : null)
    return before
  })
}

export const lastKnown = (values: Values) => values.findLast((value) => value !== null) ?? undefined

/** Mean of the known values. */
export function shareOf(values: Values): number | undefined {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length
}

export type Values = readonly (number | null)[]

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

/** Indexes of values without a known neighbour, which no line shows. */
export const alone = (values: Values): number[] =>
  values.flatMap((value, index) =>
    value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null ? index : [],
  )

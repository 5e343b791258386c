/** ISO 8601 text of a time in milliseconds since 1970. */
export const instant = (ms: number): string => new Date(ms).toISOString()

export const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

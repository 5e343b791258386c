const connecting = 'on'
const leastLetters = 3

/**
 * Splits "terminal on oslo" into verbs and search text. A verb is complete or abbreviated to at least three letters;
 * without a verb the whole text is search text.
 */
export function readRequest<Verb extends { label: string }>(
  text: string,
  verbs: readonly Verb[],
): { verbs: Verb[]; searchText: string } {
  const whole = text.trim()
  const lower = whole.toLowerCase()
  const spelt = verbs.filter(({ label }) => lower.startsWith(`${label.toLowerCase()} `))
  const [first = ''] = lower.split(/\s+/, 1)
  const begun = first.length >= leastLetters ? verbs.filter(({ label }) => label.toLowerCase().startsWith(first)) : []
  const found = spelt.length > 0 ? spelt : lower.includes(' ') ? begun : []
  if (found.length === 0) {
    return { verbs: [], searchText: whole }
  }
  const rest = whole.slice(spelt[0]?.label.length ?? first.length).trim()
  const isConnected = rest.toLowerCase().startsWith(`${connecting} `)
  return { verbs: found, searchText: isConnected ? rest.slice(connecting.length).trim() : rest }
}

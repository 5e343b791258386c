/** Returns whether a word needs no quotes, in `sh` as in PowerShell. */
export const isPlain = (text: string): boolean => /^[\w@%+=:,./-]+$/.test(text)

/** Quotes a word for `sh`. */
export const quoteForShell = (text: string): string => (isPlain(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

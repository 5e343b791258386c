/**
 * Quotes a PowerShell string. PowerShell also ends a single-quoted string at U+2018 to U+201B; doubling escapes a
 * quote.
 */
export const quoteForPowerShell = (text: string): string => `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`

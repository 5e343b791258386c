/** A string of PowerShell, which ends a single-quoted string at U+2018 to U+201B too; a doubled quote stands for itself. */
export const quoteForPowerShell = (text: string): string => `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`

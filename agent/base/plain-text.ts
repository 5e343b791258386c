import { cutText } from '../../shared/cut-text.ts'

/**
 * Removes control characters from untrusted text, so that the text cannot control the terminal. Line breaks are kept.
 */
export const printable = (text: string): string => text.replaceAll(/(?!\n)\p{C}/gu, ' ')

/** Converts untrusted text to a single line without control characters, with a maximum length. */
export const plainText = (text: string, mostCharacters = 120): string =>
  cutText(text.replaceAll(/[\p{C}\s]+/gu, ' ').trim(), mostCharacters)

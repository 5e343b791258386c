/** Text as every database and file keeps it: without NULs; lone surrogates become U+FFFD. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '')

/** Cuts a text to at most `length` UTF-16 units, never inside a character, and makes it storable. */
export function cutText(text: string, length: number): string {
  const isSplit = text.length > length && /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return storableText(text.slice(0, isSplit ? length - 1 : length))
}

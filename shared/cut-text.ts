/** Cuts a text to at most `length` UTF-16 units, never inside a character. Lone surrogates become U+FFFD. */
export function cutText(text: string, length: number): string {
  const isSplit = text.length > length && /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return text.slice(0, isSplit ? length - 1 : length).toWellFormed()
}

/** Text for a terminal: what strangers have put into it moves no cursor and sets no title. Lines stay. */
export const printable = (text: string): string => text.replaceAll(/(?!\n)\p{C}/gu, ' ')

/** What somebody else wrote, fit for a line of text: no control characters, and at most so many in all. */
export const plainText = (text: string, mostCharacters = 120): string =>
  text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, mostCharacters)
    .toWellFormed()

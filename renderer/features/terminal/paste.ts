/** Whether the shell would run part of the text at once when it is pasted. */
export const hasLineBreak = (text: string) => /[\r\n]/.test(text)

/** Number of lines of a text; a trailing line break does not count as another line. */
export const linesIn = (text: string) => text.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/).length

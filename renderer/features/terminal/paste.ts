/** Whether a shell would run something of a text as soon as it is pasted. */
export const hasLineBreak = (text: string) => /[\r\n]/.test(text)

/** Lines of a text; a break at its end begins no other one. */
export const linesIn = (text: string) => text.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/).length

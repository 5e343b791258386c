/** Quotes an argument as Windows programs parse command lines. */
export const quoteArgument = (text: string): string =>
  `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`

/** As programs of Windows take a command line apart. */
export const quoteArgument = (text: string): string =>
  `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`

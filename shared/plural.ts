/** Number with its noun, in English: "1 account", "1,204 accounts". */
export const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

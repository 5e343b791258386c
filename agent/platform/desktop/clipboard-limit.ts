/** Maximum size of a text that is passed on, in both directions. */
export const maxClipboardBytes: number = 4 * 1024 * 1024
export const clipboardLimitText = 'longer than the 4 MiB that are passed on'
